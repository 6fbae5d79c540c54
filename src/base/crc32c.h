// SPDX-License-Identifier: Apache-2.0
//
// CRC-32C (Castagnoli), the checksum of every record that Windrow writes.
#pragma once

#include <cstdint>
#include <string_view>

namespace windrow {

// The checksum of `bytes` appended to what gave `before`; 0 stands for nothing.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);

}  // namespace windrow
