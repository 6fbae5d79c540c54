// SPDX-License-Identifier: Apache-2.0
//
// Globs over file names and paths.
//
// `*` stands for any characters, `?` for one, `[abc]`, `[a-z]` and `[!a]` for one of a set or of
// its complement, all within one name; `**` as a whole name stands for folders at any depth, and at
// the end for everything below. A leading dot is a character like any other. A character is one of
// UTF-8, or a single byte where the bytes are not UTF-8.
//
// Thread: any; values. Failure: none: a bracket that is not closed stands for itself.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace windrow {

// Whether the text holds `*`, `?` or `[`.
bool has_glob_characters(std::string_view text);

// Whether one name, without a slash, is matched by one pattern without a slash.
bool glob_matches_name(std::string_view pattern, std::string_view name);

// A pattern with slashes, followed while a tree of folders is walked.
class Glob {
 public:
  // How far the pattern may be matched by the folders above: places in it.
  using Places = std::vector<std::uint32_t>;

  explicit Glob(std::string_view pattern);

  // Before the first name.
  [[nodiscard]] Places begin() const;
  // After a folder of this name; empty when nothing below it can match.
  [[nodiscard]] Places enter(const Places& places, std::string_view folder) const;
  // Whether a last name of this kind completes the pattern.
  [[nodiscard]] bool matches(const Places& places, std::string_view name) const;

  // Whether the whole relative path matches.
  [[nodiscard]] bool matches_path(std::string_view path) const;

 private:
  void add(std::uint32_t place, Places& places) const;

  std::vector<std::string> parts_;
};

// What is left out of an input. A pattern without a slash is for names at any depth, one with a
// slash for paths; what matches a folder leaves out all that is in it.
class IgnoreRules {
 public:
  IgnoreRules() = default;
  explicit IgnoreRules(const std::vector<std::string>& patterns);

  [[nodiscard]] bool empty() const { return names_.empty() && paths_.empty(); }
  // For an entry met on a walk, whose folders were asked for before. `path` ends with `name`.
  [[nodiscard]] bool leaves_out(std::string_view path, std::string_view name) const;
  // For a path that comes from nowhere: asks for its folders as well.
  [[nodiscard]] bool leaves_out_any(std::string_view path) const;

 private:
  std::vector<std::string> names_;
  std::vector<Glob> paths_;
};

}  // namespace windrow
