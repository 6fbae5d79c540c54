// SPDX-License-Identifier: Apache-2.0
//
// The inputs of a job as files: what each of their paths means, whether it is there, and the names
// of the files in order.
//
// A path that exists is a folder or a file, whatever characters it has; otherwise one with `*`, `?`
// or `[` is a glob, `@FILE` a list of paths, `-` the list that came by standard input.
//
// Thread: one at a time. Failure: Error naming the path; kInvalid for what is not there.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/spec/job_spec.h"
#include "core/table/key_groups.h"
#include "data/files/lister.h"
#include "data/files/path_list.h"
#include "data/files/remarks.h"
#include "data/files/row_lister.h"
#include "data/tables/stretch_lister.h"
#include "os/file_system.h"

namespace windrow {

// One path of an input.
struct InputPart {
  enum class Kind : std::uint8_t { kFolder, kFile, kGlob, kList };
  Kind kind = Kind::kFolder;
  std::string folder;  // absolute, without links: walked, or what `name` is relative to
  std::string name;    // kFile: its name; kGlob: the pattern; kList: the list, absolute
  bool kept = false;   // a list of this job's own: its paths were looked at when it was made
};

struct InputFiles {
  std::string title;  // for messages: the path, or the name of an input with several
  std::string root;   // the folder that all parts are below
  std::vector<InputPart> parts;
  std::vector<std::string> ignore;
  InputAs items = InputAs::kFiles;  // what the names are of: see core/plan/item_file.h
  TableRules table;                 // how tables are cut
  bool grouped = false;             // files are listed whole, those with the same keys together
  KeyRules keys;
};

// Gives a path without links.
using RealPath = std::function<Result<std::string>(const std::string&)>;

// `standard_list`: the file that holds the list of standard input.
Result<InputFiles> resolve_input(FileSystem& fs,
                                 const InputSpec& input,
                                 const RealPath& real,
                                 const std::string& standard_list);

// Refuses globs that match no file, and lists with paths that are not files.
Status check_input(FileSystem& fs, const InputFiles& input);
struct ListRules {
  InputAs items = InputAs::kFiles;  // what else than files entries may name
  std::optional<WallTime> made;     // when the list was: files with rows of it must be elder
};
Status check_list(FileSystem& fs,
                  PathList list,
                  const std::string& folder,
                  const std::string& title,
                  const ListRules& rules);

// The files of an input, part after part; those of folders and globs in bytewise order of their
// paths, those of lists as they stand there.
class InputLister {
 public:
  // `without`: absolute files and folders that are not part of any input, unless a path or a list
  // names them. `first_row`: the number of its first row, where rows are counted.
  InputLister(FileSystem& fs,
              InputFiles input,
              std::vector<std::string> without,
              std::optional<std::uint64_t> first_row = 0);

  // Up to `max` more names, relative to the root; one that is not below it is absolute. Fewer only
  // at the end. The names are those of rows or stretches of tables where the items are rows.
  Result<std::vector<std::string>> next(std::size_t max);

  // Number of the row behind the last one; none when rows are not counted.
  [[nodiscard]] std::optional<std::uint64_t> next_row() const { return row_; }

  // About the parts that were listed to their end.
  [[nodiscard]] const ListingRemarks& remarks() const { return remarks_; }

 private:
  Result<std::vector<std::string>> next_files(std::size_t max);
  Status more_rows(std::size_t max, std::vector<std::string>& names);
  Status more_stretches(std::size_t max, std::vector<std::string>& names);
  Status open_part();
  Status more_of_folder(std::size_t max, std::vector<std::string>& names);
  Status more_of_list(std::size_t max, std::vector<std::string>& names);

  FileSystem& fs_;
  InputFiles input_;
  std::vector<std::string> without_;
  IgnoreRules ignore_;
  std::size_t part_ = 0;
  std::optional<FileLister> folder_;
  std::optional<PathList> list_;
  std::optional<RowLister> rows_;  // of the file that is being read
  std::optional<StretchLister> stretches_;
  std::optional<std::uint64_t> row_;  // number of the next one, where rows are counted
  std::string prefix_;                // of the names of the folder that is being listed
  ListingRemarks remarks_;
};

}  // namespace windrow
