// SPDX-License-Identifier: Apache-2.0
//
// SHA-256: the identity of content. Two contents with the same hash are treated as the same one.
//
// Thread: one object, one thread. Failure: none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace windrow {

class Sha256 {
 public:
  void update(std::string_view bytes);

  // Adds the length and then the bytes, so that ("ab", "c") and ("a", "bc") differ.
  void update_field(std::string_view bytes);

  // 64 hexadecimal digits. The object is of no further use.
  std::string finish();

 private:
  void block(const unsigned char* bytes);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667,
                                         0xbb67ae85,
                                         0x3c6ef372,
                                         0xa54ff53a,
                                         0x510e527f,
                                         0x9b05688c,
                                         0x1f83d9ab,
                                         0x5be0cd19};
  std::array<unsigned char, 64> rest_{};  // what does not fill a block yet
  std::uint64_t length_ = 0;              // bytes so far
};

std::string sha256(std::string_view bytes);

}  // namespace windrow
