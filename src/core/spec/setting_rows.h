// SPDX-License-Identifier: Apache-2.0
//
// The table of keys of a job file: what a row of it says, and the rows of keys that are not single
// value of the job. Those that are stand in settings.cc.
#pragma once

#include <array>
#include <string_view>

#include "core/spec/setting_codecs.h"

namespace windrow::setting_rows {

struct Row {
  std::string_view key;
  std::string_view argument;
  std::string_view allowed;
  std::string_view unset;
  std::string_view meaning;
  codecs::Codec codec = {nullptr, nullptr};  // none: job_tree.cc reads it
};

inline constexpr std::string_view kThresholds = "-1 to 2147483647";
inline constexpr std::string_view kTimeouts = "more than 0 up to 259200 seconds";
inline constexpr std::string_view kBooleans = "true or false";
inline constexpr std::string_view kCounts = "0 to 2147483647";

// Keys that are more than one value, and those that change nothing here.
inline constexpr auto kStructure = std::to_array<Row>({
    {"$schema", "", "text", "nothing", "which schema the file follows; without effect"},
    {"type", "", "parallel", "required", "what kind of job the file describes"},
    {"name", "", "a job name", "generated", "name of the job and of its folder"},
    {"display_name", "", "text", "nothing", "for people"},
    {"description", "", "text", "nothing", "for people"},
    {"experiment_name", "", "text", "nothing", "for people"},
    {"tags", "", "names and texts", "none", "for people"},
    {"inputs.<n>", "", "keys, or one value", "", "what the script reads; a value is for arguments"},
    {"inputs.<n>.type",
     "",
     "uri_folder, uri_file, mltable, sql, string, number, integer or boolean",
     "uri_folder",
     "a folder or file, a folder with an MLTable file, a query of a database, or a value"},
    {"inputs.<n>.path",
     "",
     "a path or a list: folders, files, globs, @FILE, -",
     "required",
     "where it is; @FILE is a list of paths, - the same on standard input"},
    {"inputs.<n>.mode",
     "",
     "ro_mount or download; for mltable also direct, eval_mount or eval_download",
     "ro_mount; direct for mltable",
     "data are read where they are; an mltable that is not direct gives files, not rows"},
    {"inputs.<n>.ignore", "", "a glob or a list", "none", "files that are left out"},
    {"inputs.<n>.input_ignore", "", "a glob or a list", "none", "another name for ignore"},
    {"inputs.<n>.partition_format",
     "",
     "a path with keys, as in /{region}/{day:yyyy/MM/dd}/data.csv",
     "folders called key=value",
     "where partition keys stand in the paths of its files"},
    {"inputs.<n>.connection",
     "",
     "sqlite:///FILE or postgresql://USER@HOST/DATABASE",
     "required for sql",
     "the database to query; a password belongs in ~/.pgpass"},
    {"inputs.<n>.query", "", "a SELECT", "required for sql", "its rows are the table"},
    {"inputs.<n>.optional",
     "",
     kBooleans,
     "false",
     "arguments in $[[...]] are left out without it"},
    {"inputs.<n>.default", "", "one value", "none", "the value when none is given"},
    {"inputs.<n>.description", "", "text", "nothing", "for people"},
    {"input_data",
     "",
     "${{inputs.NAME}} or a list",
     "required",
     "the inputs that are cut into mini-batches, one after the other"},
    {"outputs.<n>.type", "", "uri_folder or uri_file", "uri_folder", "a folder or a file"},
    {"outputs.<n>.path", "", "a path", "outputs/NAME/ in the job folder", "where it goes"},
    {"outputs.<n>.mode", "", "rw_mount or upload", "rw_mount", "files are written where they stay"},
    {"task.type", "", "run_function or function", "run_function", "what kind of task it is"},
    {"task.code", "", "a path", "the script's folder", "root of imports"},
    {"task.entry_script", "", "a path or module name", "required", "the script with run()"},
    {"task.command",
     "",
     "a program and its arguments",
     "a script does the work",
     "works in place of a script: a path from task.code, or a name in PATH"},
    {"task.command_mode",
     "",
     "protocol, lines or filter",
     "protocol",
     "what the command speaks: the worker protocol, or paths in and rows out as lines"},
    {"task.program_arguments", "", "text", "none", "arguments for the script"},
    {"task.args", "", "text", "none", "another name for program_arguments"},
    {"task.append_row_to",
     "",
     "${{outputs.NAME}} or a list",
     "summary_only: rows are counted, not kept",
     "the outputs that get the rows"},
    {"task.environment", "", "anything", "nothing", "accepted with a notice"},
    {"python",
     "",
     "a path or command",
     "WINDROW_PYTHON, the active environment or python3",
     "interpreter of the script"},
    {"job_dir", "", "a path", "$WINDROW_HOME/jobs/NAME", "the job folder"},
    {"retry_of", "", "a job", "none", "the job whose failed mini-batches run again"},
    {"environment_variables", "", "names and texts", "none", "for the workers"},
    {"compute", "", "a name", "local", "other than local: a notice, the job runs here"},
    {"identity", "", "a map with a type", "none", "accepted with a notice"},
    {"is_deterministic", "", kBooleans, "true", "accepted; results are not reused yet"},
    {"resources.instance_count",
     "",
     "1 to 2147483647, or -1 for all",
     "",
     "nodes; this machine is one",
     codecs::kNodes},
    {"resources.max_instance_count", "", "anything", "nothing", "accepted with a notice"},
    {"resources.instance_type", "", "anything", "nothing", "accepted with a notice"},
    {"resources.shm_size", "", "anything", "nothing", "accepted with a notice"},
    {"resources.docker_args", "", "anything", "nothing", "accepted with a notice"},
    {"resources.locations", "", "anything", "nothing", "accepted with a notice"},
    {"resources.properties", "", "anything", "nothing", "accepted with a notice"},
    {"compat.v2_mini_batch_size_1",
     "",
     kBooleans,
     "false",
     "mini_batch_size is 1 unless you set it"},
});

}  // namespace windrow::setting_rows
