// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/pieces.h"

#include <algorithm>

#include "base/check.h"

namespace windrow {
namespace {

// The piece right after the one with these items, as an iterator into `all`.
auto after(auto& all, const ItemRange& items) {
  return std::ranges::find(
      all, items.first + items.count, [](const Piece& piece) { return piece.items.first; });
}

}  // namespace

const Piece* Pieces::find(const ItemRange& items) const {
  const auto found = std::ranges::find(all_, items, &Piece::items);
  return found == all_.end() ? nullptr : &*found;
}

Piece* Pieces::find(const ItemRange& items) {
  const auto found = std::ranges::find(all_, items, &Piece::items);
  return found == all_.end() ? nullptr : &*found;
}

void Pieces::halve(const ItemRange& items) {
  const auto whole = std::ranges::find(all_, items, &Piece::items);
  CHECK(whole != all_.end() && whole->stage == BatchStage::kPending && items.count >= 2);
  const std::uint32_t left = items.count / 2;
  *whole = Piece{.items = {items.first, left}};
  all_.insert(whole + 1, Piece{.items = {items.first + left, items.count - left}, .suspect = true});
}

void Pieces::clear_suspicion_after(const ItemRange& items) {
  if (const auto next = after(all_, items); next != all_.end()) next->suspect = false;
}

const Piece* Pieces::next() const {
  const auto found = std::ranges::find(all_, BatchStage::kPending, &Piece::stage);
  return found == all_.end() ? nullptr : &*found;
}

const Piece* Pieces::suspect_after(const ItemRange& items) const {
  const auto next = after(all_, items);
  const bool found = next != all_.end() && next->suspect && next->stage == BatchStage::kPending &&
                     next->items.count >= 2;
  return found ? &*next : nullptr;
}

bool Pieces::has(BatchStage stage) const {
  return std::ranges::find(all_, stage, &Piece::stage) != all_.end();
}

std::uint32_t Pieces::succeeded() const {
  std::uint32_t sum = 0;
  for (const Piece& piece : all_) sum += piece.succeeded;
  return sum;
}

}  // namespace windrow
