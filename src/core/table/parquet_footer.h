// SPDX-License-Identifier: Apache-2.0
//
// The row groups of a Parquet file, from the footer at its end.
//
// A caller reads the last kParquetTail bytes, asks parquet_footer_length() how long the footer
// before them is, reads that and hands it to parse_parquet_footer(). Of the footer, which is one
// struct of Thrift's compact protocol, only the sizes of row groups are understood; all else is
// stepped over, so that a file of a later version is read as far as it says the same.
//
// Thread: any; values in, values out. Failure: a file of another kind, or one that contradicts
// itself. The messages do not name the file: the caller puts it in front. Work and memory are
// bounded by the length of the footer, whatever it says.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace windrow {

struct RowGroup {
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;  // on disk: compressed
  friend bool operator==(const RowGroup&, const RowGroup&) = default;
};

inline constexpr std::size_t kParquetTail = 8;

// `tail` are the last bytes of the file, kParquetTail of them or all there are.
Result<std::uint64_t> parquet_footer_length(std::string_view tail, std::uint64_t file_size);

// In the order of the file. The sums of rows and of bytes fit 63 bits.
Result<std::vector<RowGroup>> parse_parquet_footer(std::string_view footer);

}  // namespace windrow
