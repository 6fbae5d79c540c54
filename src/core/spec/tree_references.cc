// SPDX-License-Identifier: Apache-2.0
//
// References to inputs and outputs: ${{inputs.NAME}}, ${{outputs.NAME}}.
#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "core/spec/job_sections.h"

namespace windrow {

std::vector<Place> one_or_many(JobTree& tree, const Place& place) {
  if (place.node->kind != Node::Kind::kSequence) return {place};
  if (place.node->items.empty()) tree.reader.problem(place, "is an empty list");
  std::vector<Place> all;
  for (const Node& item : place.node->items) all.push_back({&item, place.path});
  return all;
}

bool is_of_parent(JobTree& tree, const Place& place) {
  if (place.node->kind != Node::Kind::kScalar) return false;
  const Status none = refuse_parent(place.node->text);
  if (!none) tree.reader.problem(place, none.error().message);
  return !none;
}

bool check_declared(JobTree& tree, const Place& place, const Reference& reference) {
  const bool input = reference.kind == Reference::Kind::kInput;
  const auto& declared = input ? tree.inputs : tree.outputs;
  if (declared.contains(reference.name)) return true;
  const std::vector<std::string_view> names(declared.begin(), declared.end());
  const auto nearest = nearest_name(reference.name, names);
  tree.reader.problem(place,
                      fmt::format("no {} '{}' is declared{}",
                                  input ? "input" : "output",
                                  reference.name,
                                  nearest ? fmt::format("; did you mean '{}'?", *nearest) : ""));
  return false;
}

std::optional<std::string> bound_text(JobTree& tree, const Place& place) {
  std::optional<std::string> said = tree.reader.text(place);
  if (!said || !trimmed(*said).starts_with("${{")) return said;
  if (is_of_parent(tree, place)) return std::nullopt;
  const Result<Reference> found = parse_lone_reference(*said);
  if (!found || found->kind != Reference::Kind::kInput) {
    tree.reader.problem(
        place, in_quotes(*said) + " is not understood; allowed is ${{inputs.NAME}} of a value");
    return std::nullopt;
  }
  if (!check_declared(tree, place, *found)) return std::nullopt;
  const InputSpec* input = find_input(tree.spec, found->name);
  if (input != nullptr && input->type == InputType::kLiteral) return input->paths.front();
  const bool absent = tree.absent.contains(found->name);
  if (input != nullptr || absent) {
    tree.reader.problem(place,
                        fmt::format("input '{}' {}",
                                    found->name,
                                    absent ? "has no value" : "is a folder or file, not a value"));
  }
  return std::nullopt;
}

std::vector<std::string> reference_names(JobTree& tree, const Place& place, Reference::Kind kind) {
  std::vector<std::string> names;
  for (const Place& one : one_or_many(tree, place)) {
    const std::optional<std::string> said = tree.reader.text(one);
    if (!said) continue;
    const Result<Reference> found = parse_lone_reference(*said);
    if (!found || found->kind != kind) {
      tree.reader.problem(one,
                          fmt::format("{} is not understood; allowed is ${{{{{}.NAME}}}}",
                                      in_quotes(*said),
                                      kind == Reference::Kind::kInput ? "inputs" : "outputs"));
    } else if (std::ranges::find(names, found->name) != names.end()) {
      tree.reader.problem(one, fmt::format("'{}' is there twice", found->name));
    } else if (check_declared(tree, one, *found)) {
      names.push_back(found->name);
    }
  }
  return names;
}

}  // namespace windrow
