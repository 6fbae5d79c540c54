// SPDX-License-Identifier: Apache-2.0
#include "master/merger.h"

#include <algorithm>
#include <utility>

#include "base/crc32c.h"
#include "base/hash.h"
#include "base/plant.h"
#include "core/spec/job_paths.h"

namespace windrow {
namespace {

// Steps are worth their wake-up, and short enough that progress shows.
constexpr std::uint64_t kStepBytes = 8U << 20;
constexpr std::uint64_t kFollowBytes = 1U << 20;
constexpr std::size_t kWriteBytes = 1U << 20;

}  // namespace

struct Merger::Output {
  FileSystem& fs;
  JobFolder folder;
  std::string target;
  Epoch epoch;
  std::unique_ptr<File> file;
  std::map<SegmentId, SegmentReader> readers;
  std::vector<std::string> segments;
  std::uint64_t length = 0;
  std::uint32_t crc = 0;

  std::vector<Piece> pieces;  // of this step
  bool last = false;
  Status status;

  Output(FileSystem& file_system, JobFolder job, std::string to, Epoch of)
      : fs(file_system), folder(std::move(job)), target(std::move(to)), epoch(of) {}

  Status step();
  HiddenName hidden_name();
  Status copy(const Piece& piece, std::string& buffer);
  Status flush(std::string& buffer);
  Status take_existing_as_ours();
  Status publish();
  Status replace();
};

Status Merger::Output::step() {
  if (!file) {
    ASSIGN_OR_RETURN(file, fs.create_unnamed(parent_folder(target), hidden_name()));
  }
  std::string buffer;
  if (last && planted(Fault::kMergeSkipsOne) && pieces.size() > 1) pieces.pop_back();
  for (const Piece& piece : pieces) RETURN_IF_ERROR(copy(piece, buffer));
  RETURN_IF_ERROR(flush(buffer));
  return last ? file->sync() : Status();
}

// Two jobs may share an output folder, even from different machines: path, inode and time of the
// identity tell them apart.
HiddenName Merger::Output::hidden_name() {
  constexpr std::size_t kDigits = 16;
  const FileStat stat = fs.stat(folder.identity()).value_or(FileStat{});
  const std::string job =
      fmt::format("{} {} {}", folder.root(), stat.inode, stat.changed.nanoseconds);
  return {sha256(job).substr(0, kDigits), epoch};
}

Status Merger::Output::copy(const Piece& piece, std::string& buffer) {
  auto reader = readers.find(piece.segment);
  if (reader == readers.end()) {
    ASSIGN_OR_RETURN(SegmentReader opened,
                     SegmentReader::open(fs, folder.row_segment(segments[piece.segment])));
    reader = readers.emplace(piece.segment, std::move(opened)).first;
  }
  ASSIGN_OR_RETURN(const ChunkView view, reader->second.read(piece.offset, piece.length));
  if (view.chunk.token.batch != piece.batch) {
    return fail(ErrorCode::kInternal,
                "segment {} holds mini-batch {} where {} should be",
                segments[piece.segment],
                view.chunk.token.batch,
                piece.batch);
  }
  buffer.append(view.rows);
  return buffer.size() >= kWriteBytes ? flush(buffer) : Status();
}

Status Merger::Output::flush(std::string& buffer) {
  RETURN_IF_ERROR(file->write_at(length, buffer));
  crc = crc32c(buffer, crc);
  length += buffer.size();
  buffer.clear();
  return {};
}

Status Merger::Output::publish() {
  const Status linked = fs.link(*file, target);
  if (!linked) {
    if (linked.error().code != ErrorCode::kConflict) return linked;
    RETURN_IF_ERROR(take_existing_as_ours());
  }
  return fs.sync_folder(parent_folder(target));
}

// A crash between the link and its record leaves our own file behind.
Status Merger::Output::take_existing_as_ours() {
  ASSIGN_OR_RETURN(const fact::Publishing there, measure_file(fs, target));
  if (there.length == length && there.crc == crc) return {};
  return fail(
      ErrorCode::kConflict,
      "{} exists and is not the result of this job; remove it, then run `windrow job resume`",
      target);
}

Status Merger::Output::replace() {
  const std::string beside = target + ".windrow-new";
  static_cast<void>(fs.remove(beside));  // of an earlier try
  RETURN_IF_ERROR(fs.link(*file, beside));
  RETURN_IF_ERROR(fs.rename(beside, target));
  return fs.sync_folder(parent_folder(target));
}

Merger::Merger(Loop& loop,
               FileSystem& fs,
               JobFolder folder,
               std::string target,
               Epoch epoch,
               Callbacks callbacks)
    : loop_(loop),
      output_(std::make_shared<Output>(fs, std::move(folder), std::move(target), epoch)),
      callbacks_(std::move(callbacks)),
      self_(std::make_shared<Merger*>(this)) {}

Merger::~Merger() { *self_ = nullptr; }

void Merger::collect(const JobState& state, bool all) {
  const std::vector<Batch>& batches = state.batches();
  for (; next_ < batches.size(); ++next_) {
    const Batch& batch = batches[next_];
    const bool rows = batch.stage == BatchStage::kCommitted ||
                      (batch.stage == BatchStage::kEnded && planted(Fault::kPublishBeforeCommit));
    if (!rows && batch.stage != BatchStage::kFailed && !all) break;
    if (!rows || batch.length == 0) continue;
    pieces_.push_back({next_, batch.segment, batch.offset, batch.length});
    collected_ += batch.length;
  }
  for (std::size_t id = segments_.size(); id < state.segments().size(); ++id) {
    segments_.push_back(state.segments()[id].file);
  }
}

void Merger::follow(const JobState& state) {
  if (failed_ || completing_) return;
  collect(state, false);
  if (!busy_ && collected_ >= kFollowBytes) next_step();
}

void Merger::complete(const JobState& state) {
  if (failed_ || completing_) return;
  completing_ = true;
  collect(state, true);
  if (!busy_) next_step();
}

void Merger::next_step() {
  busy_ = true;
  Output& output = *output_;
  std::size_t count = 0;
  std::uint64_t bytes = 0;
  while (count < pieces_.size() && bytes < kStepBytes) bytes += pieces_[count++].length;
  output.pieces.assign(pieces_.begin(), pieces_.begin() + static_cast<std::ptrdiff_t>(count));
  pieces_.erase(pieces_.begin(), pieces_.begin() + static_cast<std::ptrdiff_t>(count));
  collected_ -= bytes;
  output.segments = segments_;
  output.last = completing_ && pieces_.empty();
  loop_.blocking([shared = output_] { shared->status = shared->step(); },
                 [self = self_] {
                   if (*self != nullptr) (*self)->step_done();
                 });
}

void Merger::step_done() {
  busy_ = false;
  Output& output = *output_;
  if (!output.status) {
    failed_ = true;
    callbacks_.on_error("the rows cannot be merged: " + output.status.error().message);
    return;
  }
  if (output.last) {
    callbacks_.on_merged(fact::Publishing{output.target, output.length, output.crc});
    return;
  }
  const auto self = self_;
  callbacks_.on_progress(output.length);
  if (*self == nullptr) return;
  if (completing_ || collected_ >= kFollowBytes) next_step();
}

void Merger::publish(std::function<void(Status)> done) {
  loop_.blocking([shared = output_] { shared->status = shared->publish(); },
                 [self = self_, shared = output_, then = std::move(done)] {
                   if (*self != nullptr) then(shared->status);
                 });
}

void Merger::replace(std::function<void(Status)> done) {
  loop_.blocking([shared = output_] { shared->status = shared->replace(); },
                 [self = self_, shared = output_, then = std::move(done)] {
                   if (*self != nullptr) then(shared->status);
                 });
}

Result<fact::Publishing> measure_file(FileSystem& fs, const std::string& path) {
  ASSIGN_OR_RETURN(const std::unique_ptr<File> file, fs.open(path));
  fact::Publishing out{.path = path};
  std::string buffer(kWriteBytes, '\0');
  for (;;) {
    ASSIGN_OR_RETURN(const std::size_t got, file->read_at(out.length, buffer));
    out.crc = crc32c(std::string_view(buffer).substr(0, got), out.crc);
    out.length += got;
    if (got < buffer.size()) return out;
  }
}

}  // namespace windrow
