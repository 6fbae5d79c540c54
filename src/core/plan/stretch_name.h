// SPDX-License-Identifier: Apache-2.0
//
// The name of a stretch of rows in a file of a table: what a mini-batch of a table is made of.
//
// "sales.csv@1048603+1048551#0*0" is the 1,048,551 bytes of text from byte 1,048,603 on, whose rows
// nobody has counted; "sales.csv@17+9000#500*250" has 250 rows, the first of them row 500 of the
// whole input, from 0. In Parquet and Arrow files place and length count rows of the file instead
// of bytes. Length 0 is the whole file. "/100+50" at the end: of its rows only 50, from the 100th
// on. Only where the items of a job are rows of a table: a file may have any name.
//
// Thread: any; values in, values out. Failure: nothing for any other name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"

namespace windrow {

struct Stretch {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::uint64_t row = 0;   // of the whole input
  std::uint32_t rows = 0;  // 0: neither is known
  friend bool operator==(const Stretch&, const Stretch&) = default;
};

struct StretchName {
  std::string_view file;
  Stretch stretch;
  ItemRange window;  // count 0: all its rows
};

std::string stretch_name(std::string_view file, const Stretch& stretch);

// The name of some rows of what is named.
std::string window_name(std::string_view name, const ItemRange& rows);

std::optional<StretchName> parse_stretch_name(std::string_view name);

// Whether it names some rows of a stretch by their numbers.
bool is_window(std::string_view name);

// The file that a stretch lies in; any other name is that of a file itself.
std::string_view file_of_stretch(std::string_view name);

}  // namespace windrow
