// SPDX-License-Identifier: Apache-2.0
#include "data/tables/row_groups.h"

#include "base/text.h"
#include "core/table/arrow_footer.h"

namespace windrow {
namespace {

class Parts {
 public:
  Parts(File& file, const std::string& path, std::uint64_t size)
      : file_(file), path_(path), size_(size) {}

  Result<std::vector<RowGroup>> parquet() {
    ASSIGN_OR_RETURN(const std::string tail, end(kParquetTail, 0));
    ASSIGN_OR_RETURN(const std::uint64_t length, named(parquet_footer_length(tail, size_)));
    ASSIGN_OR_RETURN(const std::string footer, end(length, kParquetTail));
    return named(parse_parquet_footer(footer));
  }

  Result<std::vector<RowGroup>> arrow() {
    ASSIGN_OR_RETURN(const std::string tail, end(kArrowTail, 0));
    ASSIGN_OR_RETURN(const std::uint64_t length, named(arrow_footer_length(tail, size_)));
    ASSIGN_OR_RETURN(const std::string footer, end(length, kArrowTail));
    ASSIGN_OR_RETURN(const std::vector<ArrowBlock> blocks, named(parse_arrow_footer(footer)));
    std::vector<RowGroup> groups;
    for (const ArrowBlock& block : blocks) {
      if (block.offset > size_ || block.metadata > size_ - block.offset) {
        return fail(ErrorCode::kInvalid, "{}: a record batch lies outside", path_in_quotes(path_));
      }
      ASSIGN_OR_RETURN(const std::string message, read(block.offset, block.metadata));
      ASSIGN_OR_RETURN(const std::uint64_t rows, named(arrow_batch_rows(message)));
      groups.push_back({rows, block.metadata + block.body});
    }
    return groups;
  }

 private:
  // The bytes before the last `behind` ones.
  Result<std::string> end(std::uint64_t length, std::uint64_t behind) {
    const std::uint64_t rest = size_ - std::min(size_, behind);
    const std::uint64_t some = std::min(rest, length);
    return read(rest - some, some);
  }

  Result<std::string> read(std::uint64_t offset, std::uint64_t length) {
    std::string bytes(length, '\0');
    ASSIGN_OR_RETURN(const std::size_t got, file_.read_at(offset, bytes));
    if (got == length) return bytes;
    return fail(ErrorCode::kConflict, "{} became shorter while read", path_in_quotes(path_));
  }

  template <class T>
  Result<T> named(Result<T> result) {
    if (result) return result;
    return fail(result.error().code, "{} {}", path_in_quotes(path_), result.error().message);
  }

  File& file_;
  const std::string& path_;
  std::uint64_t size_;
};

}  // namespace

Result<std::vector<RowGroup>> read_row_groups(File& file,
                                              const std::string& path,
                                              std::uint64_t size,
                                              TableFormat format) {
  Parts parts(file, path, size);
  return format == TableFormat::kParquet ? parts.parquet() : parts.arrow();
}

}  // namespace windrow
