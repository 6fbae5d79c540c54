// SPDX-License-Identifier: Apache-2.0
//
// A job file written key by key, in whatever style the dice say, that remembers on which line each
// key came to stand.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "random.h"

namespace windrow::sim {

// The text as a YAML scalar: plain where it may be, in one of both quotes, or as !!binary.
std::string yaml_text(Random& random, std::string_view text);

// A list of such, in brackets.
std::string yaml_list(Random& random, const std::vector<std::string>& texts);

class YamlPage {
 public:
  explicit YamlPage(Random& random) : random_(random) {}

  // Puts YAML behind the key at the end of a path, "task.code"; a key that is there stays.
  void put(std::string_view path, std::string yaml);
  // The same with a key that may hold points.
  void put_below(std::string_view map, const std::string& key, std::string yaml);
  void put_text(std::string_view path, std::string_view text) {
    put(path, yaml_text(random_, text));
  }
  [[nodiscard]] bool has(std::string_view path) const { return find(path) != nullptr; }

  std::string render();
  // The line of what stands behind the path ("" is the root): a map stands where its first key
  // does. REQUIRES: rendered, and the path is there.
  [[nodiscard]] std::uint32_t line_of(std::string_view path) const;

 private:
  struct Twig {
    std::string key;
    std::string yaml;
    std::vector<Twig> below = {};
    std::uint32_t line = 0;
  };

  Twig& child(Twig& twig, std::string_view key);
  [[nodiscard]] const Twig* find(std::string_view path) const;
  void render(Twig& twig, std::uint32_t depth, std::string& out);
  void end_line(std::string& out);

  Random& random_;
  Twig root_;
  std::uint32_t line_ = 1;
  std::string line_end_;
};

}  // namespace windrow::sim
