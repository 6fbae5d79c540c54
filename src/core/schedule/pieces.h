// SPDX-License-Identifier: Apache-2.0
//
// The pieces of a mini-batch that is halved until its bad items stand alone.
//
// A value: part of JobState, changed by facts alone. Pieces lie side by side, in order of items,
// and together are the whole mini-batch.
#pragma once

#include <cstdint>
#include <vector>

#include "core/schedule/facts.h"

namespace windrow {

enum class BatchStage : std::uint8_t { kPending, kEnded, kCommitted, kFailed };

struct Piece {
  ItemRange items;
  BatchStage stage = BatchStage::kPending;
  // Its other half comes before it. When that one works at once, what is bad must be in here.
  bool suspect = false;
  std::uint32_t succeeded = 0;  // items, from kEnded on
  RowRange rows;                // from kEnded on
  friend bool operator==(const Piece&, const Piece&) = default;
};

class Pieces {
 public:
  // One piece, which is everything.
  explicit Pieces(std::uint32_t items) : all_{Piece{.items = {0, items}}} {}

  // The piece with exactly these items; none: nullptr.
  [[nodiscard]] Piece* find(const ItemRange& items);
  [[nodiscard]] const Piece* find(const ItemRange& items) const;

  // REQUIRES: find(items), pending, at least two items.
  void halve(const ItemRange& items);

  // The piece has failed: what comes after it is no longer suspected on its account.
  void clear_suspicion_after(const ItemRange& items);

  // The first piece that is to be tried; none: nullptr.
  [[nodiscard]] const Piece* next() const;

  // The piece after this one if it is suspected and can be halved; none: nullptr.
  [[nodiscard]] const Piece* suspect_after(const ItemRange& items) const;

  [[nodiscard]] bool has(BatchStage stage) const;
  [[nodiscard]] std::uint32_t succeeded() const;

  [[nodiscard]] std::vector<Piece>& all() { return all_; }
  [[nodiscard]] const std::vector<Piece>& all() const { return all_; }

  friend bool operator==(const Pieces&, const Pieces&) = default;

 private:
  std::vector<Piece> all_;
};

}  // namespace windrow
