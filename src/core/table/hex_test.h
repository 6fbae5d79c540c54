// SPDX-License-Identifier: Apache-2.0
//
// Bytes of files that other programs have written, as tests hold them.
#pragma once

#include <string>
#include <string_view>

namespace windrow {

inline std::string from_hex(std::string_view digits) {
  std::string bytes;
  for (std::size_t at = 0; at + 1 < digits.size(); at += 2) {
    bytes += static_cast<char>(std::stoi(std::string(digits.substr(at, 2)), nullptr, 16));
  }
  return bytes;
}

}  // namespace windrow
