// SPDX-License-Identifier: Apache-2.0
//
// The record batches of an Arrow IPC file (Feather V2), from the footer at its end.
//
// A caller reads the last kArrowTail bytes, asks arrow_footer_length() how long the footer before
// them is, reads that and hands it to parse_arrow_footer(). How many rows a batch has stands at the
// batch itself: arrow_batch_rows() is given the `metadata` bytes from `offset` on. Both are
// flatbuffers, of which only what is needed is understood.
//
// Thread: any; values in, values out. Failure: a file of another kind, or one that contradicts
// itself. The messages do not name the file: the caller puts it in front. Work and memory are
// bounded by the length of what is given, whatever it says.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace windrow {

// Where a record batch lies in its file. The end of a block fits 63 bits; whether it lies within
// the file is for the caller to see.
struct ArrowBlock {
  std::uint64_t offset = 0;
  std::uint64_t metadata = 0;  // bytes of the message from `offset` on; at most 1 GiB
  std::uint64_t body = 0;      // bytes of the columns behind it
  friend bool operator==(const ArrowBlock&, const ArrowBlock&) = default;
};

inline constexpr std::size_t kArrowTail = 10;

// `tail` are the last bytes of the file, kArrowTail of them or all there are.
Result<std::uint64_t> arrow_footer_length(std::string_view tail, std::uint64_t file_size);

// In the order of the file, one behind the other.
Result<std::vector<ArrowBlock>> parse_arrow_footer(std::string_view footer);

// The number of rows of the batch whose message this is.
Result<std::uint64_t> arrow_batch_rows(std::string_view message);

}  // namespace windrow
