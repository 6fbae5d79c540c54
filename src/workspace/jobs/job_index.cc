// SPDX-License-Identifier: Apache-2.0
#include "workspace/jobs/job_index.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "base/bytes.h"
#include "base/crc32c.h"
#include "journal/plan_file.h"
#include "journal/record.h"
#include "workspace/jobs/index_codec.h"

namespace windrow {
namespace {

constexpr std::string_view kMagic = "WRI1";
constexpr std::uint32_t kVersion = 4;
constexpr std::size_t kTailBytes = 4096;

// Which journal an index is of. Its end names the moment at which the job was over.
Result<JournalTie> tie_of(FileSystem& fs, const JobFolder& folder, Epoch epoch) {
  ASSIGN_OR_RETURN(const std::unique_ptr<File> file, fs.open(folder.journal(epoch)));
  JournalTie tie{.epoch = epoch};
  ASSIGN_OR_RETURN(tie.length, file->size());
  std::string tail(std::min<std::uint64_t>(kTailBytes, tie.length), '\0');
  ASSIGN_OR_RETURN(const std::size_t got, file->read_at(tie.length - tail.size(), tail));
  tail.resize(got);
  tie.tail_crc = crc32c(tail);
  return tie;
}

struct PlacedAttempt {
  BatchId batch = 0;
  JournalPlace place;
};

// The attempts of every mini-batch, in the order of their ends.
class AttemptPlaces {
 public:
  AttemptPlaces() = default;
  AttemptPlaces(const std::vector<PlacedAttempt>& attempts, std::size_t batches)
      : ends_(batches + 1), places_(attempts.size()) {
    for (const PlacedAttempt& one : attempts) ++ends_[one.batch + 1];
    std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
    for (const PlacedAttempt& one : attempts) places_[ends_[one.batch]++] = one.place;
  }

  [[nodiscard]] std::span<const JournalPlace> of(BatchId id) const {
    const std::size_t begin = id == 0 ? 0 : ends_[id - 1];
    return std::span(places_).subspan(begin, ends_[id] - begin);
  }

 private:
  std::vector<std::size_t> ends_;  // where in `places_` those of each end
  std::vector<JournalPlace> places_;
};

// What an index is made of beside the state of the job.
struct Gathered {
  Account account;
  JournalEnd end;
  AttemptPlaces attempts;
  std::optional<PlanReader> plan;
};

Result<Gathered> gather(FileSystem& fs, const JobFolder& folder, const JobState& state) {
  Gathered all;
  Accountant accountant;
  std::vector<PlacedAttempt> attempts;
  const auto each = [&](const Fact& fact, const JournalPlace& place) -> Status {
    accountant.take(fact);
    const auto* const ended = std::get_if<fact::AttemptEnded>(&fact);
    if (ended == nullptr) return {};
    if (ended->record.token.batch >= state.batches().size()) {
      return fail(ErrorCode::kInternal, "an attempt of a mini-batch that is not there");
    }
    attempts.push_back({ended->record.token.batch, place});
    return {};
  };
  ASSIGN_OR_RETURN(all.end, replay_with_places(fs, folder.state(), each));
  all.account = accountant.close(true, {});
  all.attempts = AttemptPlaces(attempts, state.batches().size());
  ASSIGN_OR_RETURN(all.plan, PlanReader::open(fs, folder.plan(state.plan())));
  RETURN_IF_ERROR(all.plan->index(state.plan_bytes()));
  if (all.plan->size() != state.batches().size()) {
    return fail(ErrorCode::kInternal, "plan {} has other mini-batches", all.plan->path());
  }
  return all;
}

// `block` is used again and again: its lists need no new memory.
void fill_block(const Gathered& all,
                const JobState& state,
                BatchId first,
                std::vector<IndexedBatch>& block) {
  block.resize(std::min<std::size_t>(kIndexBlock, state.batches().size() - first));
  for (BatchId id = first; IndexedBatch & one : block) {
    one.batch = state.batches()[id];
    one.plan_offset = all.plan->offset(id);
    const std::span<const JournalPlace> attempts = all.attempts.of(id);
    one.attempts.assign(attempts.begin(), attempts.end());
    const Pieces* const pieces = state.pieces_of(id);
    one.pieces = pieces == nullptr ? std::vector<Piece>() : pieces->all();
    ++id;
  }
}

// Under its name it is whole. Not synced: what a power cut tears is noticed by its checksums.
Status put(FileSystem& fs, const std::string& path, std::string_view bytes) {
  const std::string beside = path + ".new";
  static_cast<void>(fs.remove(beside));
  ASSIGN_OR_RETURN(const std::unique_ptr<File> file, fs.create(beside));
  RETURN_IF_ERROR(file->write_at(0, bytes));
  return fs.rename(beside, path);
}

}  // namespace

Result<JobIndex> JobIndex::open(FileSystem& fs, const JobFolder& folder) {
  ASSIGN_OR_RETURN(const Epoch epoch, newest_epoch(fs, folder.state()));
  JobIndex index;
  ASSIGN_OR_RETURN(index.file_, fs.open(folder.index(epoch)));
  ASSIGN_OR_RETURN(RecordReader reader, RecordReader::open(*index.file_, kMagic, kVersion));
  ASSIGN_OR_RETURN(const auto payload, reader.next());
  if (!payload) return fail(ErrorCode::kInternal, "the index has no whole summary");
  ASSIGN_OR_RETURN(IndexSummary summary, decode_index_summary(*payload));
  ASSIGN_OR_RETURN(const JournalTie tie, tie_of(fs, folder, epoch));
  if (summary.tie != tie) return fail(ErrorCode::kConflict, "the index is of another journal");
  std::uint64_t position = reader.position();
  for (const std::uint64_t length : summary.block_lengths) {
    index.blocks_.push_back(position);
    position += length;
  }
  index.outline_ = std::move(summary.outline);
  index.account_ = std::move(summary.account);
  return index;
}

Result<IndexedBatch> JobIndex::batch(BatchId id) {
  ASSIGN_OR_RETURN(RecordReader reader, RecordReader::open(*file_, kMagic, kVersion));
  reader.seek(blocks_[id / kIndexBlock]);
  ASSIGN_OR_RETURN(const auto payload, reader.next());
  if (!payload) return fail(ErrorCode::kInternal, "the index is damaged");
  const BatchId first = id / kIndexBlock * kIndexBlock;
  const std::size_t count = std::min<std::size_t>(kIndexBlock, outline_.batches - first);
  ASSIGN_OR_RETURN(std::vector<IndexedBatch> block, decode_index_block(*payload, count));
  return std::move(block[id - first]);
}

Result<JobOutline> read_outline(FileSystem& fs, const JobFolder& folder) {
  if (const Result<JobIndex> index = JobIndex::open(fs, folder)) return index->outline();
  ASSIGN_OR_RETURN(const ReplayedJob replayed, replay_job(fs, folder.state()));
  return outline_of(replayed.state);
}

Status write_job_index(FileSystem& fs, const JobFolder& folder, const JobState& state) {
  if (!state.finished()) return fail(ErrorCode::kConflict, "the job is not over");
  ASSIGN_OR_RETURN(Gathered all, gather(fs, folder, state));
  const Epoch epoch = all.end.epoch;
  IndexSummary summary{.outline = outline_of(state), .account = std::move(all.account)};
  ASSIGN_OR_RETURN(summary.tie, tie_of(fs, folder, epoch));
  if (epoch != state.epoch() || epoch != all.end.highest || summary.tie.length != all.end.length) {
    return fail(ErrorCode::kConflict, "the journal is longer than the index says");
  }
  std::string blocks;
  std::vector<IndexedBatch> block;
  for (BatchId first = 0; first < summary.outline.batches; first += kIndexBlock) {
    const std::size_t start = blocks.size();
    fill_block(all, state, first, block);
    append_record_with(blocks, [&](std::string& out) { encode_index_block(block, out); });
    summary.block_lengths.push_back(blocks.size() - start);
  }
  std::string bytes = file_magic(kMagic, kVersion);
  append_record_with(bytes, [&](std::string& out) { encode_index_summary(summary, out); });
  bytes += blocks;
  RETURN_IF_ERROR(put(fs, folder.index(epoch), bytes));
  for (Epoch before = 1; before < epoch; ++before) {
    static_cast<void>(fs.remove(folder.index(before)));
  }
  return {};
}

}  // namespace windrow
