// SPDX-License-Identifier: Apache-2.0
#include "core/plan/glob.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace windrow {
namespace {

constexpr std::string_view kAnyDepth = "**";

struct Character {
  std::uint32_t code = 0;  // bytes that are not UTF-8 come behind all characters
  std::size_t length = 1;
};

// REQUIRES: text is not empty.
Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = utf8_length(text);
  if (length == 0) return {0x110000U + lead, 1};
  std::uint32_t code = lead & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    code = (code << 6U) | (static_cast<unsigned char>(text[i]) & 0x3fU);
  }
  return {code, length};
}

// The set that a pattern begins with, up to and with its bracket.
struct Set {
  std::size_t length = 0;
  bool matches = false;
};

// Nothing when the bracket is never closed. A closing bracket that stands first is a member.
std::optional<Set> match_set(std::string_view pattern, std::uint32_t code) {
  std::size_t at = 1;
  const bool complement = at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^');
  if (complement) ++at;
  bool found = false;
  for (bool first = true; at < pattern.size(); first = false) {
    if (pattern[at] == ']' && !first) return Set{at + 1, found != complement};
    const Character low = first_character(pattern.substr(at));
    at += low.length;
    Character high = low;
    if (at + 1 < pattern.size() && pattern[at] == '-' && pattern[at + 1] != ']') {
      high = first_character(pattern.substr(at + 1));
      at += 1 + high.length;
    }
    found = found || (low.code <= code && code <= high.code);
  }
  return std::nullopt;
}

// Whether one character is matched by what the pattern begins with, and how long that is.
Set match_one(std::string_view pattern, const Character& character) {
  if (pattern.front() == '?') return {1, true};
  if (pattern.front() == '[') {
    if (const auto set = match_set(pattern, character.code)) return *set;
  }
  const Character expected = first_character(pattern);
  return {expected.length, expected.code == character.code};
}

std::vector<std::string> split_path(std::string_view path) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    if (!part.empty() && part != ".") parts.emplace_back(part);
    at = end + 1;
  }
  return parts;
}

}  // namespace

bool has_glob_characters(std::string_view text) {
  return text.find_first_of("*?[") != std::string_view::npos;
}

// After a mismatch only the last `*` has to take one character more: what an earlier one could take
// instead, the last one can take too.
bool glob_matches_name(std::string_view pattern, std::string_view name) {
  // `*.jpg`, for a million names.
  if (pattern.starts_with('*') && !has_glob_characters(pattern.substr(1))) {
    return name.ends_with(pattern.substr(1));
  }
  std::optional<std::string_view> after_star;
  std::string_view star_name;
  while (!name.empty() || !pattern.empty()) {
    if (!pattern.empty() && pattern.front() == '*') {
      pattern.remove_prefix(1);
      after_star = pattern;
      star_name = name;
      continue;
    }
    if (!pattern.empty() && !name.empty()) {
      const Character character = first_character(name);
      const Set one = match_one(pattern, character);
      if (one.matches) {
        pattern.remove_prefix(one.length);
        name.remove_prefix(character.length);
        continue;
      }
    }
    if (!after_star || star_name.empty()) return false;
    star_name.remove_prefix(first_character(star_name).length);
    pattern = *after_star;
    name = star_name;
  }
  return true;
}

Glob::Glob(std::string_view pattern) : parts_(split_path(pattern)) {}

// `**` may also stand for no folder at all.
void Glob::add(std::uint32_t place, Places& places) const {
  for (; place < parts_.size(); ++place) {
    if (std::ranges::find(places, place) == places.end()) places.push_back(place);
    if (parts_[place] != kAnyDepth) break;
  }
}

Glob::Places Glob::begin() const {
  Places places;
  add(0, places);
  return places;
}

Glob::Places Glob::enter(const Places& places, std::string_view folder) const {
  Places next;
  for (const std::uint32_t place : places) {
    if (parts_[place] == kAnyDepth) {
      add(place, next);
    } else if (glob_matches_name(parts_[place], folder)) {
      add(place + 1, next);
    }
  }
  return next;
}

bool Glob::matches(const Places& places, std::string_view name) const {
  // Only the last part can take the last name; earlier ones need more to follow.
  const auto last = static_cast<std::uint32_t>(parts_.size() - 1);
  if (std::ranges::find(places, last) == places.end()) return false;
  return parts_[last] == kAnyDepth || glob_matches_name(parts_[last], name);
}

bool Glob::matches_path(std::string_view path) const {
  const std::vector<std::string> names = split_path(path);
  if (names.empty() || parts_.empty()) return false;
  Places places = begin();
  for (std::size_t i = 0; i + 1 < names.size(); ++i) places = enter(places, names[i]);
  return matches(places, names.back());
}

IgnoreRules::IgnoreRules(const std::vector<std::string>& patterns) {
  for (const std::string& pattern : patterns) {
    if (pattern.find('/') == std::string::npos) {
      names_.push_back(pattern);
    } else {
      paths_.emplace_back(pattern);
    }
  }
}

bool IgnoreRules::leaves_out(std::string_view path, std::string_view name) const {
  return std::ranges::any_of(names_,
                             [&](const auto& one) { return glob_matches_name(one, name); }) ||
         std::ranges::any_of(paths_, [&](const Glob& one) { return one.matches_path(path); });
}

bool IgnoreRules::leaves_out_any(std::string_view path) const {
  if (empty()) return false;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    if (end > at && leaves_out(path.substr(0, end), path.substr(at, end - at))) return true;
    at = end + 1;
  }
  return false;
}

}  // namespace windrow
