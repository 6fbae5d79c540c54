// SPDX-License-Identifier: Apache-2.0
//
// Values of columns that stand in the paths of files and not in the files.
//
// A partition format is a path with keys in it: "/{Region}/{Day:yyyy/MM/dd}/data.csv" gives Region
// and Day of "base/North/2020/03/01/data.csv". `{name}` stands for one or more characters of one
// name of the path, as many as the rest leaves; `{name:yyyy/MM/dd/HH/mm/ss}`, or as many parts of
// that from the left as are wanted, for digits with `/`, `-`, `_`, `.`, `T`, a space or nothing
// between them; `*` for any characters of one name. All else stands for itself.
//
// A format reaches to the end of the path. One that does not, as in "/year={year}/month={month}",
// is also matched where a folder ends: by the last folders that fit. What stands in the path before
// the format is free, so that a path may be relative to any folder above.
//
// Thread: any; values. Failure: parse() and match() refuse with a sentence. Work is bounded by the
// product of the lengths of format and path.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace windrow {

class PartitionFormat {
 public:
  static Result<PartitionFormat> parse(std::string_view format);

  // The names, in the order of the format; no two are the same.
  [[nodiscard]] const std::vector<std::string>& keys() const { return keys_; }

  // The value of each key. Text is percent-decoded where that gives text; a date is
  // "2020-03-01", or with hours "2020-03-01T04:05:06".
  [[nodiscard]] Result<std::vector<std::string>> match(std::string_view path) const;

 private:
  friend class PartitionFormatReader;

  // Characters that stand in the path as they are, or a digit for each kDigit.
  using Block = std::string;

  struct Date {
    std::size_t key = 0;
    std::size_t block = 0;
    std::size_t begin = 0;             // in the block
    std::vector<std::size_t> numbers;  // where year, month, ... begin in the block
    std::size_t size = 0;
  };

  static bool block_stands_at(const Block& block, std::string_view path, std::size_t at);
  bool find_blocks(std::string_view path, std::size_t end, std::vector<std::size_t>& starts) const;
  bool find_inner(std::string_view path, std::vector<std::size_t>& starts) const;
  bool find_first(std::string_view path, std::vector<std::size_t>& starts) const;
  bool find_any(std::string_view path, std::vector<std::size_t>& starts) const;
  static std::string date_text(const Date& date, std::string_view digits);

  std::string format_;
  std::vector<std::string> keys_;
  // Blocks, and between each two of them a gap: the key that it is for, or kNoKey.
  std::vector<Block> blocks_;
  std::vector<std::size_t> gaps_;
  std::vector<Date> dates_;
};

// The keys and values of the folders of a path that are called key=value, percent-decoded, in the
// order of the path. Refused: a key that is there twice.
Result<std::vector<std::pair<std::string, std::string>>> match_hive(std::string_view path);

}  // namespace windrow
