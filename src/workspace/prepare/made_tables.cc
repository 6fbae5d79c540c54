// SPDX-License-Identifier: Apache-2.0
#include "workspace/prepare/made_tables.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/counted.h"
#include "base/json.h"
#include "base/text.h"
#include "core/spec/job_paths.h"
#include "journal/staged_files.h"
#include "os/machine.h"
#include "os/memory_rooms.h"
#include "workspace/prepare/prepare_run.h"
#include "workspace/prepare/table_input.h"
#include "workspace/prepare/table_program.h"

namespace windrow {
namespace {

constexpr std::uint64_t kStretchBytes = 16U << 20U;  // that rows are put together from
constexpr std::uint64_t kMemoryParts = 8;            // one of them is for rows that wait

const InputSpec* query_of(const JobSpec& spec) {
  for (const std::string& name : spec.input_data) {
    const auto found = std::ranges::find(spec.inputs, name, &InputSpec::name);
    if (found != spec.inputs.end() && found->type == InputType::kSql) return &*found;
  }
  return nullptr;
}

// What is being made lies beside the place that it gets when it is complete.
std::string in_making(const std::string& path) { return path + ".making"; }

Status put_in_place(FileSystem& fs, const std::string& path) {
  RETURN_IF_ERROR(sync_disk(parent_folder(path)));
  RETURN_IF_ERROR(fs.rename(in_making(path), path));
  return fs.sync_folder(parent_folder(path));
}

std::string query_request(const InputSpec& input, const std::string& to) {
  JsonWriter json;
  json.begin_object();
  json.field("do", "query").field("connection", input.paths.front()).field("query", input.query);
  json.field("to", to);
  json.end_object();
  return json.text();
}

// A share of what this job may use.
std::uint64_t memory_for_rows(const JobSpec& spec) {
  std::uint64_t all = spec.worker.memory_limit.value_or(0);
  for (const MemoryRoom& room : MemoryRooms().read()) {
    all = all == 0 ? room.total : std::min(all, room.total);
  }
  return all / kMemoryParts;
}

std::string partition_request(const PreparedJob& run,
                              const std::string& names,
                              const std::string& to) {
  JsonWriter json;
  json.begin_object();
  json.field("do", "partition").field("table", run.input.table.description).field("names", names);
  json.key("by").begin_array();
  for (const std::string& column : run.spec.partition_by) json.value(column);
  json.end_array();
  json.field("to", to).field("memory", memory_for_rows(run.spec));
  json.end_object();
  return json.text();
}

class Maker {
 public:
  Maker(FileSystem& fs, PreparedJob& run, const std::function<void(const std::string&)>& tell)
      : fs_(fs), run_(run), tell_(tell), program_(run.program.command, run.folder) {}

  Status ask() {
    const InputSpec* query = query_of(run_.spec);
    if (query == nullptr) return {};
    const std::string path = run_.folder.query_rows();
    if (!fs_.stat(path)) {
      RETURN_IF_ERROR(begin(path));
      tell_(fmt::format("asking {} for the rows of {}", query->paths.front(), query->name));
      ASSIGN_OR_RETURN(const std::uint64_t rows,
                       program_.run(query_request(*query, in_making(path))));
      RETURN_IF_ERROR(put_in_place(fs_, path));
      tell_(fmt::format("made {} with {}", path, counted(rows, "row")));
    }
    return take(MadeSoFar::kQuery);
  }

  Status put_together() {
    if (run_.spec.partition_by.empty()) return {};
    const std::string path = run_.folder.partitions();
    if (!fs_.stat(path)) {
      RETURN_IF_ERROR(begin(path));
      RETURN_IF_ERROR(fs_.make_folders(in_making(path)));
      tell_(fmt::format("putting rows together by {}", fmt::join(run_.spec.partition_by, ", ")));
      ASSIGN_OR_RETURN(const std::vector<std::string> all,
                       list_stretches(fs_, run_, kStretchBytes));
      std::string names;
      for (const std::string& name : all) names.append(name).push_back('\0');
      const std::string list = run_.folder.tables() + "/stretches";
      RETURN_IF_ERROR(write_whole_file(list, names));
      ASSIGN_OR_RETURN(const std::uint64_t rows,
                       program_.run(partition_request(run_, list, in_making(path))));
      static_cast<void>(fs_.remove(list));
      RETURN_IF_ERROR(put_in_place(fs_, path));
      tell_(fmt::format("made {} with {}", path, counted(rows, "row")));
    }
    return take(MadeSoFar::kAll);
  }

 private:
  // What an earlier try has left is of no use.
  Status begin(const std::string& path) {
    if (!run_.before.state.batches().empty()) {
      return fail(
          ErrorCode::kConflict,
          "the job cannot continue: {}, the table that it was working on, is gone; start a new "
          "job instead",
          path_in_quotes(path));
    }
    RETURN_IF_ERROR(fs_.make_folders(run_.folder.tables()));
    remove_tree(fs_, in_making(path));
    static_cast<void>(fs_.remove(in_making(path)));
    return {};
  }

  Status take(MadeSoFar made) {
    run_.input.made = made;
    const bool goes_on = !run_.before.state.batches().empty();
    return find_parts(fs_, run_, goes_on ? &run_.before.state : nullptr);
  }

  FileSystem& fs_;
  PreparedJob& run_;
  const std::function<void(const std::string&)>& tell_;
  TableProgram program_;
};

}  // namespace

bool makes_tables(const JobSpec& spec) {
  return query_of(spec) != nullptr || !spec.partition_by.empty();
}

std::optional<InputSpec> made_input(const PreparedJob& run) {
  if (run.input.made == MadeSoFar::kNothing || run.spec.input_data.empty()) return std::nullopt;
  InputSpec input{.name = run.spec.input_data.front()};
  const bool all = run.input.made == MadeSoFar::kAll;
  input.type = all ? InputType::kFolder : InputType::kFile;
  input.paths = {all ? run.folder.partitions() : run.folder.query_rows()};
  return input;
}

Status make_tables(FileSystem& fs,
                   PreparedJob& run,
                   const std::function<void(const std::string&)>& tell) {
  Maker maker(fs, run, tell);
  RETURN_IF_ERROR(maker.ask());
  return maker.put_together();
}

Status take_over_tables(const JobFolder& from, const JobFolder& to) {
  std::error_code error;
  const std::filesystem::path tables = std::filesystem::canonical(from.tables(), error);
  if (error) return {};  // it has none
  std::filesystem::create_directory_symlink(tables, to.tables(), error);
  if (!error) return {};
  return fail(ErrorCode::kUnavailable, "cannot link {}: {}", to.tables(), error.message());
}

}  // namespace windrow
