// SPDX-License-Identifier: Apache-2.0
#include "onlooker.h"

#include <fmt/format.h>

#include "base/json.h"
#include "core/progress/all_failed.h"
#include "core/progress/explain.h"

namespace windrow::sim {
namespace {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

JobCircumstances circumstances(bool running) {
  return {.name = "job",
          .running = running,
          .next = {NextKind::kResume, "resume"},
          .results = {"/out/rows"},
          .failed_items = "/job/logs/failed_items.jsonl"};
}

}  // namespace

void Onlooker::take(const Fact& fact) {
  if (!closely_) return;
  accountant_.take(fact);
  const auto* const ended = std::get_if<fact::AttemptEnded>(&fact);
  if (ended == nullptr) return;
  attempts_[ended->record.token.batch].push_back(*ended);
  ended_ += is_attempt(ended->record) ? 1 : 0;
}

std::optional<std::string> Onlooker::check(const JobState& state) {
  for (const bool running : {false, true}) {
    const bool begun = state.epoch() > 0;
    if (begun && explain_job(outline_of(state), circumstances(running)).size() < 3) {
      return "a job has little to say";
    }
    if (auto wrong = check_batches(state, running)) return wrong;
  }
  if (all_failed_warning(state, 1) && state.counts().committed > 0) return "not all has failed";
  return closely_ ? check_account(state) : std::nullopt;
}

// Whatever state a job is in, every mini-batch can say so.
std::optional<std::string> Onlooker::check_batches(const JobState& state, bool running) const {
  const JobOutline outline = outline_of(state);
  for (BatchId id = 0; id < state.batches().size(); ++id) {
    const Batch& batch = state.batches()[id];
    BatchStory story = story_of(state, id);
    story.items.assign(batch.items, "/x");
    const auto found = attempts_.find(id);
    if (found != attempts_.end()) story.attempts = found->second;
    const auto sentences = explain_batch(outline, circumstances(running), story);
    const std::string& last = sentences.back();
    const bool right =
        batch.stage == BatchStage::kCommitted ? has(last, "It is committed")
        : batch.stage == BatchStage::kFailed  ? has(last, "It has failed")
        : batch.stage == BatchStage::kEnded
            ? has(last, "returned")
            : has(last, "not done") || has(last, "waits") || has(last, "tried again");
    if (!right) return fmt::format("mini-batch {} says: {}", id, last);
    if (sentences.size() <= story.attempts.size()) return "an attempt is not reported";
  }
  return std::nullopt;
}

std::optional<std::string> Onlooker::check_account(const JobState& state) {
  Account account = Accountant(accountant_).close(state.finished().has_value(), WallTime{});
  advise(account,
         {.timeout = 1, .mini_batch_size = 4, .cpus = 8},
         static_cast<BatchId>(state.batches().size()));
  if (account.attempts != ended_) return "the report counts other attempts";
  for (const double seconds :
       {account.useful, account.lost, account.init, account.start_up, account.idle}) {
    if (!(seconds >= 0)) return "the report has a time of less than nothing";
  }
  const Result<Json> json = parse_json(account_json(account, "job", "Running"));
  if (!json || json->find("attempts") == nullptr) return "the report is not JSON";
  const std::string page = account_page(account, "job");
  const bool drawn = has(page, "<svg");  // not when nothing took any time
  for (const WorkerLine& line : account.lines) {
    if (drawn && !has(page, fmt::format("process{:03}", line.process)))
      return "a worker is not on the page";
  }
  if (account_text(account, "job").empty()) return "the report is empty";
  return std::nullopt;
}

}  // namespace windrow::sim
