// SPDX-License-Identifier: Apache-2.0
//
// The sections of a job's tree, one function each. What is shared between them is JobTree: the
// tree, the job that comes of it, and the names that were declared.
//
// Thread: one object, one thread. Failure: problems are collected in `reader`; a section that has
// one leaves its fields as they were.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/spec/job_spec.h"
#include "core/spec/program_arguments.h"
#include "core/spec/tree_reader.h"

namespace windrow {

struct JobTree {
  Place root;
  std::string_view folder;  // relative paths are meant from here
  TreeReader reader;
  JobSpec spec = {};
  // Declared names, also those that have a problem.
  std::set<std::string, std::less<>> inputs;
  std::set<std::string, std::less<>> outputs;
  std::set<std::string, std::less<>> absent;  // optional inputs without a value
};

void read_inputs(JobTree& tree);
void read_input_data(JobTree& tree);
void read_outputs(JobTree& tree);
// REQUIRES: inputs and outputs are read.
void read_task(JobTree& tree);
// The settings of settings.cc that are single values. REQUIRES: inputs are read.
void read_settings(JobTree& tree);
// Those that stand among the script's arguments. REQUIRES: task and settings are read.
void read_engine_arguments(JobTree& tree);
// What the v1 SDK refuses: scripts outside of source_directory, and some arguments.
void check_v1(JobTree& tree);
// The form of the rows, by append_row and by the names of their files. REQUIRES: all is read.
void settle_row_form(JobTree& tree);
// What only shows when all is read: settings that contradict each other.
void check_whole(JobTree& tree);

// ---- What sections share.

// A path of this machine behind the key.
std::optional<std::string> path_at(JobTree& tree, const Place& map, std::string_view key);

// The scalar at the place; `${{inputs.x}}` becomes the value of that input.
std::optional<std::string> bound_text(JobTree& tree, const Place& place);

// The names in `${{inputs.a}}` or in a list of such, each declared and there once.
std::vector<std::string> reference_names(JobTree& tree, const Place& place, Reference::Kind kind);

// The scalars of a list, or the one that stands there alone.
std::vector<Place> one_or_many(JobTree& tree, const Place& place);

// A binding to an input or output of a pipeline, as in a step of one: a problem.
bool is_of_parent(JobTree& tree, const Place& place);

bool check_declared(JobTree& tree, const Place& place, const Reference& reference);

// The map of a group of settings, `retry_settings`; nothing when there is none. "" is the root.
std::optional<Place> group_at(JobTree& tree, std::string_view group);

// The input of that name; nullptr when it is not declared, has a problem or no value.
const InputSpec* find_input(const JobSpec& spec, std::string_view name);

// A problem when the name is none that an input or output may have.
void check_name(JobTree& tree, const Place& place, const std::string& name);

// A problem for each of these keys that an input of this type has.
void refuse_keys(JobTree& tree,
                 const Place& place,
                 std::string_view type,
                 std::initializer_list<std::string_view> keys);

// One input of type sql.
void read_query(JobTree& tree, const Place& place, const std::string& name);

}  // namespace windrow
