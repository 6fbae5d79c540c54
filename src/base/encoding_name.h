// SPDX-License-Identifier: Apache-2.0
//
// What encodings of text are called.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace windrow {

// Those of tables.
inline constexpr auto kEncodings = std::to_array<std::string_view>(
    {"utf8", "utf8bom", "ascii", "iso88591", "latin1", "windows1252", "utf16", "utf32"});

// One name for all spellings: of UTF-8, utf_8 and "utf 8" it is utf8, of cp1252 windows1252. Any
// other text comes back in small letters, without hyphens, underscores and spaces.
std::string encoding_name(std::string_view said);

}  // namespace windrow
