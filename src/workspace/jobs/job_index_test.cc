// SPDX-License-Identifier: Apache-2.0
#include "workspace/jobs/job_index.h"

#include <random>

#include <gtest/gtest.h>

#include "core/progress/explain.h"
#include "journal/fact_codec.h"
#include "journal/plan_file.h"
#include "journal/record.h"
#include "os/fake_file_system.h"

namespace windrow {
namespace {

// A job whose facts are drawn: whatever can follow may.
class DrawnJob {
 public:
  DrawnJob(FakeFileSystem& fs, std::uint32_t seed) : fs_(fs), random_(seed) {
    EXPECT_TRUE(fs_.make_folders(folder_.state()));
    const BatchId batches = draw(1) == 0 ? draw(12) + 1 : draw(9000) + 1;
    write_plan(batches);
    const Epoch lives = draw(2) + 1;
    for (Epoch life = 1; life <= lives; ++life) {
      begin(life);
      if (life == 1) put(fact::Planned{{{batches, 4}}, plan_bytes_});
      if (life == 1) put(fact::ListingEnded{});
      put(fact::SegmentOpened{static_cast<SegmentId>(life - 1), 0, "0.1.seg"});
      for (std::uint32_t i = draw(3 * std::min(batches, 500U)); i > 0; --i) put(any(life, batches));
    }
    put(fact::Stopped{JobStatus::kFailed, "because", draw(1) == 1});
    put(fact::Finished{JobStatus::kFailed, "because", {draw(1000)}});
    flush();
  }

  [[nodiscard]] const JobState& state() const { return state_; }
  [[nodiscard]] const JobFolder& folder() const { return folder_; }
  [[nodiscard]] Accountant& accountant() { return accountant_; }
  [[nodiscard]] std::vector<fact::AttemptEnded> attempts(BatchId id) const {
    std::vector<fact::AttemptEnded> out;
    for (const auto& one : attempts_) {
      if (one.record.token.batch == id) out.push_back(one);
    }
    return out;
  }

  // One more life.
  void reopen() {
    begin(state_.epoch() + 1);
    put(fact::Reopened{});
    flush();
  }

 private:
  std::uint32_t draw(std::uint32_t max) {
    return std::uniform_int_distribution<std::uint32_t>(0, max)(random_);
  }

  void write_plan(BatchId batches) {
    std::string plan = plan_head_bytes({.roots = {"/in"}});
    for (BatchId id = 0; id < batches; ++id) {
      const std::string names("a\0b\0c\0d", 7);
      append_plan_batch({.id = id, .items = 4, .names = names}, kPlanVersion, plan);
    }
    plan_bytes_ = plan.size();
    EXPECT_TRUE((*fs_.create(folder_.plan(1)))->write_at(0, plan));
  }

  void begin(Epoch epoch) {
    flush();
    const JournalEnd end = epoch == 1 ? JournalEnd{} : replay_job(fs_, folder_.state())->end;
    file_ = *Journal::create(fs_, folder_.state(), end, size_);
    put(fact::EpochBegan{epoch, 1, {draw(100)}});
  }

  Fact any(Epoch epoch, BatchId batches) {
    const BatchId id = draw(batches - 1);
    if (draw(9) == 0) return fact::Halved{id, state_.next_items(id).value_or(ItemRange{})};
    if (draw(9) == 0) return fact::SegmentSynced{static_cast<SegmentId>(epoch - 1), synced_, {}};
    if (draw(29) == 0) return fact::LoadEnded{.process = draw(3), .elapsed_us = draw(100)};
    fact::AttemptEnded ended{.verdict = static_cast<Verdict>(draw(kVerdictMax))};
    AttemptRecord& record = ended.record;
    record.token = {epoch, id, state_.batches()[id].picked + 1};
    record.piece = state_.pieces_of(id) ? state_.next_items(id).value_or(ItemRange{}) : ItemRange{};
    record.process = draw(3);
    record.status = static_cast<AttemptStatus>(draw(kAttemptStatusMax));
    record.start = {draw(1000)};
    record.elapsed_us = draw(1000);
    record.memory_peak = draw(1000);
    if (ended.verdict == Verdict::kDone) {
      record.status = AttemptStatus::kRunDone;
      record.returned = ended.succeeded = draw(record.piece.count > 0 ? record.piece.count : 4);
      record.rows = {static_cast<SegmentId>(epoch - 1), synced_, 5};
      synced_ += 5;
    } else {
      record.error_type = draw(1) == 0 ? "ValueError" : "KeyError";
      record.error_message = "no good";
    }
    return ended;
  }

  void put(const Fact& fact) {
    if (!state_.check(fact)) return;
    state_.apply(fact);
    accountant_.take(fact);
    if (const auto* ended = std::get_if<fact::AttemptEnded>(&fact)) attempts_.push_back(*ended);
    append_record_with(bytes_, [&](std::string& out) { encode_fact(fact, out); });
  }

  void flush() {
    if (file_ != nullptr) {
      EXPECT_TRUE(file_->write_at(size_, bytes_));
    }
    size_ += bytes_.size();
    bytes_.clear();
  }

  FakeFileSystem& fs_;
  std::mt19937 random_;
  JobFolder folder_{"/job"};
  JobState state_;
  Accountant accountant_;
  std::vector<fact::AttemptEnded> attempts_;
  std::unique_ptr<File> file_;
  std::string bytes_;
  std::uint64_t size_ = 0;
  std::uint64_t plan_bytes_ = 0;
  std::uint64_t synced_ = 0;
};

// What explain says, by the index or by the state.
std::vector<std::string> story(JobIndex& index,
                               FakeFileSystem& fs,
                               const DrawnJob& job,
                               BatchId id) {
  const auto indexed = index.batch(id);
  EXPECT_TRUE(indexed) << indexed.error().message;
  if (!indexed) return {};
  BatchStory story{.id = id, .batch = indexed->batch, .pieces = indexed->pieces};
  story.items.assign(4, "/in/a");
  for (const JournalPlace& place : indexed->attempts) {
    const auto fact = read_fact(fs, job.folder().state(), place);
    EXPECT_TRUE(fact) << fact.error().message;
    if (fact) story.attempts.push_back(std::get<fact::AttemptEnded>(*fact));
  }
  return explain_batch(index.outline(), {.name = "job"}, story);
}

std::vector<std::string> story(const DrawnJob& job, BatchId id) {
  BatchStory story = story_of(job.state(), id);
  story.items.assign(4, "/in/a");
  story.attempts = job.attempts(id);
  return explain_batch(outline_of(job.state()), {.name = "job"}, story);
}

// C641
TEST(JobIndex, SaysOfAnyJobWhatItsFactsSay) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    FakeFileSystem fs;
    DrawnJob job(fs, seed);
    ASSERT_TRUE(job.state().finished());
    ASSERT_TRUE(write_job_index(fs, job.folder(), job.state()));
    Result<JobIndex> index = JobIndex::open(fs, job.folder());
    ASSERT_TRUE(index) << index.error().message;
    EXPECT_EQ(explain_job(index->outline(), {}), explain_job(outline_of(job.state()), {}));
    const Account account = job.accountant().close(true, {});
    EXPECT_EQ(account_json(index->account(), "job", "Failed"),
              account_json(account, "job", "Failed"));
    const auto batches = static_cast<BatchId>(job.state().batches().size());
    for (BatchId id = 0; id < batches; id += batches > 100 ? 97 : 1) {
      ASSERT_EQ(story(*index, fs, job, id), story(job, id)) << id;
    }
    EXPECT_EQ(story(*index, fs, job, batches - 1), story(job, batches - 1));
  }
}

// C642
TEST(JobIndex, OfAJobThatHasGoneOnThereIsNone) {
  FakeFileSystem fs;
  DrawnJob job(fs, 1);
  ASSERT_TRUE(write_job_index(fs, job.folder(), job.state()));
  ASSERT_TRUE(JobIndex::open(fs, job.folder()));
  job.reopen();
  EXPECT_FALSE(JobIndex::open(fs, job.folder()));
  EXPECT_FALSE(write_job_index(fs, job.folder(), job.state()));
}

// C642
TEST(JobIndex, OfAJournalThatHasGrownOrIsAnothersIsNotUsed) {
  FakeFileSystem fs;
  FakeFileSystem other;
  DrawnJob job(fs, 2);
  DrawnJob elsewhere(other, 3);
  ASSERT_TRUE(write_job_index(fs, job.folder(), job.state()));
  const std::string path = job.folder().index(job.state().epoch());
  const std::string foreign = elsewhere.folder().index(elsewhere.state().epoch());
  ASSERT_TRUE(write_job_index(other, elsewhere.folder(), elsewhere.state()));
  const std::string bytes = *other.content(foreign);
  const auto file = fs.open(path);
  ASSERT_TRUE(fs.remove(path));
  ASSERT_TRUE((*fs.create(path))->write_at(0, bytes));
  EXPECT_FALSE(JobIndex::open(fs, job.folder()));
}

// C642
TEST(JobIndex, AnyByteThatIsChangedIsNoticed) {
  FakeFileSystem fs;
  DrawnJob job(fs, 4);
  ASSERT_TRUE(write_job_index(fs, job.folder(), job.state()));
  const std::string path = job.folder().index(job.state().epoch());
  const std::string whole = *fs.content(path);
  for (std::size_t at = 0; at < whole.size(); at += 1 + whole.size() / 300) {
    SCOPED_TRACE(at);
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 4);
    ASSERT_TRUE(fs.remove(path));
    ASSERT_TRUE((*fs.create(path))->write_at(0, bytes));
    Result<JobIndex> index = JobIndex::open(fs, job.folder());
    bool noticed = !index;
    for (BatchId id = 0; !noticed && id < job.state().batches().size(); id += 4096) {
      noticed = !index->batch(id);
    }
    EXPECT_TRUE(noticed);
  }
}

}  // namespace
}  // namespace windrow
