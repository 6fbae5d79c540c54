// SPDX-License-Identifier: Apache-2.0
//
// The GPUs of one node: which there are, how many workers that makes, and who has which.
//
// A GPU goes by the name that CUDA_VISIBLE_DEVICES uses for it: an index, a UUID or a MIG name. A
// worker that starts gets the first free one, a worker that ends for whatever reason gives it back,
// and the next one that starts has it.
//
// Thread: plain values, one owner. Cannot fail: what makes no sense counts as no GPU.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "core/spec/job_spec.h"

namespace windrow {

inline constexpr const char* kVisibleGpusVariable = "CUDA_VISIBLE_DEVICES";

// What is known of a node before anything is decided.
struct GpuFacts {
  std::optional<std::string> visible;  // CUDA_VISIBLE_DEVICES, empty text included
  std::optional<std::uint32_t> said;   // --gpus
  std::optional<std::string> preset;   // AZ_BATCHAI_GPU_COUNT_FOUND
  std::uint32_t found = 0;             // devices that the driver offers
};

struct GpuSet {
  std::vector<std::string> names;  // empty: a node without GPUs
  bool real = false;               // the driver offers devices, whatever was set
  std::string source;              // how they came to be known, for people
};

// What is visible counts before what was set, that before the preset, that before what was found;
// a number with a list of visible ones takes that many from its front. A list alone, on a machine
// whose driver offers no device, names none.
GpuSet choose_gpus(const GpuFacts& facts);

struct WorkerCount {
  std::uint32_t count = 1;
  std::string reason;  // a sentence: "2 workers: ..."
};

// One on a node with GPUs, else as many as CPUs, unless the user set it.
WorkerCount choose_worker_count(std::optional<std::uint32_t> said,
                                const GpuSet& gpus,
                                std::uint32_t cpus);

struct GpuRules {
  std::vector<std::string> names;
  bool real = false;
  double per_worker = 1;  // below 1: so many share one; from 1 on: whole ones
  GpuSurplus surplus = GpuSurplus::kAuto;
};

// What becomes of CUDA_VISIBLE_DEVICES in one worker.
struct GpuGrant {
  enum class Kind : std::uint8_t { kUntouched, kSet, kUnset };
  Kind kind = Kind::kUntouched;
  std::string devices;  // kSet: names with commas between; empty hides all of them
  friend bool operator==(const GpuGrant&, const GpuGrant&) = default;
};

// " with GPU 0", " without a GPU: ...", or nothing on a node without any.
std::string describe(const GpuGrant& grant);

class GpuSlots {
 public:
  explicit GpuSlots(GpuRules rules);

  // Of several that are free the one that fewest share, and of those the first.
  // REQUIRES: `process` holds nothing.
  GpuGrant take(ProcessNumber process);
  // Does nothing when it holds none.
  void release(ProcessNumber process);

  void check_invariants() const;

 private:
  [[nodiscard]] std::optional<std::size_t> first_free() const;
  [[nodiscard]] GpuGrant surplus() const;

  GpuRules rules_;
  std::size_t whole_ = 1;               // GPUs of one worker
  std::uint32_t shares_ = 1;            // workers of one GPU
  std::vector<std::uint32_t> sharing_;  // by GPU
  std::map<ProcessNumber, std::vector<std::size_t>> held_;
};

}  // namespace windrow
