// SPDX-License-Identifier: Apache-2.0
#include "journal/staged_files.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "base/hash.h"
#include "base/text.h"

namespace windrow {
namespace {

constexpr std::size_t kCopyBytes = 1U << 20;

// In the order of their names, which the disk has not.
Result<std::vector<FolderEntry>> sorted_list(FileSystem& fs, const std::string& folder) {
  ASSIGN_OR_RETURN(std::vector<FolderEntry> entries, fs.list(folder));
  std::ranges::sort(entries, {}, &FolderEntry::name);
  return entries;
}

// Walks one output of one attempt.
class Keeper {
 public:
  Keeper(FileSystem& fs, const StagedOutput& output, std::uint32_t number, StagedAttempt& out)
      : fs_(fs), output_(output), number_(number), out_(out) {}

  // `below`: from the output's folder to here; empty, or with a slash at its end.
  Status keep_folder(const std::string& folder, const std::string& below) {
    const auto entries = sorted_list(fs_, folder);
    if (!entries) return refuse(entries.error().message);
    for (const FolderEntry& entry : *entries) {
      const std::string path = folder + "/" + entry.name;
      const std::string name = below + entry.name;
      if (entry.kind == FileKind::kOther) {
        return refuse(path_in_quotes(name) +
                      " is neither a file nor a folder: an output with "
                      "staged_outputs holds nothing else");
      }
      RETURN_IF_ERROR(entry.kind == FileKind::kFolder ? keep_folder(path, name + "/")
                                                      : keep_file(path, name));
      if (!out_.refused.empty()) return {};
    }
    return fs_.sync_folder(folder);
  }

 private:
  Status keep_file(const std::string& path, const std::string& name) {
    const auto file = fs_.open(path);
    if (!file) return refuse(file.error().message);
    ASSIGN_OR_RETURN(const std::uint64_t size, (*file)->size());
    RETURN_IF_ERROR((*file)->sync());
    const bool exists = fs_.stat(output_.folder + "/" + name).has_value();
    out_.files.push_back({number_, name, size, exists});
    return {};
  }

  Status refuse(std::string why) {
    out_.refused = std::move(why);
    return {};
  }

  FileSystem& fs_;
  const StagedOutput& output_;
  std::uint32_t number_;
  StagedAttempt& out_;
};

bool same_content(FileSystem& fs, const std::string& one, const std::string& other) {
  const Result<FileStat> a = fs.stat(one);
  const Result<FileStat> b = fs.stat(other);
  if (!a || !b || b->kind != FileKind::kFile) return false;
  if (a->device == b->device && a->inode == b->inode) return true;
  if (a->size != b->size) return false;
  const auto left = fs.open(one);
  const auto right = fs.open(other);
  if (!left || !right) return false;
  std::string bytes(kCopyBytes, '\0');
  std::string others(kCopyBytes, '\0');
  for (std::uint64_t at = 0; at < a->size; at += kCopyBytes) {
    const auto got = (*left)->read_at(at, bytes);
    const auto theirs = (*right)->read_at(at, others);
    if (!got || !theirs || *got != *theirs || bytes.compare(0, *got, others, 0, *got) != 0) {
      return false;
    }
  }
  return true;
}

// Complete before it has the name.
Status copy_file(FileSystem& fs, const std::string& from, const std::string& to) {
  constexpr std::size_t kDigits = 16;
  ASSIGN_OR_RETURN(const std::unique_ptr<File> source, fs.open(from));
  ASSIGN_OR_RETURN(const std::unique_ptr<File> copy,
                   fs.create_unnamed(parent_folder(to), {sha256(from).substr(0, kDigits), 0}));
  std::string bytes(kCopyBytes, '\0');
  for (std::uint64_t at = 0;; at += kCopyBytes) {
    ASSIGN_OR_RETURN(const std::size_t got, source->read_at(at, bytes));
    RETURN_IF_ERROR(copy->write_at(at, std::string_view(bytes).substr(0, got)));
    if (got < kCopyBytes) break;
  }
  RETURN_IF_ERROR(copy->sync());
  return fs.link(*copy, to);
}

// Another disk, or one without hard links, gets a copy.
Status link_or_copy(FileSystem& fs, const std::string& from, const std::string& to) {
  Status linked = fs.hard_link(from, to);
  if (linked || linked.error().code == ErrorCode::kConflict) return linked;
  return copy_file(fs, from, to);
}

Status place_folder(FileSystem& fs,
                    const std::string& from,
                    const std::string& to,
                    bool replace,
                    std::set<std::string>& changed) {
  ASSIGN_OR_RETURN(const std::vector<FolderEntry> entries, sorted_list(fs, from));
  for (const FolderEntry& entry : entries) {
    const std::string source = from + "/" + entry.name;
    const std::string target = to + "/" + entry.name;
    if (entry.kind == FileKind::kFolder) {
      RETURN_IF_ERROR(place_folder(fs, source, target, replace, changed));
    } else {
      RETURN_IF_ERROR(put_file(fs, source, target, replace));
      changed.insert(to);
    }
  }
  return {};
}

}  // namespace

Result<StagedAttempt> keep_staged(FileSystem& fs,
                                  const std::string& aside,
                                  const std::vector<StagedOutput>& outputs) {
  StagedAttempt out;
  if (!fs.stat(aside)) return out;
  for (std::uint32_t i = 0; i < outputs.size() && out.refused.empty(); ++i) {
    const std::string folder = aside + "/" + outputs[i].name;
    if (!fs.stat(folder)) continue;
    RETURN_IF_ERROR(Keeper(fs, outputs[i], i, out).keep_folder(folder, ""));
  }
  if (!out.refused.empty() || out.files.empty()) {
    out.files.clear();
    remove_tree(fs, aside);
    return out;
  }
  RETURN_IF_ERROR(fs.sync_folder(aside));
  RETURN_IF_ERROR(fs.sync_folder(parent_folder(aside)));
  return out;
}

Status put_file(FileSystem& fs, const std::string& from, const std::string& to, bool replace) {
  Status put = link_or_copy(fs, from, to);
  if (!put && put.error().code == ErrorCode::kNotFound) {
    RETURN_IF_ERROR(fs.make_folders(parent_folder(to)));
    put = link_or_copy(fs, from, to);
  }
  if (put || put.error().code != ErrorCode::kConflict || same_content(fs, from, to)) {
    return put || put.error().code == ErrorCode::kConflict ? Status() : put;
  }
  if (!replace) {
    return fail(ErrorCode::kConflict,
                "{} exists and is not of this job; remove it and run the same command again",
                path_in_quotes(to));
  }
  const std::string beside = to + ".windrow-new";
  static_cast<void>(fs.remove(beside));  // of an earlier try
  RETURN_IF_ERROR(link_or_copy(fs, from, beside));
  return fs.rename(beside, to);
}

Status place_staged(FileSystem& fs,
                    const std::string& aside,
                    const std::vector<StagedOutput>& outputs,
                    bool replace) {
  if (!fs.stat(aside)) return {};  // put and removed before
  std::set<std::string> changed;
  for (const StagedOutput& output : outputs) {
    const std::string from = aside + "/" + output.name;
    if (!fs.stat(from)) continue;
    RETURN_IF_ERROR(place_folder(fs, from, output.folder, replace, changed));
  }
  for (const std::string& folder : changed) RETURN_IF_ERROR(fs.sync_folder(folder));
  // Under its name it is whole or not there, also after a power cut.
  const std::string placed = aside + ".placed";
  RETURN_IF_ERROR(fs.rename(aside, placed));
  RETURN_IF_ERROR(fs.sync_folder(parent_folder(aside)));
  remove_tree(fs, placed);
  return {};
}

void clean_staged(FileSystem& fs, const JobFolder& folder, const JobState& state) {
  std::set<std::string> committed;
  for (const Token& token : state.staged()) committed.insert(staged_name(token));
  const auto remove_others = [&fs](const std::string& where, const std::set<std::string>& keep) {
    const auto entries = fs.list(where);
    if (!entries) return;
    for (const FolderEntry& entry : *entries) {
      if (!keep.contains(entry.name)) remove_tree(fs, where + "/" + entry.name);
    }
  };
  remove_others(folder.staged(), {JobFolder::kStagedDone});
  remove_others(folder.staged_done(), committed);
}

void remove_tree(FileSystem& fs, const std::string& path) {
  if (fs.remove(path)) return;
  const auto entries = fs.list(path);
  if (!entries) return;
  for (const FolderEntry& entry : *entries) remove_tree(fs, path + "/" + entry.name);
  static_cast<void>(fs.remove(path));
}

}  // namespace windrow
