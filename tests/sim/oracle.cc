// SPDX-License-Identifier: Apache-2.0
#include "oracle.h"

#include <algorithm>

#include <fmt/format.h>

#include "journal/journal.h"
#include "onlooker.h"
#include "processes.h"

namespace windrow::sim {
namespace {

constexpr std::int64_t kCloselyEvery = 8;

bool same(const Batch& a, const Batch& b) {
  return a.offset == b.offset && a.length == b.length && a.segment == b.segment &&
         a.items == b.items && a.succeeded == b.succeeded && a.picked == b.picked &&
         a.tries == b.tries && a.losses == b.losses && a.stage == b.stage;
}

bool same(const Segment& a, const Segment& b) {
  return a.agent == b.agent && a.file == b.file && a.synced == b.synced && a.closed == b.closed &&
         a.waiting == b.waiting;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// Whether a job may fail so in this world.
std::optional<std::string> check_cause(const Scenario& scenario,
                                       const JobState& state,
                                       const std::string& cause) {
  const JobCounts& counts = state.counts();
  // By what was seen when the job stopped: a lost agent may have taken unsynced results with it.
  const auto over = [&cause](std::int64_t limit) {
    return limit >= 0 && std::stoll(cause) > limit;
  };
  bool right = false;
  if (has(cause, "mini_batch_error_threshold")) {
    right = over(scenario.limits.mini_batch_error_threshold);
  } else if (has(cause, "error_threshold")) {
    right = over(scenario.limits.error_threshold);
  } else if (has(cause, "allowed_failed_percent")) {
    const auto share = 100.0 * std::stod(cause) / scenario.batches();
    right = share > scenario.limits.failed_percent;
  } else if (has(cause, "worker starts failed") || has(cause, "init() failed") || cause == "no") {
    right = scenario.init != InitKind::kWorks || scenario.worker_faults > 0;
  } else if (has(cause, "no progress")) {
    right = scenario.init == InitKind::kHangs || scenario.init == InitKind::kFlaky;
  } else if (has(cause, "holds no file")) {
    right = scenario.files == 0 && !scenario.allow_empty;
  } else if (has(cause, "not one item succeeded")) {
    right = counts.items_succeeded == 0;
  }
  if (right) return std::nullopt;
  return "the job failed for no good reason: " + cause;
}

std::optional<std::string> check_charges(const Surroundings& world, const JobState& state) {
  for (BatchId id = 0; id < state.batches().size(); ++id) {
    const Batch& batch = state.batches()[id];
    const bool failed = batch.stage == BatchStage::kFailed;
    if (batch.tries > world.truth.chargeable(id)) {
      return fmt::format("mini-batch {} was charged {} tries and had {} faults",
                         id,
                         batch.tries,
                         world.truth.chargeable(id));
    }
    const Limits& limits = world.scenario.limits;
    const bool at_once = !limits.fail_fast_on.empty() || !limits.retry_on.empty() ||
                         batch.losses >= limits.losses_max;
    const bool halved = state.pieces_of(id) != nullptr;
    const bool given_up = failed || halved;
    // A crash may leave the halves and not the record of the attempt that was their reason.
    const std::uint32_t tries = batch.tries + (halved && batch.tries < limits.tries_max ? 1 : 0);
    if (given_up != (tries >= limits.tries_max) && !(given_up && at_once)) {
      return fmt::format("mini-batch {} ended after {} tries", id, batch.tries);
    }
    if (world.scenario.poison.contains(id) && batch.stage == BatchStage::kCommitted) {
      return fmt::format("mini-batch {} cannot work and is committed", id);
    }
  }
  return std::nullopt;
}

// The absolute paths of these items of a mini-batch, separated by NUL; of all when there are none.
std::string paths_of(const Scenario& scenario, BatchId id, ItemRange items) {
  const std::vector<std::string> names = input_names(scenario);
  if (scenario.table) {
    const std::string whole = stretch_name(std::string(kInput) + "/" + names[id], kWholeTable);
    return items.count == 0 ? whole : window_name(whole, items);
  }
  if (items.count == 0) {
    const std::size_t rest = names.size() - std::size_t{id} * scenario.files_per_batch;
    items.count = static_cast<std::uint32_t>(std::min<std::size_t>(rest, scenario.files_per_batch));
  }
  const std::size_t first = std::size_t{id} * scenario.files_per_batch + items.first;
  std::string paths;
  for (std::size_t i = first; i < first + items.count; ++i) {
    if (i > first) paths.push_back('\0');
    paths += std::string(kInput) + "/" + names[i];
  }
  return paths;
}

// What was halved has lost its bad items, and no good one without somebody else's fault.
std::optional<std::string> check_pieces(const Scenario& scenario, const JobState& state) {
  const bool quiet = scenario.worker_faults == 0 && !scenario.limits.strict_results;
  for (const auto& [id, pieces] : state.pieces()) {
    for (const Piece& piece : pieces.all()) {
      if (piece.stage != BatchStage::kFailed) continue;
      const std::string path = paths_of(scenario, id, piece.items);
      const bool lost = state.batches()[id].losses >= scenario.limits.losses_max;
      if (piece.items.count > 1 && !lost) return "a piece of several items was given up";
      if (quiet && !lost && !scenario.bad_items.contains(path)) return path + " is not bad";
    }
  }
  return std::nullopt;
}

// What is done has as many items as the one who read it has found.
std::optional<std::string> check_counts(const Scenario& scenario, const JobState& state) {
  for (BatchId id = 0; scenario.table && id < state.batches().size(); ++id) {
    const Batch& batch = state.batches()[id];
    const std::size_t found = items_of(paths_of(scenario, id, {})).size();
    if (batch.stage == BatchStage::kCommitted && batch.items != found) {
      return fmt::format("mini-batch {} has {} items and counts {}", id, found, batch.items);
    }
  }
  return std::nullopt;
}

std::optional<std::string> check_completed(const Surroundings& world,
                                           const FakeFileSystem& disk,
                                           const JobState& state) {
  const Scenario& scenario = world.scenario;
  if (!state.all_final()) return "completed, and not every mini-batch is final";
  if (state.batches().size() != scenario.batches()) return "completed with a wrong plan";
  for (const auto& [id, poison] : scenario.poison) {
    if (state.batches()[id].stage != BatchStage::kFailed) return "a poisoned mini-batch is done";
  }
  if (auto wrong = check_charges(world, state)) return wrong;
  if (auto wrong = check_pieces(scenario, state)) return wrong;
  if (auto wrong = check_counts(scenario, state)) return wrong;
  if (!scenario.limits.append_row) return std::nullopt;
  const std::optional<std::string> rows = disk.content(kTarget);
  if (!rows) return "completed, and there is no result";
  const std::string expected = expected_rows(scenario, state);
  if (*rows != expected) {
    const auto at = std::mismatch(rows->begin(), rows->end(), expected.begin(), expected.end());
    return fmt::format("the result has {} bytes for {}, and differs at {}",
                       rows->size(),
                       expected.size(),
                       at.first - rows->begin());
  }
  const auto kept = disk.durable();
  if (kept->content(kTarget) != expected) return "completed, and the result is not durable";
  const Result<ReplayedJob> job = replay_job(*kept, JobFolder(kJobFolder).state());
  if (!job || !job->state.finished()) return "completed, and the journal does not say so durably";
  return std::nullopt;
}

}  // namespace

std::string expected_rows(const Scenario& scenario, const JobState& state) {
  std::string out;
  const auto add = [&](BatchId id, BatchStage stage, const ItemRange& items) {
    if (stage != BatchStage::kFailed) out += returned_for(paths_of(scenario, id, items)).rows;
  };
  for (BatchId id = 0; id < scenario.batches(); ++id) {
    const Batch& batch = state.batches()[id];
    if (const Pieces* const pieces = state.pieces_of(id)) {
      for (const Piece& piece : pieces->all()) add(id, piece.stage, piece.items);
    } else {
      add(id, batch.stage, {});
    }
  }
  return out;
}

std::optional<std::string> difference(const JobState& a, const JobState& b) {
  const auto same_one = [](const auto& x, const auto& y) { return same(x, y); };
  if (!std::ranges::equal(a.batches(), b.batches(), same_one)) return "mini-batches";
  if (a.pieces() != b.pieces()) return "pieces";
  if (!std::ranges::equal(a.segments(), b.segments(), same_one)) return "segments";
  if (a.epoch() != b.epoch() || a.plan() != b.plan()) return "epochs";
  if (a.plan_bytes() != b.plan_bytes()) return "plan bytes";
  if (a.listing_ended() != b.listing_ended()) return "end of listing";
  if (a.job_time() != b.job_time() || a.process_next() != b.process_next()) return "times";
  if (a.stopped() != b.stopped() || a.publishing() != b.publishing()) return "stops";
  if (a.finished() != b.finished()) return "ends";
  return std::nullopt;
}

std::optional<std::string> check_replay(const Surroundings& world,
                                        FileSystem& fs,
                                        const JobState* live) {
  JobState state;
  const auto moment = world.clock.now().time_since_epoch() / std::chrono::milliseconds(1);
  Onlooker onlooker(moment % kCloselyEvery == 0);
  std::size_t at = 0;
  std::optional<std::string> wrong;
  const auto read = replay_journals(fs, JobFolder(kJobFolder).state(), [&](Fact fact) -> Status {
    RETURN_IF_ERROR(state.check(fact));
    state.apply(fact);
    onlooker.take(fact);
    if (std::holds_alternative<fact::EpochBegan>(fact)) at = 0;
    const auto decided = world.facts.find(state.epoch());
    if (decided == world.facts.end() || at >= decided->second.size() ||
        decided->second[at++] != fact) {
      wrong = "the journal holds a fact that its master did not decide there";
    }
    return {};
  });
  if (!read) return "the journal cannot be replayed: " + read.error().message;
  if (wrong) return wrong;
  state.check_invariants();
  if (auto unexplained = onlooker.check(state)) return unexplained;
  if (live == nullptr || live->epoch() != state.epoch()) return std::nullopt;
  if (at != world.facts.at(live->epoch()).size()) return std::nullopt;  // some are not written yet
  if (auto what = difference(*live, state)) return "replay gives other " + *what;
  return std::nullopt;
}

std::optional<std::string> check_publish(const FakeFileSystem& disk) {
  const auto kept = disk.durable();
  const Result<ReplayedJob> job = replay_job(*kept, JobFolder(kJobFolder).state());
  if (!job) return "publishing, and the journal cannot be replayed: " + job.error().message;
  if (job->state.publishing().empty()) return "publishing before the journal says so durably";
  if (!job->state.all_final()) return "publishing before every mini-batch is durably final";
  bool durable = true;
  for (BatchId id = 0; id < job->state.batches().size(); ++id) {
    job->state.each_committed(id, [&](const RowRange& range) {
      const std::string path =
          JobFolder(kJobFolder).row_segment(job->state.segments()[range.segment].file);
      const auto rows = kept->content(path);
      durable = durable && rows && rows->size() >= range.offset + range.length;
    });
  }
  if (!durable) return "publishing rows that are not durable";
  return std::nullopt;
}

std::optional<std::string> check_end(const Surroundings& world,
                                     const FakeFileSystem& disk,
                                     const JobState& state,
                                     bool disk_failed) {
  const fact::Finished& end = *state.finished();
  const std::optional<std::string> rows = disk.content(kTarget);
  std::size_t outputs = 0;
  for (const std::string& path : disk.files()) outputs += path.starts_with("/out/") ? 1 : 0;
  if (outputs > (rows ? 1 : 0)) return "something is left behind beside the result";
  switch (end.status) {
    case JobStatus::kCompleted:
      return check_completed(world, disk, state);
    case JobStatus::kFailed:
      if (rows && !world.scenario.replace && !disk_failed) return "failed, and there is a result";
      return check_cause(world.scenario, state, end.cause);
    case JobStatus::kRunning:
    case JobStatus::kCanceled:
      break;
  }
  return "the job ended in no way that it may";
}

}  // namespace windrow::sim
