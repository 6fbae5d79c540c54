// SPDX-License-Identifier: Apache-2.0
//
// What people see of a job while it runs, in a storm of states: the numbers are counted again from
// the mini-batches, and the sentences are taken apart again.
#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "core/progress/all_failed.h"
#include "core/progress/metrics.h"
#include "core/progress/progress.h"
#include "random.h"
#include "storm.h"

namespace windrow::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::string with_commas(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string without_colour(std::string text) {
  for (const std::string code : {"\x1b[31m", "\x1b[0m"}) {
    const std::size_t at = text.find(code);
    if (at != std::string::npos) text.erase(at, code.size());
  }
  return text;
}

std::optional<double> number_before(const std::string& text, const std::string& unit) {
  const std::size_t end = text.find(unit);
  if (end == std::string::npos) return std::nullopt;
  const std::size_t start = text.rfind(' ', end - 1) + 1;
  std::string digits = text.substr(start, end - start);
  std::erase(digits, ',');
  return std::stod(digits);
}

class SentenceStorm {
 public:
  explicit SentenceStorm(std::uint64_t seed) : random_(seed) {}

  void run() {
    for (int i = 0; i < 30; ++i) {
      draw();
      judge_line();
      judge_overview();
      judge_bar();
    }
  }

 private:
  void draw() {
    progress_ = {};
    progress_.created = random_.between(0, random_.per_mille(500) ? 20 : 3'000'000);
    progress_.all_created = random_.per_mille(700);
    progress_.processed = random_.between(0, progress_.created);
    if (random_.per_mille(200)) progress_.processed = progress_.created;
    progress_.failed = random_.per_mille(400) ? random_.between(0, progress_.processed) : 0;
    progress_.workers = random_.between(0, 3);
    if (random_.per_mille(700)) {
      progress_.rate = random_.between(1, 1000) / (random_.per_mille(500) ? 1.0 : 100000.0);
    }
    progress_.merging = random_.per_mille(200);
    progress_.merged_bytes = random_.below(1U << 30U);
  }

  [[nodiscard]] bool runs() const {
    return progress_.rate > 0 && progress_.processed < progress_.created;
  }
  [[nodiscard]] std::uint64_t percent() const {
    return progress_.created == 0 ? 0 : 100ULL * progress_.processed / progress_.created;
  }

  // The words that both sentences end with.
  void judge_details(const std::string& text) {
    const bool left = runs() && progress_.all_created;
    EXPECT_EQ(text.find(" merged, ") != std::string::npos, progress_.merging) << text;
    EXPECT_EQ(text.find(" left, ") != std::string::npos, left) << text;
    EXPECT_EQ(text.find("/s, ") != std::string::npos, runs()) << text;
    EXPECT_TRUE(text.ends_with(
        progress_.workers == 1 ? ", 1 worker" : fmt::format(", {} workers", progress_.workers)))
        << text;
    const std::optional<double> rate = number_before(text, "/s, ");
    if (rate) {
      EXPECT_NEAR(*rate, progress_.rate, progress_.rate < 10 ? 0.0501 : 1.0) << text;
    }
    const double rest = (progress_.created - progress_.processed) / progress_.rate;
    const std::optional<double> shown = number_before(text, " s left, ");
    if (shown && rest < 59) {
      EXPECT_NEAR(*shown, rest + 0.5, 0.51) << text;
    }
  }

  void judge_line() {
    const std::string line = progress_line(progress_);
    std::string start = with_commas(progress_.processed) + " of " + with_commas(progress_.created);
    start +=
        progress_.all_created ? fmt::format(" mini-batches ({} %)", percent()) : "+ mini-batches";
    if (progress_.failed > 0) start += ", " + with_commas(progress_.failed) + " failed";
    EXPECT_TRUE(line.starts_with(start + ", ")) << line;
    judge_details(line);
  }

  void judge_overview() {
    const std::string text = overview_text(progress_);
    std::string start = fmt::format("created {}, processed {}, failed {}",
                                    with_commas(progress_.created),
                                    with_commas(progress_.processed),
                                    with_commas(progress_.failed));
    if (progress_.all_created) {
      start += ", remaining " + with_commas(progress_.created - progress_.processed);
    }
    EXPECT_TRUE(text.starts_with(start + ", ")) << text;
    judge_details(text);
  }

  // Never wider than asked, nothing cut in the middle, and the bar as long as the share done.
  void judge_bar() {
    const std::uint32_t width = random_.between(1, 120);
    const bool colour = random_.per_mille(500);
    const std::string coloured = progress_bar(progress_, width, colour);
    const std::string bar = without_colour(coloured);
    EXPECT_LE(bar.size(), width) << bar;
    const std::string start = fmt::format("{:>3} % ", percent());
    EXPECT_TRUE(bar.starts_with(start.substr(0, width))) << bar;
    const bool red = coloured != bar;
    EXPECT_EQ(red, colour && bar.find(" failed") != std::string::npos) << bar;
    const std::string counts = with_commas(progress_.processed) + "/" +
                               with_commas(progress_.created) + (progress_.all_created ? "" : "+");
    EXPECT_EQ(bar.find(counts) != std::string::npos, start.size() + counts.size() <= width) << bar;
    const std::string whole = progress_line(progress_);
    for (std::size_t at = bar.find(", "); at != std::string::npos; at = bar.find(", ", at + 2)) {
      const std::string detail = bar.substr(at, bar.find(", ", at + 2) - at);
      EXPECT_NE((whole + ", ").find(detail + ", "), std::string::npos) << bar << " of " << whole;
    }
    const auto full = static_cast<std::uint64_t>(std::ranges::count(bar, '#'));
    const std::size_t from = bar.find_first_of("#.", start.size());
    if (from != start.size()) return;  // no room for a bar
    const std::size_t cells = bar.find(' ', from) - from;
    EXPECT_GE(cells, 10U) << bar;
    EXPECT_LE(cells, 40U) << bar;
    EXPECT_EQ(full, percent() * cells / 100) << bar;
  }

  Random random_;
  Progress progress_;
};

// A scheduler that is given facts' worth of mini-batches, and meters that look at it.
class MeterStorm {
 public:
  explicit MeterStorm(std::uint64_t seed) : random_(seed), scheduler_({}, limits()) {
    Decision out;
    scheduler_.begin({.epoch = 1, .plan = 1}, now_, std::nullopt, out);
    remember(out);
    decide(event::AgentJoined{0, 2, 4, "x.seg"});
  }

  void run() {
    for (int i = 0; i < 120; ++i) {
      now_ += random_.between(Duration(0), seconds(1));
      happen();
      if (random_.per_mille(500)) judge();
    }
    judge();
    EXPECT_EQ(status_text(JobStatus::kRunning), "Running");
    EXPECT_EQ(status_text(JobStatus::kCompleted), "Completed");
    EXPECT_EQ(status_text(JobStatus::kFailed), "Failed");
    EXPECT_EQ(status_text(JobStatus::kCanceled), "Canceled");
  }

 private:
  static Limits limits() {
    Limits out;
    out.tries_max = 1;
    out.reserved_names = {{0, "rows.txt"}};
    return out;
  }

  void decide(const Event& event) {
    Decision out;
    scheduler_.decide(event, now_, {}, out);
    remember(out);
    for (const Action& action : out.actions) {
      const auto* assign = std::get_if<action::Assign>(&action);
      if (assign != nullptr) handed_out_.push_back(assign->token);
    }
  }

  // Another one who is told the facts knows the same.
  void remember(const Decision& decision) {
    for (const Fact& fact : decision.facts) {
      const Status possible = told_.check(fact);
      ASSERT_TRUE(possible) << possible.error().message;
      told_.apply(fact);
    }
  }

  // Files that scripts write: names of their own, and names that others have.
  std::vector<StagedFile> draw_files(BatchId batch) {
    std::vector<StagedFile> files;
    if (random_.per_mille(700)) return files;
    const std::vector<std::string> names = {
        "rows.txt", "shared", "shared/below", "a/b/c", "a/b", fmt::format("own/{}", batch)};
    files.push_back({random_.between(0, 1), names[random_.below(names.size())]});
    return files;
  }

  void happen() {
    const bool listed = scheduler_.state().listing_ended();
    if (!listed && random_.per_mille(100)) {
      return decide(event::Planned{{{random_.between(1, 9), random_.between(1, 3)}}, 9});
    }
    if (!listed && random_.per_mille(30)) return decide(event::ListingEnded{});
    if (random_.per_mille(200)) return decide(event::SegmentSynced{0, offset_});
    if (handed_out_.empty()) return;
    AttemptRecord record;
    record.token = handed_out_.back();
    handed_out_.pop_back();
    record.status =
        random_.per_mille(done_) ? AttemptStatus::kRunDone : AttemptStatus::kRunException;
    if (record.status == AttemptStatus::kRunException && random_.per_mille(900)) {
      record.error_type = random_.per_mille(600) ? "ValueError" : "OSError";
      record.error_message = "no";
    }
    record.returned = random_.between(0, 3);
    if (record.status == AttemptStatus::kRunDone) record.files = draw_files(record.token.batch);
    record.rows = {0, offset_, 10};
    offset_ += 10;
    decide(event::AttemptEnded{record});
  }

  void judge() {
    const JobState& state = scheduler_.state();
    std::uint64_t processed = 0;
    std::uint64_t failed = 0;
    std::uint64_t items = 0;
    std::uint64_t items_left = 0;
    std::uint64_t items_failed = 0;
    for (const Batch& batch : state.batches()) {
      const bool pending = batch.stage == BatchStage::kPending;
      processed += pending ? 0 : 1;
      failed += batch.stage == BatchStage::kFailed ? 1 : 0;
      items += batch.items;
      items_left += pending ? batch.items : 0;
      if (batch.stage == BatchStage::kFailed) items_failed += batch.items;
      if (!pending && batch.stage != BatchStage::kFailed)
        items_failed += batch.items - batch.succeeded;
    }
    EXPECT_EQ(told_.counts().items_failed, state.counts().items_failed);
    EXPECT_EQ(told_.counts().ended, state.counts().ended);
    const Progress progress = meter_.measure(scheduler_, now_, 77);
    EXPECT_EQ(progress.created, state.batches().size());
    EXPECT_EQ(progress.all_created, state.listing_ended());
    EXPECT_EQ(progress.processed, processed);
    EXPECT_EQ(progress.failed, failed);
    EXPECT_EQ(progress.items_failed, items_failed);
    EXPECT_EQ(progress.merged_bytes, 77U);
    judge_rate(progress);
    judge_warning(state);
    const Result<Json> json = parse_json(metrics_json(state, "p/"));
    ASSERT_TRUE(json);
    const auto metric = [&json](const char* name) {
      const Json* found = json->find(name);
      return found == nullptr ? -1 : *found->get<std::int64_t>();
    };
    const bool listed = state.listing_ended();
    EXPECT_EQ(metric("p/Total Mini Batches"), progress.created);
    EXPECT_EQ(metric("p/Processed Mini Batches"), progress.processed);
    EXPECT_EQ(metric("p/Remaining Mini Batches"),
              listed ? static_cast<std::int64_t>(progress.created - processed) : -1);
    EXPECT_EQ(metric("p/Failed Mini Batches"), progress.failed);
    EXPECT_EQ(metric("p/Total Items"), items);
    EXPECT_EQ(metric("p/Processed Items"), items - items_left);
    EXPECT_EQ(metric("p/Remaining Items"), listed ? static_cast<std::int64_t>(items_left) : -1);
    EXPECT_EQ(metric("p/Failed Items"), items_failed);
  }

  // Only when nothing else has happened, often enough, and somebody can still do something.
  void judge_warning(const JobState& state) {
    const std::uint32_t workers = random_.between(1, 8);
    const JobCounts& counts = state.counts();
    const bool due = counts.committed + counts.ended == 0 &&
                     counts.failed >= std::max(10U, 2 * workers) && !state.stopped() &&
                     !state.all_final();
    const std::optional<std::string> warning = all_failed_warning(state, workers);
    ASSERT_EQ(warning.has_value(), due);
    if (!due) return;
    EXPECT_TRUE(warning->starts_with("all of the first " + with_commas(counts.failed))) << *warning;
    const bool named = !state.errors().types.empty();
    EXPECT_EQ(warning->find("most often with") != std::string::npos, named) << *warning;
  }

  // A mean of the rates between two looks lies between the lowest and the highest of them.
  void judge_rate(const Progress& progress) {
    if (begun_ && now_ > last_) {
      const double passed = std::chrono::duration<double>(now_ - last_).count();
      const double rate =
          progress.processed > processed_ ? (progress.processed - processed_) / passed : 0;
      highest_ = std::max(highest_, rate);
      lowest_ = std::min(lowest_, rate);
      EXPECT_GE(progress.rate, lowest_ * 0.999999);
    }
    EXPECT_LE(progress.rate, highest_ * 1.000001);
    begun_ = begun_ || (looked_ && progress.processed > processed_);
    looked_ = true;
    last_ = now_;
    processed_ = progress.processed;
  }

  Random random_;
  std::uint32_t done_ = random_.per_mille(300) ? 0 : 800;  // of 1,000 attempts
  TimePoint now_ = TimePoint(seconds(1));
  Scheduler scheduler_;
  JobState told_;
  ProgressMeter meter_;
  std::vector<Token> handed_out_;
  std::uint64_t offset_ = 20;
  bool looked_ = false;
  bool begun_ = false;
  TimePoint last_;
  BatchId processed_ = 0;
  double lowest_ = 1e300;
  double highest_ = 0;
};

TEST(ProgressStorm, SentencesAndBarSayTheNumbers) { play_storms<SentenceStorm>(100); }

TEST(ProgressStorm, TheNumbersAreThoseOfTheMiniBatches) { play_storms<MeterStorm>(100); }

}  // namespace
}  // namespace windrow::sim
