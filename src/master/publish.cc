// SPDX-License-Identifier: Apache-2.0
#include "master/publish.h"

#include <algorithm>
#include <memory>

#include "base/crc32c.h"
#include "core/spec/job_paths.h"

namespace windrow {
namespace {

constexpr std::size_t kReadBytes = 1U << 20;

// A name that was given in this round.
struct Linked {
  std::string path;
  FileStat stat;
};

bool same_bytes(const fact::Publishing& a, const fact::Publishing& b) {
  return a.length == b.length && a.crc == b.crc;
}

// A crash between the link and its record leaves our own file behind.
Status check_existing(FileSystem& fs,
                      const fact::Publishing& to,
                      const std::vector<fact::Publishing>& before) {
  ASSIGN_OR_RETURN(const std::unique_ptr<File> file, fs.open(to.path));
  ASSIGN_OR_RETURN(const fact::Publishing there, measure_file(*file));
  const bool journaled = std::ranges::any_of(before, [&](const fact::Publishing& one) {
    return one.path == to.path && same_bytes(one, there);
  });
  if (journaled || same_bytes(to, there)) return {};
  return fail(ErrorCode::kConflict,
              "{} exists and is not the result of this job; remove it, then run the command again",
              to.path);
}

// Only what is still the file that was linked: its name may be somebody else's by now.
void take_back(FileSystem& fs, const std::vector<Linked>& linked) {
  for (const Linked& one : linked) {
    const Result<FileStat> now = fs.stat(one.path);
    if (!now || now->device != one.stat.device || now->inode != one.stat.inode) continue;
    static_cast<void>(fs.remove(one.path));
    static_cast<void>(fs.sync_folder(parent_folder(one.path)));
  }
}

Status sync_folders(FileSystem& fs, const std::vector<MergedFile>& files) {
  for (const MergedFile& one : files) RETURN_IF_ERROR(fs.sync_folder(parent_folder(one.to.path)));
  return {};
}

Status link_all(FileSystem& fs,
                const std::vector<const MergedFile*>& files,
                const std::vector<fact::Publishing>& before,
                std::vector<Linked>& linked) {
  for (const MergedFile* const one : files) {
    const Status made = fs.link(*one->file, one->to.path);
    if (made) {
      if (const Result<FileStat> stat = fs.stat(one->to.path)) {
        linked.push_back({one->to.path, *stat});
      }
    } else {
      if (made.error().code != ErrorCode::kConflict) return made;
      RETURN_IF_ERROR(check_existing(fs, one->to, before));
    }
  }
  return {};
}

}  // namespace

Status publish_together(FileSystem& fs,
                        const std::vector<MergedFile>& files,
                        const std::vector<fact::Publishing>& before,
                        const std::function<bool()>& superseded) {
  std::vector<const MergedFile*> missing;
  for (const MergedFile& one : files) {
    const Result<FileStat> there = fs.stat(one.to.path);
    if (there) {
      RETURN_IF_ERROR(check_existing(fs, one.to, before));
    } else {
      missing.push_back(&one);
    }
  }
  std::vector<Linked> linked;
  Status status = link_all(fs, missing, before, linked);
  if (status) status = sync_folders(fs, files);
  if (!status && !superseded()) take_back(fs, linked);
  return status;
}

Status replace_together(FileSystem& fs, const std::vector<MergedFile>& files) {
  const auto beside = [](const MergedFile& one) { return one.to.path + kNewSuffix; };
  Status status;
  for (const MergedFile& one : files) {
    static_cast<void>(fs.remove(beside(one)));  // of an earlier try
    status = fs.link(*one.file, beside(one));
    if (!status) break;
  }
  for (const MergedFile& one : files) {
    if (status) status = fs.rename(beside(one), one.to.path);
    if (!status) static_cast<void>(fs.remove(beside(one)));
  }
  if (!status) return status;
  return sync_folders(fs, files);
}

Result<fact::Publishing> measure_file(File& file) {
  fact::Publishing out;
  std::string buffer(kReadBytes, '\0');
  for (;;) {
    ASSIGN_OR_RETURN(const std::size_t got, file.read_at(out.length, buffer));
    out.crc = crc32c(std::string_view(buffer).substr(0, got), out.crc);
    out.length += got;
    if (got < buffer.size()) return out;
  }
}

}  // namespace windrow
