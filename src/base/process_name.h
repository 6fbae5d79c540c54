// SPDX-License-Identifier: Apache-2.0
//
// What a worker process is called in logs, folders and messages: process007.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "base/append.h"
#include "base/ids.h"

namespace windrow {

inline constexpr std::string_view kProcessPrefix = "process";

// `Text` is std::string or Line.
template <class Text>
void append_process_name(ProcessNumber process, Text& out) {
  out.append(kProcessPrefix);
  if (process < 1000) {
    append_padded(process, 3, out);
  } else {
    append_number(process, out);
  }
}

// process003
inline std::string process_name(ProcessNumber process) {
  std::string out;
  append_process_name(process, out);
  return out;
}

// 3 for process003 and for files that begin so, as process003.stdout.txt does.
inline std::optional<ProcessNumber> process_of_name(std::string_view name) {
  if (!name.starts_with(kProcessPrefix)) return std::nullopt;
  name = name.substr(kProcessPrefix.size(), name.find('.') - kProcessPrefix.size());
  ProcessNumber number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool whole = error == std::errc() && end == name.data() + name.size();
  return whole ? std::optional(number) : std::nullopt;
}

}  // namespace windrow
