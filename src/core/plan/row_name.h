// SPDX-License-Identifier: Apache-2.0
//
// The name of an item that is one row of a file: where it stands.
//
// "requests.jsonl:17@1234+66#16" is line 17 of requests.jsonl, the 66 bytes from byte 1234 on, and
// row 16 of its input, from 0. Only where the items of a job are rows: a file may have any name.
//
// Thread: any; values in, values out. Failure: nothing for any other name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace windrow {

struct RowPlace {
  std::uint64_t line = 0;  // from 1
  std::uint64_t offset = 0;
  std::uint64_t length = 0;  // without the line break
  std::uint64_t row = 0;     // of the whole input, from 0
  friend bool operator==(const RowPlace&, const RowPlace&) = default;
};

struct RowName {
  std::string_view file;
  RowPlace place;
};

std::string row_name(std::string_view file, const RowPlace& place);

std::optional<RowName> parse_row_name(std::string_view name);

// The file that a row stands in; any other name is that of a file itself.
std::string_view file_of_row(std::string_view name);

}  // namespace windrow
