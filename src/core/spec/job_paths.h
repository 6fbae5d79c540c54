// SPDX-License-Identifier: Apache-2.0
//
// From the names and references of a JobSpec to paths. Pure string operations: nothing is looked
// up.
//
// Thread: any; values in, values out. Failure: none; the spec was checked when it was read.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/spec/job_spec.h"

namespace windrow {

// `path` as seen from `folder`, without `.`, doubled or trailing slashes. `..` stays, because what
// stands before it may be a link.
std::string join_path(std::string_view folder, std::string_view path);

// Everything before the last slash: "/" for "/a", "." for "a".
std::string parent_folder(std::string_view path);

// The part after the last slash.
std::string base_name(std::string_view path);

// "azureml://...", "https://...", "azureml:data:1": not a path of this machine.
bool is_remote_path(std::string_view path);

// The file that holds run(): code/entry_script, and code/pkg/main.py for the module name
// `pkg.main`; or the program that takes its place.
std::string script_path(const JobSpec& spec);

// The dotted name by which the script was given; empty when it is a path.
std::string script_module(const JobSpec& spec);

struct JobPaths {
  // By name: the first path; of `@FILE` the list; the value of a literal.
  std::map<std::string, std::string> inputs;
  std::map<std::string, std::string> outputs;  // by name; a folder, or the file of a uri_file
  std::string output_folder;  // EntryScript().output_dir: of append_row_to, else of the first
                              // output; outputs/ of the job folder when none is declared
  std::vector<std::string> folders;    // of all outputs, to be there before the script starts
  std::vector<std::string> targets;    // the files that get rows, in the order of append_row_to;
                                       // none for summary_only
  std::vector<std::string> arguments;  // references resolved: what stands in sys.argv[1:]
};

JobPaths resolve_job_paths(const JobSpec& spec, std::string_view job_folder);

// An output whose files are staged, and the folder that they come to lie in.
struct StagedOutput {
  std::string name;
  std::string folder;
  friend bool operator==(const StagedOutput&, const StagedOutput&) = default;
};

// All outputs, in the order declared; the one folder of a job that declares none. Nothing unless
// the job has staged_outputs.
std::vector<StagedOutput> staged_outputs(const JobSpec& spec, const JobPaths& paths);

// The same paths for a script whose outputs are staged: each is a folder below `folder`, or the
// file in it, by the name of the output.
JobPaths staged_paths(const JobSpec& spec, const JobPaths& paths, std::string_view folder);

}  // namespace windrow
