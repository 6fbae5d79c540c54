// SPDX-License-Identifier: Apache-2.0
#include "master/merger.h"

#include <algorithm>
#include <utility>

#include "base/crc32c.h"
#include "base/hash.h"
#include "base/plant.h"
#include "base/text.h"
#include "core/spec/job_paths.h"
#include "journal/journal.h"

namespace windrow {
namespace {

// Steps are worth their wake-up, and short enough that progress shows.
constexpr std::uint64_t kStepBytes = 8U << 20;
constexpr std::uint64_t kFollowBytes = 1U << 20;
constexpr std::size_t kWriteBytes = 1U << 20;

// One file in the making.
struct Target {
  std::string path;
  std::unique_ptr<File> file;
  std::string buffer;  // not yet written
  std::uint64_t length = 0;
  std::uint32_t crc = 0;
  std::string header;  // at the top of the file
  std::string note;    // about the first mini-batch that had another one

  // What is wrong with rows of a mini-batch that stand below these names of columns; may be empty.
  [[nodiscard]] std::string misplaced(std::string_view other, BatchId batch) const {
    if (other == header) return "";
    const auto shown = [](std::string_view line) {
      return in_quotes(line.substr(0, line.find('\n')));
    };
    return fmt::format(
        "mini-batch {} has the columns {}, and {} begins with {}: its rows do not fit below them; "
        "return the same columns in the same order",
        batch,
        shown(other),
        path,
        header.empty() ? "rows without a header" : shown(header));
  }

  [[nodiscard]] bool empty() const { return length == 0 && buffer.empty(); }

  Status flush() {
    RETURN_IF_ERROR(file->write_at(length, buffer));
    crc = crc32c(buffer, crc);
    length += buffer.size();
    buffer.clear();
    return {};
  }

  // The file is another one from now on.
  Status take(std::unique_ptr<File> other) {
    ASSIGN_OR_RETURN(const fact::Publishing whole, measure_file(*other));
    file = std::move(other);
    length = whole.length;
    crc = whole.crc;
    return file->sync();
  }
};

}  // namespace

struct Merger::Outputs {
  FileSystem& fs;
  JobFolder folder;
  RowForm form;
  Epoch epoch;
  std::vector<Target> targets;
  std::map<SegmentId, SegmentReader> readers;
  std::vector<std::string> segments;

  std::vector<Rows> step_rows;
  bool last = false;
  Status status;
  bool unfit = false;  // no result can ever be made of the rows

  Outputs(
      FileSystem& file_system, JobFolder job, std::vector<std::string> to, RowForm rows, Epoch of)
      : fs(file_system), folder(std::move(job)), form(std::move(rows)), epoch(of) {
    for (std::string& path : to) targets.push_back({.path = std::move(path)});
  }

  [[nodiscard]] std::uint64_t length() const {
    std::uint64_t sum = 0;
    for (const Target& target : targets) sum += target.length;
    return sum;
  }

  Status step();
  HiddenName hidden_name(const std::string& path);
  Status finish(Target& target);
  Status copy(const Rows& rows);
  Status add(const ChunkView& view, const Rows& rows);
  Status compare_header(Target& target, std::string_view header, BatchId batch);
  [[nodiscard]] std::vector<MergedFile> merged() const;
};

Status Merger::Outputs::step() {
  for (Target& target : targets) {
    if (target.file) continue;
    ASSIGN_OR_RETURN(target.file,
                     fs.create_unnamed(parent_folder(target.path), hidden_name(target.path)));
  }
  if (last && planted(Fault::kMergeSkipsOne) && step_rows.size() > 1) step_rows.pop_back();
  for (const Rows& one : step_rows) RETURN_IF_ERROR(copy(one));
  for (Target& target : targets) {
    RETURN_IF_ERROR(target.flush());
    if (last) RETURN_IF_ERROR(finish(target));
  }
  return {};
}

Status Merger::Outputs::finish(Target& target) {
  if (!form.shape) return target.file->sync();
  const HiddenName hidden = hidden_name(target.path + " in its shape");
  ASSIGN_OR_RETURN(std::unique_ptr<File> shaped,
                   fs.create_unnamed(parent_folder(target.path), hidden));
  Status made = form.shape(*target.file, *shaped);
  unfit = !made && made.error().code == ErrorCode::kInvalid;
  RETURN_IF_ERROR(made);
  return target.take(std::move(shaped));
}

// Two jobs may share an output folder, even from different machines: path, inode and time of the
// identity tell them apart. So may two outputs of one job.
HiddenName Merger::Outputs::hidden_name(const std::string& path) {
  constexpr std::size_t kDigits = 16;
  const FileStat stat = fs.stat(folder.identity()).value_or(FileStat{});
  const std::string job =
      fmt::format("{} {} {} {}", folder.root(), stat.inode, stat.changed.nanoseconds, path);
  return {sha256(job).substr(0, kDigits), epoch};
}

Status Merger::Outputs::copy(const Rows& rows) {
  auto reader = readers.find(rows.at.segment);
  if (reader == readers.end()) {
    ASSIGN_OR_RETURN(SegmentReader opened,
                     SegmentReader::open(fs, folder.row_segment(segments[rows.at.segment])));
    reader = readers.emplace(rows.at.segment, std::move(opened)).first;
  }
  const std::uint64_t end = rows.at.offset + rows.at.length;
  for (std::uint64_t at = rows.at.offset; at < end;) {
    ASSIGN_OR_RETURN(const ChunkView view, reader->second.read(at, end));
    RETURN_IF_ERROR(add(view, rows));
    at = view.next;
  }
  return {};
}

// Every attempt brings its header; a file has the first one, at its top.
Status Merger::Outputs::add(const ChunkView& view, const Rows& rows) {
  if (view.chunk.token.batch != rows.batch || view.chunk.output >= targets.size()) {
    return fail(ErrorCode::kInternal,
                "segment {} holds output {} of mini-batch {} where mini-batch {} should be",
                segments[rows.at.segment],
                view.chunk.output,
                view.chunk.token.batch,
                rows.batch);
  }
  Target& target = targets[view.chunk.output];
  if (view.chunk.kind == ChunkKind::kHeader) {
    if (!target.empty()) return compare_header(target, view.rows, rows.batch);
    target.header = view.rows;
  }
  target.buffer.append(view.rows);
  return target.buffer.size() >= kWriteBytes ? target.flush() : Status();
}

Status Merger::Outputs::compare_header(Target& target, std::string_view header, BatchId batch) {
  const std::string said = target.misplaced(header, batch);
  if (said.empty()) return {};
  if (form.one_header) {
    unfit = true;
    return fail(ErrorCode::kInvalid,
                "{}, or choose a format that goes by their names, jsonl or parquet; `windrow job "
                "merge` puts the rows together as they are",
                said);
  }
  if (target.note.empty()) target.note = said;
  return {};
}

std::vector<MergedFile> Merger::Outputs::merged() const {
  std::vector<MergedFile> files;
  for (const Target& target : targets) {
    files.push_back({target.file.get(), {target.path, target.length, target.crc}});
  }
  return files;
}

Merger::Merger(Loop& loop,
               FileSystem& fs,
               JobFolder folder,
               std::vector<std::string> targets,
               RowForm form,
               Epoch epoch,
               Callbacks callbacks)
    : loop_(loop),
      outputs_(std::make_shared<Outputs>(
          fs, std::move(folder), std::move(targets), std::move(form), epoch)),
      callbacks_(std::move(callbacks)),
      self_(std::make_shared<Merger*>(this)) {}

Merger::~Merger() { *self_ = nullptr; }

void Merger::collect(const JobState& state, bool all) {
  const std::vector<Batch>& batches = state.batches();
  for (; next_ < batches.size(); ++next_) {
    const Batch& batch = batches[next_];
    const bool final = batch.stage == BatchStage::kCommitted ||
                       batch.stage == BatchStage::kFailed ||
                       (batch.stage == BatchStage::kEnded && planted(Fault::kPublishBeforeCommit));
    if (!final && !all) break;
    state.each_committed(next_, [this](const RowRange& rows) {
      rows_.push_back({next_, rows});
      collected_ += rows.length;
    });
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
  Outputs& outputs = *outputs_;
  std::size_t count = 0;
  std::uint64_t bytes = 0;
  while (count < rows_.size() && bytes < kStepBytes) bytes += rows_[count++].at.length;
  outputs.step_rows.assign(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(count));
  rows_.erase(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(count));
  collected_ -= bytes;
  outputs.segments = segments_;
  outputs.last = completing_ && rows_.empty();
  loop_.blocking([shared = outputs_] { shared->status = shared->step(); },
                 [self = self_] {
                   if (*self != nullptr) (*self)->step_done();
                 });
}

void Merger::step_done() {
  busy_ = false;
  Outputs& outputs = *outputs_;
  if (!outputs.status) {
    failed_ = true;
    callbacks_.on_error({outputs.unfit ? ErrorCode::kInvalid : ErrorCode::kUnavailable,
                         "the rows cannot be merged: " + outputs.status.error().message});
    return;
  }
  if (outputs.last) {
    std::vector<fact::Publishing> results;
    for (const Target& target : outputs.targets) {
      results.push_back({target.path, target.length, target.crc});
      if (!target.note.empty() && callbacks_.on_note) callbacks_.on_note(target.note);
    }
    callbacks_.on_merged(std::move(results));
    return;
  }
  const auto self = self_;
  callbacks_.on_progress(outputs.length());
  if (*self == nullptr) return;
  if (completing_ || collected_ >= kFollowBytes) next_step();
}

void Merger::publish(std::vector<fact::Publishing> before, std::function<void(Status)> done) {
  give_names(
      [before = std::move(before), state = outputs_->folder.state(), epoch = outputs_->epoch](
          FileSystem& fs, const std::vector<MergedFile>& files) {
        return publish_together(fs, files, before, [&fs, &state, epoch] {
          const Result<Epoch> newest = newest_epoch(fs, state);
          return newest && *newest > epoch;
        });
      },
      std::move(done));
}

void Merger::replace(std::function<void(Status)> done) {
  give_names(replace_together, std::move(done));
}

void Merger::give_names(GiveNames give, std::function<void(Status)> done) {
  loop_.blocking([shared = outputs_,
                  give = std::move(give)] { shared->status = give(shared->fs, shared->merged()); },
                 [self = self_, shared = outputs_, then = std::move(done)] {
                   if (*self != nullptr) then(shared->status);
                 });
}

}  // namespace windrow
