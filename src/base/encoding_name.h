// SPDX-License-Identifier: Apache-2.0
//
// What encodings of text are called.
#pragma once

#include <string>
#include <string_view>

namespace windrow {

// One name for all spellings: of UTF-8, utf_8 and "utf 8" it is utf8, of cp1252 windows1252. Any
// other text comes back in small letters, without hyphens, underscores and spaces.
std::string encoding_name(std::string_view said);

}  // namespace windrow
