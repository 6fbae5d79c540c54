// SPDX-License-Identifier: Apache-2.0
//
// Reads values out of a tree and collects every problem on the way, so that a user fixes a file
// once.
//
// A function that returns nothing has either found nothing there or reported why it refuses; the
// caller then keeps the default and reads on. Each value that is read leaves its origin.
//
// Thread: one object, one thread. Ownership: the tree and the file name outlive the reader.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "core/spec/job_keys.h"
#include "core/spec/job_spec.h"
#include "core/spec/node.h"

namespace windrow {

// A node and the path of keys that leads to it.
struct Place {
  const Node* node = nullptr;  // never null
  std::string path;            // "" for the root
};

class TreeReader {
 public:
  explicit TreeReader(std::string_view file) : file_(file) {}

  void problem(const Place& place, std::string_view message);
  void notice(const Place& place, std::string_view message);
  // The same for what stands behind a key of a map. REQUIRES: the key is there.
  void problem_at(const Place& map, std::string_view key, std::string_view message);
  void notice_at(const Place& map, std::string_view key, std::string_view message);
  // Two settings that do not go together: a problem when `refused`, else a notice.
  void contradiction(const Place& place, std::string_view message, bool refused);
  // `key` should stand in the map `place` and does not.
  void missing(const Place& place, std::string_view key);

  // The value behind a key of a map; nothing when the key is not there.
  std::optional<Place> at(const Place& map, std::string_view key);
  // The value of one of a map's entries: at() without the search, for going through all of them.
  Place child(const Place& map, const Entry& entry);

  // Whether the place holds a map; a problem when it does not.
  bool is_map(const Place& place);
  // at() and is_map() together, and every key checked.
  std::optional<Place> map_at(const Place& map, std::string_view key, const KeySet& keys);
  // Refuses the keys that are not in the set, with the nearest one that is; notices idle ones.
  void check_keys(const Place& map, const KeySet& keys);

  // The scalar at the place; a problem when it is none.
  std::optional<std::string> text(const Place& place);
  std::optional<std::string> text_at(const Place& map, std::string_view key);

  // The scalar behind the key, understood by `parse`: a function from text to Result<T>.
  template <class Parse>
  auto value_at(const Place& map, std::string_view key, Parse parse)
      -> std::optional<typename decltype(parse(std::string_view()))::value_type> {
    const std::optional<Place> place = at(map, key);
    if (!place) return std::nullopt;
    const std::optional<std::string> said = text(*place);
    if (!said) return std::nullopt;
    auto result = parse(std::string_view(*said));
    if (result) return *std::move(result);
    problem(*place, result.error().message);
    return std::nullopt;
  }

  // One of `allowed`; those of `not_yet` are refused as not supported yet.
  std::optional<std::string> choice_at(const Place& map,
                                       std::string_view key,
                                       std::span<const std::string_view> allowed,
                                       std::span<const std::string_view> not_yet = {});

  // Messages about the value at `path` call it `name`: the file has another word for it.
  void show_as(std::string_view path, std::string name) {
    shown_as_[std::string(path)] = std::move(name);
  }

  // "job.yml:3:5", or the flag.
  std::string where_is(const Place& place) const;
  // For a value that was found elsewhere than behind its key.
  void set_origin(std::string_view path, std::string origin) {
    origins_[std::string(path)] = std::move(origin);
  }

  bool has_problems() const { return !problems_.empty(); }
  Origins take_origins() { return std::move(origins_); }
  // In the order of the file; flags after it. At most a hundred and a last one with the rest's
  // count.
  std::vector<Problem> take_problems() { return in_order(std::move(problems_)); }
  std::vector<Problem> take_notices() { return in_order(std::move(notices_)); }

 private:
  struct Marked {
    Mark mark;
    Problem problem;
  };
  static std::vector<Problem> in_order(std::vector<Marked> marked);
  void add(std::vector<Marked>& list,
           const Mark& mark,
           std::string_view path,
           std::string_view text);

  std::string_view shown(std::string_view path) const;

  std::string_view file_;
  std::map<std::string, std::string, std::less<>> shown_as_;
  Origins origins_;
  std::vector<Marked> problems_;
  std::vector<Marked> notices_;
};

}  // namespace windrow
