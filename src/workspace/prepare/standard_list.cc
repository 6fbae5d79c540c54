// SPDX-License-Identifier: Apache-2.0
#include "workspace/prepare/standard_list.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "core/spec/job_paths.h"
#include "data/files/inputs.h"
#include "data/files/path_list.h"
#include "os/machine.h"

namespace windrow {
namespace {

const HiddenName kHidden{.owner = "list"};
constexpr const char* kTitle = "standard input";
constexpr std::size_t kPiece = 1U << 16;

int asked_for(const JobSpec& spec) {
  int count = 0;
  for (const std::string& name : spec.input_data) {
    const auto input = std::ranges::find(spec.inputs, name, &InputSpec::name);
    if (input != spec.inputs.end()) {
      count += static_cast<int>(std::ranges::count(input->paths, "-"));
    }
  }
  return count;
}

}  // namespace

Result<StandardList> StandardList::of(FileSystem& fs,
                                      const JobSpec& spec,
                                      const std::string& scratch) {
  StandardList out;
  const int count = asked_for(spec);
  if (count == 0) return out;
  if (count > 1) {
    return fail(ErrorCode::kInvalid, "standard input can be read once: one path may be '-'");
  }
  RETURN_IF_ERROR(fs.make_casual_folders(scratch));
  ASSIGN_OR_RETURN(out.file_, fs.create_unnamed(scratch, kHidden));
  out.folder_ = current_folder();
  out.items_ = spec.input_as;
  std::string piece(kPiece, '\0');
  for (std::uint64_t size = 0;;) {
    ASSIGN_OR_RETURN(const std::size_t got, read_standard_input(piece));
    if (got == 0) return out;
    RETURN_IF_ERROR(out.file_->write_at(size, std::string_view(piece).substr(0, got)));
    size += got;
  }
}

Status StandardList::check(FileSystem& fs, const JobFolder& folder) const {
  if (!file_) return {};
  ASSIGN_OR_RETURN(PathList said, PathList::read(file_, kTitle));
  if (!fs.stat(folder.input_list()))
    return check_list(fs, std::move(said), folder_, kTitle, {.items = items_, .made = {}});
  ASSIGN_OR_RETURN(PathList kept, PathList::open(fs, folder.input_list()));
  for (;;) {
    ASSIGN_OR_RETURN(const auto one, said.next());
    ASSIGN_OR_RETURN(const auto other, kept.next());
    if (!one && !other) return {};
    if (one && other && join_path(folder_, *one) == *other) continue;
    return fail(ErrorCode::kConflict,
                "the list on standard input is not the one that job {} began with; `windrow job "
                "resume {}` continues with the old one, --new starts over",
                base_name(folder.root()),
                base_name(folder.root()));
  }
}

Result<std::vector<std::string>> StandardList::first(std::size_t count) const {
  std::vector<std::string> out;
  if (!file_) return out;
  ASSIGN_OR_RETURN(PathList list, PathList::read(file_, kTitle));
  while (out.size() < count) {
    ASSIGN_OR_RETURN(const auto path, list.next());
    if (!path) break;
    out.push_back(join_path(folder_, *path));
  }
  return out;
}

Status StandardList::keep(FileSystem& fs, const JobFolder& folder) const {
  if (!file_ || fs.stat(folder.input_list())) return {};
  RETURN_IF_ERROR(fs.make_folders(folder.state()));
  ASSIGN_OR_RETURN(PathList list, PathList::read(file_, kTitle));
  ASSIGN_OR_RETURN(const std::unique_ptr<File> kept, fs.create_unnamed(folder.state(), kHidden));
  std::string bytes;
  std::uint64_t size = 0;
  for (;;) {
    ASSIGN_OR_RETURN(const auto path, list.next());
    if (path) bytes.append(join_path(folder_, *path)).push_back('\0');
    if (path && bytes.size() < kPiece) continue;
    RETURN_IF_ERROR(kept->write_at(size, bytes));
    size += bytes.size();
    bytes.clear();
    if (!path) break;
  }
  RETURN_IF_ERROR(kept->sync());
  RETURN_IF_ERROR(fs.link(*kept, folder.input_list()));
  return fs.sync_folder(folder.state());
}

}  // namespace windrow
