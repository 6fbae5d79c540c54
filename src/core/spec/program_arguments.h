// SPDX-License-Identifier: Apache-2.0
//
// `program_arguments`: one string <-> a list of arguments, and the references inside them.
//
// The string is cut as a POSIX shell cuts words: spaces, single and double quotes, backslashes;
// nothing is expanded. `${{inputs.x}}` stays in one piece even with spaces inside the braces, and
// means the path also inside quotes.
//
// Thread: any; values in, values out.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace windrow {

Result<std::vector<std::string>> split_arguments(std::string_view text);

// A string that split_arguments cuts into exactly these.
std::string join_arguments(const std::vector<std::string>& arguments);

struct Reference {
  enum class Kind { kInput, kOutput };
  Kind kind = Kind::kInput;
  std::string name;
};

// Refused: a text that begins with a reference to the pipeline around a step (`${{parent...}}`).
Status refuse_parent(std::string_view text);

// What stands between `${{` and `}}`. Refused: anything but inputs.NAME and outputs.NAME.
Result<Reference> parse_reference(std::string_view inside);

// The reference that `text` consists of (`${{inputs.data}}`). Refused: anything before or after it.
Result<Reference> parse_lone_reference(std::string_view text);

// `text` with each `$[[...]]` replaced by what stands in it, or by nothing when one of the
// references in it is to something that is not `given`. Refused: one without its end, one inside
// another.
Result<std::string> resolve_optional_parts(std::string_view text,
                                           const std::function<bool(const Reference&)>& given);

// Every reference in `text`, in order. Refused: a broken one.
Result<std::vector<Reference>> find_references(std::string_view text);

// `text` with each reference replaced. What cannot be understood as one stays as it is.
std::string replace_references(std::string_view text,
                               const std::function<std::string(const Reference&)>& path);

}  // namespace windrow
