// SPDX-License-Identifier: Apache-2.0
#include "core/spec/tree_reader.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "core/spec/yaml.h"

namespace windrow {
namespace {

constexpr std::size_t kProblemsMax = 100;
constexpr std::size_t kKeysListed = 20;

std::string joined(std::string_view path, std::string_view key) {
  if (path.empty()) return std::string(key);
  return fmt::format("{}.{}", path, key);
}

bool contains(std::span<const std::string_view> list, std::string_view text) {
  return std::ranges::find(list, text) != list.end();
}

// What to write in place of a key that is not in the set.
std::string right_key(std::string_view key, const KeySet& keys) {
  const auto moved = std::ranges::find(keys.moved, key, &MovedKey::key);
  const std::optional<std::string_view> right =
      moved == keys.moved.end() ? nearest_name(key, keys.known) : std::optional(moved->right);
  if (right) return fmt::format("did you mean '{}'?", *right);
  if (keys.known.size() > kKeysListed) return "`windrow help settings` lists those there are";
  return fmt::format("allowed are {}", fmt::join(keys.known, ", "));
}

// "a", "a or b", "a, b or c". REQUIRES: at least one.
std::string words_joined(std::span<const std::string_view> words) {
  const auto before = words.first(words.size() - 1);
  return fmt::format("{}{}{}", fmt::join(before, ", "), before.empty() ? "" : " or ", words.back());
}

}  // namespace

void TreeReader::add(std::vector<Marked>& list,
                     const Mark& mark,
                     std::string_view path,
                     std::string_view text) {
  // A flag says by its name what it is about; a place in a file does not.
  const bool in_file = mark.line > 0 && !path.empty();
  list.push_back(
      {mark,
       {where(file_, mark),
        in_file ? fmt::format("{}: {}", escape_bytes(shown(path)), text) : std::string(text)}});
}

std::string_view TreeReader::shown(std::string_view path) const {
  const auto found = shown_as_.find(path);
  return found == shown_as_.end() ? path : found->second;
}

void TreeReader::problem(const Place& place, std::string_view message) {
  add(problems_, place.node->mark, place.path, message);
}

void TreeReader::notice(const Place& place, std::string_view message) {
  add(notices_, place.node->mark, place.path, message);
}

void TreeReader::problem_at(const Place& map, std::string_view key, std::string_view message) {
  if (const std::optional<Place> place = at(map, key)) problem(*place, message);
}

void TreeReader::notice_at(const Place& map, std::string_view key, std::string_view message) {
  if (const std::optional<Place> place = at(map, key)) notice(*place, message);
}

void TreeReader::contradiction(const Place& place, std::string_view message, bool refused) {
  if (refused) {
    problem(place, message);
  } else {
    notice(place, message);
  }
}

std::string TreeReader::where_is(const Place& place) const {
  return where(file_, place.node->mark);
}

void TreeReader::missing(const Place& place, std::string_view key) {
  const std::string path = joined(place.path, key);
  add(problems_, place.node->mark, "", fmt::format("{} is missing", shown(path)));
}

std::optional<Place> TreeReader::at(const Place& map, std::string_view key) {
  const Node* node = map.node->find(key);
  if (node == nullptr) return std::nullopt;
  Place place{node, joined(map.path, key)};
  origins_[place.path] = where(file_, node->mark);
  return place;
}

Place TreeReader::child(const Place& map, const Entry& entry) {
  Place place{&entry.value, joined(map.path, entry.key)};
  origins_[place.path] = where(file_, entry.value.mark);
  return place;
}

bool TreeReader::is_map(const Place& place) {
  if (place.node->kind == Node::Kind::kMap) return true;
  problem(place,
          place.node->kind == Node::Kind::kNull ? "is empty; keys are expected below it"
                                                : "keys are expected below it");
  return false;
}

std::optional<Place> TreeReader::map_at(const Place& map,
                                        std::string_view key,
                                        const KeySet& keys) {
  std::optional<Place> place = at(map, key);
  if (!place || !is_map(*place)) return std::nullopt;
  check_keys(*place, keys);
  return place;
}

void TreeReader::check_keys(const Place& map, const KeySet& keys) {
  for (const Entry& entry : map.node->entries) {
    if (contains(keys.known, entry.key)) continue;
    // The path of the map, not of the key: the message names the key itself.
    const auto refuse = [&](std::string_view message) {
      add(problems_, entry.mark, map.path, message);
    };
    if (contains(keys.not_yet, entry.key)) {
      const std::string_view why = why_not_yet(entry.key);
      refuse(fmt::format(
          "key '{}' is not supported yet{}{}", entry.key, why.empty() ? "" : ": ", why));
      continue;
    }
    if (contains(keys.idle, entry.key)) {
      notice_at(map, entry.key, "has no effect here");
      continue;
    }
    refuse(fmt::format("unknown key {}; {}", in_quotes(entry.key), right_key(entry.key, keys)));
  }
}

std::optional<std::string> TreeReader::text(const Place& place) {
  switch (place.node->kind) {
    case Node::Kind::kScalar:
      return place.node->text;
    case Node::Kind::kNull:
      problem(place, "is empty; leave it out or give it a value");
      break;
    case Node::Kind::kSequence:
      problem(place, "is a list; one value is expected");
      break;
    case Node::Kind::kMap:
      problem(place, "has keys below it; one value is expected");
      break;
  }
  return std::nullopt;
}

std::optional<std::string> TreeReader::text_at(const Place& map, std::string_view key) {
  const std::optional<Place> place = at(map, key);
  return place ? text(*place) : std::nullopt;
}

std::optional<std::string> TreeReader::choice_at(const Place& map,
                                                 std::string_view key,
                                                 std::span<const std::string_view> allowed,
                                                 std::span<const std::string_view> not_yet) {
  const std::optional<Place> place = at(map, key);
  if (!place) return std::nullopt;
  std::optional<std::string> said = text(*place);
  if (!said || contains(allowed, *said)) return said;
  problem(*place,
          fmt::format("{} is {}; allowed is {}",
                      in_quotes(*said),
                      contains(not_yet, *said) ? "not supported yet" : "not known",
                      words_joined(allowed)));
  return std::nullopt;
}

std::vector<Problem> TreeReader::in_order(std::vector<Marked> marked) {
  std::ranges::stable_sort(marked, [](const Marked& a, const Marked& b) {
    return std::tuple(a.mark.line == 0, a.mark.line, a.mark.column) <
           std::tuple(b.mark.line == 0, b.mark.line, b.mark.column);
  });
  std::vector<Problem> problems;
  for (Marked& one : marked) {
    if (problems.size() == kProblemsMax) {
      problems.push_back({one.problem.where,
                          fmt::format("from here on {} more problems",
                                      human_count(marked.size() - kProblemsMax))});
      break;
    }
    problems.push_back(std::move(one.problem));
  }
  return problems;
}

}  // namespace windrow
