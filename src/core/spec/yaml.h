// SPDX-License-Identifier: Apache-2.0
//
// YAML text -> our own tree. The only door to the YAML library.
//
// Bounded, so that no text can hurt: 1 MiB of text, 100,000 nodes after aliases are copied, 64
// levels. Refused: text that is not UTF-8, control characters, duplicate keys, keys that are no
// scalars, several documents, aliases to themselves, tags other than the core ones. A !!binary
// scalar gives its bytes.
//
// Thread: any; values in, values out. Failure: all problems found, each with file:line:column.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "core/spec/job_spec.h"
#include "core/spec/node.h"

namespace windrow {

struct YamlBounds {
  std::size_t text_max = std::size_t{1} << 20U;  // bytes; scalars may make four times as much
  std::size_t nodes_max = 100000;
};

inline constexpr YamlBounds kUserYamlMax;
// A file of ours that holds all that a file of the user's may hold, and its defaults and comments.
inline constexpr YamlBounds kOwnYamlMax{std::size_t{16} << 20U, 1600000};

std::expected<Node, std::vector<Problem>> parse_yaml(std::string_view file,
                                                     std::string_view text,
                                                     const YamlBounds& bounds = kUserYamlMax);

// "job.yml:3:5", or the flag of a mark that is not in the file.
std::string where(std::string_view file, const Mark& mark);

// The bytes as base64, as they stand behind !!binary.
std::string to_base64(std::string_view bytes);

}  // namespace windrow
