// SPDX-License-Identifier: Apache-2.0
//
// What one simulated job is like and what will go wrong with it: everything that the seed decides
// before the world begins to move.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/plan/stretch_name.h"
#include "core/schedule/scheduler.h"

namespace windrow::sim {

enum class InitKind : std::uint8_t {
  kWorks,
  kFlaky,  // while faults are on, a start may fail in any way
  kRaises,
  kHangs,
  kDies,
  kRefused,
};

// What the script does with a mini-batch, every time.
enum class Poison : std::uint8_t {
  kNone,
  kRaises,
  kWrongType,
  kLoadError,
  kSerialiseError,
  kDiesInLoad,
  kDiesInRun,
  kDiesInSerialise,
  kHangsInRun,
  kHangsInLoad,
};
inline constexpr std::uint64_t kPoisonKinds = 10;

struct Scenario {
  std::uint64_t seed = 0;
  bool local = true;  // master and agent in one process, as `windrow run` does
  std::uint32_t agents = 1;
  std::uint32_t slots = 2;
  std::uint32_t files = 0;
  std::uint32_t files_per_batch = 1;
  bool listed = true;    // false: the names are given, not listed
  bool table = false;    // each file is a table, of so many rows as its name says
  bool replace = false;  // the target is there already and is replaced
  bool allow_empty = false;
  Limits limits;
  std::map<BatchId, Poison> poison;
  std::map<std::string, Poison> bad_items;  // by absolute path; only where failures are halved
  InitKind init = InitKind::kWorks;
  Duration run_min{};
  Duration run_max{};
  std::uint32_t queue_max = 16;  // packets that a worker's socket takes
  std::uint64_t unsynced_max = 0;
  std::uint32_t batches_max = 0;  // of one worker
  std::uint64_t rss_max = 0;      // a worker leaks one byte with every mini-batch

  // Chances per mille, while faults are on.
  std::uint32_t worker_faults = 0;  // of a hand-out
  std::uint32_t init_faults = 0;    // of a start, for kFlaky
  std::uint32_t memory_faults = 0;  // of a sample: memory is short then
  std::uint32_t drops = 0;          // of a message
  std::uint32_t duplicates = 0;     // of a message

  // How many of each happen before faults end.
  std::uint32_t master_kills = 0;
  std::uint32_t master_pauses = 0;
  std::uint32_t agent_kills = 0;
  std::uint32_t agent_pauses = 0;
  std::uint32_t line_breaks = 0;
  std::uint32_t partitions = 0;
  std::uint32_t crashes = 0;  // of everything, in the middle of a call that changes the disk
  std::uint32_t power_cuts = 0;
  std::uint32_t disk_faults = 0;
  std::uint32_t cancels = 0;
  Duration faults_for{};

  [[nodiscard]] std::uint32_t batches() const {
    return (files + files_per_batch - 1) / files_per_batch;
  }
};

Scenario draw_scenario(std::uint64_t seed);

inline constexpr const char* kInput = "/in";
inline constexpr const char* kContent = "x";        // of every file
inline constexpr Stretch kWholeTable{.length = 1};  // of a file with that

// The input: relative names in the order in which they are listed, or given.
std::vector<std::string> input_names(const Scenario& scenario);

// The items of a mini-batch, given as absolute paths separated by NUL, by their names: those of
// windows of one row where the files are tables.
std::vector<std::string> items_of(const std::string& paths);

// How many rows a table has: its worker knows, and nobody else.
std::uint32_t rows_of(std::string_view path);

// What the script returns for a mini-batch, given as absolute paths separated by NUL.
struct Returned {
  std::uint32_t count = 0;
  std::string rows;
};
Returned returned_for(const std::string& paths);

}  // namespace windrow::sim
