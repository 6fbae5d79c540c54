// SPDX-License-Identifier: Apache-2.0
//
// The plan: which items make up which mini-batch (state/plan). Layout: docs/formats/plan.md.
//
// Written once, in order, by the one who lists the input, and synced before any fact refers to it.
// Mini-batch 4711 means the same in every run, resume, retry and look-back.
//
// Thread: one at a time each. Failure: Error naming the file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "journal/record.h"
#include "os/file_system.h"

namespace windrow {

inline constexpr std::uint32_t kPlanVersion = 2;

struct PlanHead {
  std::vector<std::string> roots;  // of each input: the absolute folder that its files are below
  std::string formation;           // hash of what decides the cuts
  WallTime listing_began;          // by the clock of the file system
  friend bool operator==(const PlanHead&, const PlanHead&) = default;
};

// A mini-batch of the plan.
struct PlanBatch {
  BatchId id = 0;
  std::uint32_t items = 0;
  std::string_view names;   // in order, separated by NUL; until the next read
  std::uint32_t input = 0;  // which one the files are of
  // What the names are below; those that begin with a slash stand for themselves. No slash at its
  // end: empty for the root of the file system. Until the reader goes.
  std::string_view root;
};

// Where a name of the plan lies.
std::string plan_path(std::string_view root, std::string_view name);

// The bytes a plan begins with.
std::string plan_head_bytes(const PlanHead& head);

// Appends one mini-batch to `out`, in the format of that version; its root is not looked at.
void append_plan_batch(const PlanBatch& batch, std::uint32_t version, std::string& out);

class PlanReader {
 public:
  // Reads the head and nothing else.
  static Result<PlanReader> open(FileSystem& fs, const std::string& path);

  [[nodiscard]] const PlanHead& head() const { return head_; }
  [[nodiscard]] std::uint32_t version() const { return reader_.version(); }

  // Notes the mini-batches up to byte `up_to`. Needed once before read(), and after the plan grew.
  Status index(std::uint64_t up_to);

  // Notes mini-batches that the caller has just written: where each begins.
  void note(const std::vector<std::uint64_t>& offsets, std::uint64_t up_to);

  // The mini-batch, or those items of it.
  // REQUIRES: id < size().
  Result<PlanBatch> read(BatchId id);
  Result<PlanBatch> read(BatchId id, const ItemRange& piece);

  // The mini-batch whose record begins there. Needs no index().
  Result<PlanBatch> read_at(std::uint64_t offset, BatchId id);
  // REQUIRES: id < size().
  [[nodiscard]] std::uint64_t offset(BatchId id) const { return offsets_[id]; }

  [[nodiscard]] BatchId size() const { return static_cast<BatchId>(offsets_.size()); }
  [[nodiscard]] std::uint64_t bytes() const { return indexed_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  PlanReader(std::unique_ptr<File> file, RecordReader reader, std::string path)
      : file_(std::move(file)), reader_(std::move(reader)), path_(std::move(path)) {}

  std::unique_ptr<File> file_;
  RecordReader reader_;
  std::string path_;
  PlanHead head_;
  std::vector<std::string> roots_;  // without a slash at the end
  std::vector<std::uint64_t> offsets_;
  std::string window_;  // the name of the piece that was read last
  std::uint64_t indexed_ = 0;
};

}  // namespace windrow
