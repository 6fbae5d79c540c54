// SPDX-License-Identifier: Apache-2.0
#include "data/files/row_lister.h"

#include <algorithm>
#include <utility>

namespace windrow {
namespace {

constexpr std::size_t kChunk = 1U << 20;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

}  // namespace

Result<RowLister> RowLister::open(FileSystem& fs,
                                  const std::string& path,
                                  std::string name,
                                  std::uint64_t first_row) {
  ASSIGN_OR_RETURN(std::unique_ptr<File> file, fs.open(path));
  return RowLister(std::move(file), std::move(name), first_row);
}

Result<bool> RowLister::fill() {
  buffer_.resize(kChunk);
  ASSIGN_OR_RETURN(const std::size_t got, file_->read_at(behind_, buffer_));
  buffer_.resize(got);
  behind_ += got;
  at_ = 0;
  return got > 0;
}

// A line has ended; it is a row unless it is blank.
void RowLister::end_line(std::vector<std::string>& names) {
  if (text_end_ > began_) {
    names.push_back(row_name(name_, {number_, began_, text_end_ - began_, row_++}));
  }
  ++number_;
}

Result<bool> RowLister::next(std::size_t max, std::vector<std::string>& names) {
  const std::size_t enough = names.size() + max;
  while (!ended_ && names.size() < enough) {
    if (at_ == buffer_.size()) {
      ASSIGN_OR_RETURN(const bool more, fill());
      if (!more) {
        ended_ = true;
        end_line(names);
        break;
      }
    }
    const auto rest = std::string_view(buffer_).substr(at_);
    const std::string_view part = rest.substr(0, rest.find('\n'));
    const std::uint64_t here = behind_ - rest.size();
    const auto last = std::ranges::find_if_not(part.rbegin(), part.rend(), is_blank);
    if (last != part.rend()) text_end_ = here + static_cast<std::uint64_t>(part.rend() - last);
    at_ += part.size();
    if (part.size() == rest.size()) continue;
    ++at_;
    end_line(names);
    began_ = here + part.size() + 1;
  }
  return !ended_;
}

}  // namespace windrow
