// SPDX-License-Identifier: Apache-2.0
//
// An MLTable file drawn part by part, with what its reader must make of it: the table, or a problem
// for each part that is wrong, on its line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/table/mltable.h"
#include "drawn_value.h"
#include "random.h"

namespace windrow::sim {

struct DrawnMlTable {
  std::string text;
  MlTable table;                        // its notices are not said
  std::vector<std::uint32_t> problems;  // the line of each
  std::vector<std::uint32_t> notices;
};

class MlTableDraft {
 public:
  MlTableDraft(Random& random, std::uint32_t wrong_per_mille)
      : random_(random), wrong_per_mille_(wrong_per_mille) {}

  DrawnMlTable draw();

 private:
  // A key below a step.
  struct Key {
    std::string name;
    std::string yaml;
    std::uint32_t problems = 0;
    bool noted = false;
  };
  // A YAML text, and the JSON that must come of it or how many problems.
  struct Said {
    std::string yaml;
    std::string json;
    std::uint32_t problems = 0;
  };

  [[nodiscard]] bool wrong() { return random_.per_mille(wrong_per_mille_); }
  [[nodiscard]] bool maybe(std::uint32_t per_mille) { return random_.per_mille(per_mille); }
  std::string one_of(const std::vector<std::string>& texts) { return draw_from(random_, texts); }

  void line(const std::string& text) { out_.text += text + "\n", ++line_; }
  void blame(std::uint32_t count = 1) { out_.problems.insert(out_.problems.end(), count, line_); }

  void draw_root_keys();
  void draw_paths();
  void draw_path();
  void draw_steps();
  void draw_read();
  void draw_text_keys(TableSpec& table, std::vector<Key>& keys);
  Key draw_flag(const std::string& name, bool& into);
  Key draw_delimiter(TableSpec& table);
  Key draw_inference(TableSpec& table);
  void write_keys(const std::string& name, const std::vector<Key>& keys, bool beside);
  void draw_extraction();
  void draw_step();
  Said draw_argument(const std::string& name);
  Said draw_columns();
  Said draw_sample();
  Said draw_types();
  void add_step(const std::string& name, const Said& said);
  void write_misspelt();

  Random& random_;
  std::uint32_t wrong_per_mille_;
  DrawnMlTable out_;
  std::uint32_t line_ = 0;
  std::vector<std::uint32_t> early_;  // lines of steps that stand before a read step
  bool extracted_ = false;
};

}  // namespace windrow::sim
