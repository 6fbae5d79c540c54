// SPDX-License-Identifier: Apache-2.0
#include "data/files/inputs.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "core/plan/item_file.h"
#include "core/spec/job_paths.h"

namespace windrow {
namespace {

constexpr std::size_t kShown = 5;

// What is left of `path` below `folder`; nothing when it lies elsewhere.
std::optional<std::string_view> below(std::string_view path, std::string_view folder) {
  if (folder == "/") return path.substr(1);
  if (path.size() == folder.size() && path == folder) return "";
  if (!path.starts_with(folder) || path.size() <= folder.size() || path[folder.size()] != '/')
    return std::nullopt;
  return path.substr(folder.size() + 1);
}

std::string common_folder(const std::vector<InputPart>& parts) {
  std::string common = parts.front().folder;
  for (const InputPart& part : parts) {
    while (!below(part.folder, common)) common = parent_folder(common);
  }
  return common;
}

std::unexpected<Error> not_there(std::string_view path) {
  return fail(ErrorCode::kInvalid, "there is no input '{}'", escape_bytes(path));
}

// Splits a glob before the first name that is a pattern.
Result<InputPart> resolve_glob(const std::string& path, const RealPath& real) {
  std::size_t cut = path.find_first_of("*?[");
  cut = path.rfind('/', cut);
  const std::string folder =
      cut == std::string::npos ? "." : path.substr(0, std::max<std::size_t>(cut, 1));
  Result<std::string> whole = real(folder);
  if (!whole) {
    return fail(ErrorCode::kInvalid,
                "the glob '{}' matches no file: there is no folder '{}'",
                escape_bytes(path),
                escape_bytes(folder));
  }
  return InputPart{.kind = InputPart::Kind::kGlob,
                   .folder = *std::move(whole),
                   .name = cut == std::string::npos ? path : path.substr(cut + 1)};
}

Result<InputPart> resolve_path(FileSystem& fs,
                               const std::string& path,
                               const RealPath& real,
                               const std::string& standard_list) {
  using Kind = InputPart::Kind;
  if (path == "-") {
    return InputPart{.kind = Kind::kList, .folder = "/", .name = standard_list, .kept = true};
  }
  if (path.starts_with('@')) {
    const std::string list = path.substr(1);
    const Result<FileStat> stat = fs.stat(list);
    if (!stat || stat->kind != FileKind::kFile) {
      return fail(ErrorCode::kInvalid,
                  "there is no list of paths '{}' (an input that begins with @ names one; write "
                  "./@... for a file or folder of that name)",
                  escape_bytes(list));
    }
    ASSIGN_OR_RETURN(const std::string folder, real(parent_folder(list)));
    return InputPart{
        .kind = Kind::kList, .folder = folder, .name = join_path(folder, base_name(list))};
  }
  const Result<FileStat> stat = fs.stat(path);
  if (!stat && has_glob_characters(path)) return resolve_glob(path, real);
  if (!stat) return not_there(path);
  if (stat->kind == FileKind::kOther) {
    return fail(
        ErrorCode::kInvalid, "the input '{}' is neither a file nor a folder", escape_bytes(path));
  }
  if (stat->kind == FileKind::kFolder) {
    ASSIGN_OR_RETURN(std::string folder, real(path));
    return InputPart{.kind = Kind::kFolder, .folder = std::move(folder)};
  }
  ASSIGN_OR_RETURN(std::string folder, real(parent_folder(path)));
  return InputPart{.kind = Kind::kFile, .folder = std::move(folder), .name = base_name(path)};
}

std::string glob_text(const InputPart& part) { return join_path(part.folder, part.name); }

}  // namespace

Result<InputFiles> resolve_input(FileSystem& fs,
                                 const InputSpec& input,
                                 const RealPath& real,
                                 const std::string& standard_list) {
  InputFiles out;
  for (const std::string& path : input.paths) {
    ASSIGN_OR_RETURN(InputPart part, resolve_path(fs, path, real, standard_list));
    out.parts.push_back(std::move(part));
  }
  out.root = common_folder(out.parts);
  out.ignore = input.ignore;
  out.title = input.name;
  if (out.parts.size() == 1) {
    const InputPart& only = out.parts.front();
    out.title = only.kind == InputPart::Kind::kFolder ? only.folder : input.paths.front();
  }
  return out;
}

Status check_input(FileSystem& fs, const InputFiles& input) {
  for (const InputPart& part : input.parts) {
    if (part.kind == InputPart::Kind::kGlob) {
      FileLister lister(fs, part.folder, {.glob = Glob(part.name)});
      ASSIGN_OR_RETURN(const std::vector<std::string> first, lister.next(1));
      if (first.empty()) {
        return fail(ErrorCode::kInvalid,
                    "the glob '{}' matches no file (a folder is matched by what is in it: end with "
                    "/** to take all of it)",
                    escape_bytes(glob_text(part)));
      }
    } else if (part.kind == InputPart::Kind::kList && !part.kept) {
      ASSIGN_OR_RETURN(PathList list, PathList::open(fs, part.name));
      ListRules rules{.items = input.items, .made = {}};
      if (const auto stat = fs.stat(part.name)) rules.made = stat->changed;
      RETURN_IF_ERROR(check_list(fs, std::move(list), part.folder, part.name, rules));
    }
  }
  return {};
}

Status check_list(FileSystem& fs,
                  PathList list,
                  const std::string& folder,
                  const std::string& title,
                  const ListRules& rules) {
  std::uint64_t paths = 0;
  std::uint64_t missing = 0;
  std::uint64_t others = 0;
  std::vector<std::string> shown;
  std::string_view rows_as;  // what would take them
  for (;;) {
    ASSIGN_OR_RETURN(const auto path, list.next());
    if (!path) break;
    ++paths;
    const std::string file(file_of_item(*path, rules.items));
    const bool row = file != *path;
    const Result<FileStat> stat = fs.stat(join_path(folder, file));
    const bool changed =
        row && rules.made && stat && rules.made->nanoseconds < stat->changed.nanoseconds;
    if (changed) {
      return fail(ErrorCode::kInvalid,
                  "'{}' has changed since {} was written, so its rows may no longer be where the "
                  "list says; take the whole file as input",
                  escape_bytes(file),
                  escape_bytes(title));
    }
    if (stat && stat->kind == FileKind::kFile) continue;
    rows_as = rows_as.empty() && parse_row_name(*path) ? "jsonl" : rows_as;
    rows_as = rows_as.empty() && parse_stretch_name(*path) ? "table" : rows_as;
    ++(stat ? others : missing);
    if (shown.size() < kShown) {
      shown.push_back(
          fmt::format("'{}'{}", escape_bytes(*path), stat ? " (a folder or a device)" : ""));
    }
  }
  if (paths == 0 && list.unnamed() > 0) {
    return fail(ErrorCode::kInvalid,
                "{} names no item: run() returned too few results and did not say for which items; "
                "run the job again with --set retry_short_returns=true, or have the script call "
                "report_failed",
                escape_bytes(title));
  }
  const std::uint64_t bad = missing + others;
  if (bad == 0) return {};
  return fail(ErrorCode::kInvalid,
              "{} of the {} paths in {} {}: {}{}; a list names files{}{}",
              bad,
              paths,
              escape_bytes(title),
              others == 0 ? "are not there" : "are not files",
              fmt::join(shown, ", "),
              bad > shown.size() ? ", ..." : "",
              missing == 0 ? "" : fmt::format(", relative ones below '{}'", escape_bytes(folder)),
              rows_as.empty() ? "" : fmt::format(", and rows of files with --as {}", rows_as));
}

InputLister::InputLister(FileSystem& fs,
                         InputFiles input,
                         std::vector<std::string> without,
                         std::optional<std::uint64_t> first_row)
    : fs_(fs),
      input_(std::move(input)),
      without_(std::move(without)),
      ignore_(input_.ignore),
      row_(input_.table.own_numbers ? 0 : first_row) {}

Result<std::vector<std::string>> InputLister::next(std::size_t max) {
  if (input_.items == InputAs::kFiles || input_.grouped) return next_files(max);
  std::vector<std::string> names;
  if (input_.items == InputAs::kTable) {
    RETURN_IF_ERROR(more_stretches(max, names));
  } else {
    RETURN_IF_ERROR(more_rows(max, names));
  }
  return names;
}

Status InputLister::more_stretches(std::size_t max, std::vector<std::string>& names) {
  while (names.size() < max) {
    if (stretches_) {
      ASSIGN_OR_RETURN(const bool more, stretches_->next(max - names.size(), names));
      row_ = stretches_->next_row();
      if (!more) stretches_.reset();
      continue;
    }
    ASSIGN_OR_RETURN(std::vector<std::string> file, next_files(1));
    if (file.empty()) break;
    if (parse_stretch_name(file.front())) {
      names.push_back(std::move(file.front()));
      continue;
    }
    const std::string path = join_path(input_.root, file.front());
    ASSIGN_OR_RETURN(stretches_,
                     StretchLister::open(fs_, path, std::move(file.front()), input_.table, row_));
    if (input_.table.header_once) input_.table.text.header = false;
  }
  return {};
}

// File after file. A name that is a row's already stands in a list, and is taken as it is.
Status InputLister::more_rows(std::size_t max, std::vector<std::string>& names) {
  while (names.size() < max) {
    if (rows_) {
      ASSIGN_OR_RETURN(const bool more, rows_->next(max - names.size(), names));
      row_ = rows_->next_row();
      if (!more) rows_.reset();
      continue;
    }
    ASSIGN_OR_RETURN(std::vector<std::string> file, next_files(1));
    if (file.empty()) break;
    if (parse_row_name(file.front())) {
      names.push_back(std::move(file.front()));
      continue;
    }
    const std::string path = join_path(input_.root, file.front());
    ASSIGN_OR_RETURN(rows_, RowLister::open(fs_, path, std::move(file.front()), *row_));
  }
  return {};
}

Result<std::vector<std::string>> InputLister::next_files(std::size_t max) {
  std::vector<std::string> names;
  while (names.size() < max && part_ < input_.parts.size()) {
    if (!folder_ && !list_) RETURN_IF_ERROR(open_part());
    if (folder_) {
      RETURN_IF_ERROR(more_of_folder(max, names));
    } else if (list_) {
      RETURN_IF_ERROR(more_of_list(max, names));
    } else {
      const InputPart& file = input_.parts[part_++];
      if (!ignore_.leaves_out_any(file.name)) names.push_back(prefix_ + file.name);
    }
  }
  return names;
}

Status InputLister::open_part() {
  const InputPart& part = input_.parts[part_];
  prefix_ = *below(part.folder, input_.root);
  if (!prefix_.empty()) prefix_ += '/';
  if (part.kind == InputPart::Kind::kList) {
    ASSIGN_OR_RETURN(list_, PathList::open(fs_, part.name));
  } else if (part.kind != InputPart::Kind::kFile) {
    ListingRules rules{.without = without_, .ignore = ignore_};
    if (part.kind == InputPart::Kind::kGlob) rules.glob = Glob(part.name);
    folder_.emplace(fs_, part.folder, std::move(rules));
  }
  return {};
}

Status InputLister::more_of_folder(std::size_t max, std::vector<std::string>& names) {
  const std::size_t asked = max - names.size();
  ASSIGN_OR_RETURN(std::vector<std::string> more, folder_->next(asked));
  if (more.size() < asked) {
    remarks_.add(folder_->remarks());
    folder_.reset();
    ++part_;
  }
  if (!prefix_.empty()) {
    for (std::string& name : more) name.insert(0, prefix_);
  }
  if (names.empty()) {
    names = std::move(more);
  } else {
    std::ranges::move(more, std::back_inserter(names));
  }
  return {};
}

Status InputLister::more_of_list(std::size_t max, std::vector<std::string>& names) {
  const std::string& folder = input_.parts[part_].folder;
  while (names.size() < max) {
    ASSIGN_OR_RETURN(const auto entry, list_->next());
    if (!entry) {
      list_.reset();
      ++part_;
      break;
    }
    const std::string path = join_path(folder, *entry);
    if (ignore_.leaves_out_any(below(path, folder).value_or(path))) continue;
    names.emplace_back(below(path, input_.root).value_or(path));
  }
  return {};
}

}  // namespace windrow
