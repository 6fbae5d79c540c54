// SPDX-License-Identifier: Apache-2.0
#include "journal/accepted_input.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/counted.h"

namespace windrow {
namespace {

constexpr std::string_view kStem = "accepted_input.";

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number value = 0;
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && at == text.data() + text.size();
  return whole ? std::optional(value) : std::nullopt;
}

// The value of the line that begins with this key; empty without one.
std::string_view value_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.starts_with(key)) return line.substr(key.size());
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return "";
}

std::optional<AcceptedInput> read_one(FileSystem& fs, const std::string& path) {
  const auto file = fs.open(path);
  if (!file) return std::nullopt;
  const auto size = (*file)->size();
  if (!size) return std::nullopt;
  std::string text(*size, '\0');
  const auto got = (*file)->read_at(0, text);
  if (!got) return std::nullopt;
  text.resize(*got);
  const auto up_to = number_in<std::int64_t>(value_of(text, "up_to: "));
  const auto files = number_in<std::uint64_t>(value_of(text, "files: "));
  if (!up_to || !files) return std::nullopt;
  return AcceptedInput{*files, std::string(value_of(text, "first: ")), WallTime{*up_to}};
}

}  // namespace

std::string accepted_text(const AcceptedInput& accepted) {
  return fmt::format("{} {} newer than the plan and {} accepted, the first: '{}'",
                     counted(accepted.files, "file"),
                     is_or_are(accepted.files),
                     accepted.files == 1 ? "was" : "were",
                     accepted.first);
}

Status write_accepted_input(FileSystem& fs,
                            const std::string& state_folder,
                            Epoch epoch,
                            const AcceptedInput& accepted) {
  ASSIGN_OR_RETURN(const std::unique_ptr<File> file,
                   fs.create(fmt::format("{}/{}{}", state_folder, kStem, epoch)));
  RETURN_IF_ERROR(file->write_at(0,
                                 fmt::format("up_to: {}\nfiles: {}\nfirst: {}\n",
                                             accepted.up_to.nanoseconds,
                                             accepted.files,
                                             accepted.first)));
  RETURN_IF_ERROR(file->sync());
  return fs.sync_folder(state_folder);
}

std::vector<AcceptedInput> read_accepted_input(FileSystem& fs, const std::string& state_folder) {
  std::vector<std::pair<Epoch, AcceptedInput>> found;
  if (const auto entries = fs.list(state_folder)) {
    for (const FolderEntry& entry : *entries) {
      if (!entry.name.starts_with(kStem)) continue;
      const auto epoch = number_in<Epoch>(std::string_view(entry.name).substr(kStem.size()));
      auto one = epoch ? read_one(fs, state_folder + "/" + entry.name) : std::nullopt;
      if (one) found.emplace_back(*epoch, *std::move(one));
    }
  }
  std::ranges::sort(found, {}, [](const auto& one) { return one.first; });
  std::vector<AcceptedInput> out;
  for (auto& [epoch, one] : found) out.push_back(std::move(one));
  return out;
}

WallTime accepted_up_to(FileSystem& fs, const std::string& state_folder) {
  WallTime up_to;
  for (const AcceptedInput& one : read_accepted_input(fs, state_folder)) {
    up_to.nanoseconds = std::max(up_to.nanoseconds, one.up_to.nanoseconds);
  }
  return up_to;
}

}  // namespace windrow
