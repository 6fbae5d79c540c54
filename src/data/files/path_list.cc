// SPDX-License-Identifier: Apache-2.0
#include "data/files/path_list.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/json.h"

namespace windrow {
namespace {

constexpr std::size_t kReadSize = 1U << 16;
constexpr std::size_t kPathMax = 1U << 14;  // four times what a system call takes
constexpr std::size_t kJsonMax = 1U << 24;  // a line has a traceback, too

}  // namespace

Result<PathList> PathList::open(FileSystem& fs, const std::string& path) {
  ASSIGN_OR_RETURN(std::unique_ptr<File> file, fs.open(path));
  return read(std::move(file), path);
}

Result<PathList> PathList::read(std::shared_ptr<File> file, std::string title) {
  PathList list(std::move(file), std::move(title));
  RETURN_IF_ERROR(list.fill());
  // The first path of a list with NUL bytes ends with one, and no path is as long as this buffer.
  if (!list.json_ && list.buffer_.find('\0') != std::string::npos) list.separator_ = '\0';
  return list;
}

// Reads more behind what is left. False at the end of the file.
Result<bool> PathList::fill() {
  buffer_.erase(0, std::exchange(at_, 0));
  const std::size_t left = buffer_.size();
  buffer_.resize(left + kReadSize);
  ASSIGN_OR_RETURN(const std::size_t got,
                   file_->read_at(offset_, std::span(buffer_).subspan(left, kReadSize)));
  buffer_.resize(left + got);
  offset_ += got;
  return got > 0;
}

Result<std::optional<std::string>> PathList::next() {
  for (;;) {
    ASSIGN_OR_RETURN(std::optional<std::string> entry, next_entry());
    if (!entry || !json_) return entry;
    ASSIGN_OR_RETURN(std::string item, item_of(*entry));
    if (!item.empty()) return item;
    ++unnamed_;
  }
}

// The path in a line of JSON; empty when it says that there is none.
Result<std::string> PathList::item_of(const std::string& line) {
  const Result<Json> json = parse_json(line);
  const Json* const places = json ? json->find("row_places") : nullptr;
  const auto* const text = places == nullptr ? nullptr : places->get<std::string>();
  row_places_ = text == nullptr ? "" : *text;
  const Json* const item = json ? json->find("item") : nullptr;
  if (item != nullptr && item->get<std::nullptr_t>() != nullptr) return "";
  const auto* const path = item == nullptr ? nullptr : item->get<std::string>();
  if (path != nullptr && !path->empty() && path->find('\0') == std::string::npos) return *path;
  return fail(ErrorCode::kInvalid,
              "{}: line {} has no path under \"item\"; a list in .jsonl has one JSON object to a "
              "line, as logs/failed_items.jsonl of a job",
              title_,
              number_);
}

Result<std::optional<std::string>> PathList::next_entry() {
  const std::size_t longest = json_ ? kJsonMax : kPathMax;
  for (;;) {
    std::size_t end = buffer_.find(separator_, at_);
    if (end == std::string::npos) {
      if (buffer_.size() - at_ <= longest) {
        ASSIGN_OR_RETURN(const bool more, fill());
        if (more) continue;
      }
      if (at_ == buffer_.size()) return std::nullopt;
      end = buffer_.size();
    }
    ++number_;
    std::string path = buffer_.substr(at_, end - at_);
    at_ = std::min(end + 1, buffer_.size());
    if (path.empty()) continue;
    if (path.size() > longest || path.find('\0') != std::string::npos) {
      return fail(ErrorCode::kInvalid,
                  "{}: entry {} {}; a list holds one path to a line, or paths separated by NUL "
                  "bytes",
                  title_,
                  number_,
                  path.size() > longest ? "is longer than a path can be" : "holds a NUL byte");
    }
    return path;
  }
}

}  // namespace windrow
