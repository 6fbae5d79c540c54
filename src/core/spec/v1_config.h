// SPDX-License-Identifier: Apache-2.0
//
// `parallel_run_config.yml` of the v1 SDK -> the tree of a v2 job file with the same meaning. Each
// node keeps its place in the file, and problems are told under the names of the file.
//
// Such a file has neither input nor output: --input and --output give them.
//
// Thread: any; values in, values out. Failure: problems are collected in the reader.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/spec/node.h"
#include "core/spec/set_values.h"
#include "core/spec/short_form.h"
#include "core/spec/tree_reader.h"

namespace windrow {

// Whether the file is of that kind: one root key, `parallel_run_config`.
bool is_v1_config(const Node& root);

// Values for the file itself, `parallel_run_config.KEY`, and those for the v2 job that it becomes.
std::pair<SetValues, SetValues> split_v1_sets(const SetValues& sets);

// REQUIRES: is_v1_config(root). What `flags` say about the output is used up here.
Node v1_to_v2(const Node& root,
              JobFlags& flags,
              const std::string& current_folder,
              TreeReader& reader);

// Notes which limits the file itself has set, so that a failure is reported by their v1 names.
// `job` is what v1_to_v2() gave, with --set and flags, which have v2 names, laid over it.
void keep_v1_names(Node& job);

// What v1 refuses in arguments: names that are parameters of the configuration, and a first word
// that is not a flag. Empty when all is well.
std::string v1_arguments_problem(const std::vector<std::string>& arguments);

}  // namespace windrow
