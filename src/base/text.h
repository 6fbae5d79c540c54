// SPDX-License-Identifier: Apache-2.0
//
// Text for people: quoting, escaping, the nearest right name, durations and counts.
//
// Text is bytes and may not be UTF-8 (file names); what these functions return always is.
// Thread: any; values in, values out. Failure: none.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/time.h"

namespace windrow {

// Length of the UTF-8 character at the start of `text` (1 to 4), or 0 when it is none: overlong
// forms, surrogates, values over U+10FFFF and cut characters are none.
std::size_t utf8_length(std::string_view text);

// Position of the first byte that is not part of a UTF-8 character; npos when all are.
std::size_t find_invalid_utf8(std::string_view text);

// Control characters and bytes that are not UTF-8 as \n, \t, \r or \xNN, a backslash as \\.
std::string escape_bytes(std::string_view text);

// For messages: 'text', escaped, and cut with "..." after about 80 bytes.
std::string in_quotes(std::string_view text);

// For messages: 'path', escaped and whole, so that it can be copied.
std::string path_in_quotes(std::string_view path);

// Letters added, left out, changed or swapped with their neighbour to get from one to the other.
// REQUIRES: short text; costs the product of the lengths.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate that `name` is probably a misspelling of, if any is near enough; the first of
// equals.
std::optional<std::string_view> nearest_name(std::string_view name,
                                             std::span<const std::string_view> candidates);

// "850 us", "12 ms", "3.4 s", "2 min 5 s", "1 h 0 min", "3 d 4 h". A negative one gets a minus.
std::string human_duration(Duration duration);

// "60 s", "7.5 s", "86400 s": as settings are given.
std::string in_seconds(Duration duration);

// "1,234,567"
std::string human_count(std::uint64_t count);

// "512 B", "1.5 KB", "3.2 GB"; 1 KB = 1024 bytes.
std::string human_bytes(std::uint64_t bytes);

// ASCII only, whatever the locale.
bool is_digit(char c);
bool is_letter_or_digit(char c);
std::string lower_case(std::string_view text);

// Without spaces, tabs and line ends at both ends.
std::string_view trimmed(std::string_view text);

}  // namespace windrow
