// SPDX-License-Identifier: Apache-2.0
#include "scenario.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/crc32c.h"
#include "base/words.h"
#include "core/plan/stretch_name.h"
#include "journal/plan_file.h"
#include "random.h"

namespace windrow::sim {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

// None in most worlds, so that each kind of trouble is also met alone.
std::uint32_t some(Random& random, std::uint32_t per_mille, std::uint32_t max) {
  return random.per_mille(per_mille) ? random.between(1, max) : 0;
}

void draw_job(Random& random, Scenario& out) {
  out.files_per_batch = random.between(1, 4);
  out.files = random.per_mille(10) ? 0 : random.between(4, 40) * out.files_per_batch;
  if (out.files > 0) out.files -= random.between(0, out.files_per_batch - 1);
  out.listed = !random.per_mille(100);
  out.limits.append_row = !random.per_mille(100);
  out.replace = out.limits.append_row && random.per_mille(60);
  out.limits.tries_max = random.between(1, 4);
  out.limits.run_timeout = random.between(seconds(1), seconds(4));
  if (random.per_mille(60)) out.limits.error_threshold = random.between(0, out.files / 4 + 1);
  if (random.per_mille(60)) out.limits.mini_batch_error_threshold = random.between(0, 5);
  if (random.per_mille(400)) {
    const std::uint32_t count = random.between(1, 4);
    for (std::uint32_t i = 0; i < count && out.batches() > 0; ++i) {
      out.poison[static_cast<BatchId>(random.below(out.batches()))] =
          static_cast<Poison>(1 + random.below(kPoisonKinds - 1));
    }
  }
  if (random.per_mille(8)) {  // not one mini-batch works
    for (BatchId id = 0; id < out.batches(); ++id) out.poison[id] = Poison::kRaises;
  }
  if (random.per_mille(300)) out.init = InitKind::kFlaky;
  if (random.per_mille(40)) out.init = static_cast<InitKind>(2 + random.below(4));
  out.init_faults = random.between(50, 500);
}

// Bad items instead of bad mini-batches, which are larger.
void draw_bisect(Random& random, Scenario& out) {
  if (!random.per_mille(200)) return;
  out.limits.bisect_failed = true;
  out.poison.clear();
  out.files_per_batch = random.between(2, 9);
  out.files = random.between(2, 12) * out.files_per_batch - random.between(0, 1);
  const std::vector<std::string> names = input_names(out);
  const std::uint32_t count = random.between(0, 6);
  for (std::uint32_t i = 0; i < count; ++i) {
    out.bad_items[std::string(kInput) + "/" + names[random.below(names.size())]] =
        static_cast<Poison>(1 + random.below(kPoisonKinds - 1));
  }
}

// Tables instead of files: how many rows there are is known when one has read them.
void draw_table(Random& random, Scenario& out) {
  if (!random.per_mille(150)) return;
  out.table = true;
  out.files_per_batch = 1;
  out.files = std::max<std::uint32_t>(out.files, 1);
  if (!out.limits.bisect_failed) return;
  out.bad_items.clear();
  const std::vector<std::string> names = input_names(out);
  for (std::uint32_t i = 0; i < 6; ++i) {
    const std::string path = std::string(kInput) + "/" + names[random.below(names.size())];
    const std::vector<std::string> rows = items_of(stretch_name(path, kWholeTable));
    if (rows.empty() || random.per_mille(500)) continue;
    out.bad_items[rows[random.below(rows.size())]] =
        static_cast<Poison>(1 + random.below(kPoisonKinds - 1));
  }
}

// Settings that most jobs leave alone.
void draw_rare_limits(Random& random, Scenario& out) {
  Limits& limits = out.limits;
  if (random.per_mille(40)) limits.failed_percent = random.between(0, 60);
  if (random.per_mille(80)) limits.retry_delay = random.between(milliseconds(1), seconds(3));
  if (random.per_mille(40)) limits.fail_fast_on = {"ValueError"};
  if (random.per_mille(40)) limits.retry_on = {"ValueError", "ProcessDied"};
  if (random.per_mille(60)) limits.init_limit = random.between(seconds(2), seconds(60));
  limits.strict_results = random.per_mille(50);
  limits.retry_short_returns = random.per_mille(80);
  limits.speculate = random.per_mille(250);
  out.allow_empty = random.per_mille(300);
  if (random.per_mille(100)) out.batches_max = random.between(1, 6);
  if (random.per_mille(60)) out.rss_max = random.between(1, 6);
}

void draw_speed(Random& random, Scenario& out) {
  constexpr Duration kMin[] = {microseconds(10), milliseconds(1), milliseconds(50)};
  constexpr Duration kMax[] = {microseconds(300), milliseconds(100), milliseconds(900)};
  const std::uint64_t speed = std::min<std::uint64_t>(random.below(5), 2);
  out.run_min = kMin[speed];
  out.run_max = kMax[speed];
  out.queue_max = random.per_mille(200) ? random.between(1, 3) : 16;
  out.unsynced_max = random.per_mille(150) ? 100 : 64U << 20U;
}

}  // namespace

Scenario draw_scenario(std::uint64_t seed) {
  Random random(seed);
  Scenario out;
  out.seed = seed;
  out.local = random.per_mille(500);
  out.agents = out.local || random.per_mille(400) ? 1 : random.between(2, 3);
  out.slots = random.between(1, 3);
  draw_job(random, out);
  draw_bisect(random, out);
  draw_table(random, out);
  draw_speed(random, out);
  draw_rare_limits(random, out);
  // Faults should meet the job at work, not after its end.
  const Duration work = out.batches() * (out.run_min + out.run_max) / (2 * out.agents * out.slots);
  out.faults_for = random.between(milliseconds(300), 2 * work + milliseconds(1500));
  if (random.per_mille(100)) out.faults_for += seconds(15);
  if (random.per_mille(50)) return out;  // an undisturbed world
  out.worker_faults = random.per_mille(600) ? random.between(10, 200) : 0;
  out.master_kills = some(random, 350, 3);
  out.master_pauses = some(random, 250, 2);
  out.power_cuts = some(random, 250, 2);
  out.disk_faults = some(random, 200, 2);
  out.crashes = some(random, 450, 2);
  out.cancels = some(random, 120, 2);
  if (!out.local) {
    out.agent_kills = some(random, 300, 3);
    out.agent_pauses = some(random, 250, 2);
    out.line_breaks = some(random, 350, 4);
    out.partitions = some(random, 200, 2);
    out.drops = random.per_mille(350) ? random.between(2, 60) : 0;
    out.duplicates = random.per_mille(350) ? random.between(5, 200) : 0;
  }
  out.memory_faults = random.per_mille(150) ? random.between(20, 900) : 0;
  return out;
}

std::vector<std::string> input_names(const Scenario& scenario) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < scenario.files; ++i) {
    // A few in sub-folders, so that the order of names matters.
    const bool below = i % 7 == 3;
    names.push_back(below ? fmt::format("f{:03}/x{}", i / 7, i) : fmt::format("f{:03}.txt", i));
  }
  std::ranges::sort(names);
  if (!scenario.listed) std::ranges::reverse(names);
  return names;
}

std::uint32_t rows_of(std::string_view path) { return crc32c(path) % 7; }

std::vector<std::string> items_of(const std::string& paths) {
  const std::optional<StretchName> stretch = parse_stretch_name(paths);
  if (paths.empty()) return {""};  // run() is called all the same
  if (!stretch) return split_at_nul(paths);
  const std::string whole = stretch_name(stretch->file, stretch->stretch);
  ItemRange rows = stretch->window;
  if (rows.count == 0) rows = {0, rows_of(stretch->file)};
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < rows.count; ++i) {
    names.push_back(window_name(whole, {rows.first + i, 1}));
  }
  return names;
}

Returned returned_for(const std::string& paths) {
  const std::vector<std::string> names = items_of(paths);
  const std::uint32_t hash = crc32c(paths);
  Returned out;
  if (names.empty()) return out;  // a table without rows: the script is never called
  out.count = static_cast<std::uint32_t>(names.size());
  if (hash % 19 == 0) out.count = 0;   // nothing
  if (hash % 19 == 1) out.count -= 1;  // one item short
  if (hash % 19 == 2) out.count += 1;  // more rows than items
  for (std::uint32_t row = 0; row < out.count; ++row) {
    const std::string& name = names[std::min<std::size_t>(row, names.size() - 1)];
    out.rows += fmt::format("{} {:08x} {}\n", name, hash, row);
  }
  if (hash % 97 == 5 && out.count > 0) {  // one long row
    out.rows.pop_back();
    out.rows.append(3000, 'x').push_back('\n');
  }
  return out;
}

}  // namespace windrow::sim
