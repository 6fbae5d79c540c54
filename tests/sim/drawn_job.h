// SPDX-License-Identifier: Apache-2.0
//
// A job file drawn piece by piece, with what its reader must make of it: the job, or a problem for
// each piece that is wrong, at its place and nowhere else.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/spec/job_file.h"
#include "drawn_value.h"
#include "random.h"
#include "yaml_page.h"

namespace windrow::sim {

inline constexpr const char* kJobFile = "job.yml";
inline constexpr const char* kFileFolder = "/project";
inline constexpr const char* kCurrentFolder = "/here";

struct DrawnJob {
  JobFileText input;
  JobSpec spec;                                // what stands outside of the table of settings
  std::map<std::string, DrawnValue> settings;  // by key: those that must have been taken over
  // Where a problem or notice must be, each once: "job.yml:3:" or a whole flag.
  std::vector<std::string> problems;
  std::vector<std::string> notices;
};

// What one piece after the other adds to.
class JobDraft {
 public:
  JobDraft(Random& random, std::uint32_t wrong_per_mille)
      : random_(random), page_(random), wrong_per_mille_(wrong_per_mille) {}

  DrawnJob draw_v2();
  DrawnJob draw_v1();

 private:
  [[nodiscard]] bool wrong() { return random_.per_mille(wrong_per_mille_); }
  [[nodiscard]] bool maybe(std::uint32_t per_mille) { return random_.per_mille(per_mille); }
  std::string one_of(const std::vector<std::string>& texts) { return draw_from(random_, texts); }

  // What stands behind this path is at fault, or worth a notice; "" is the whole.
  void blame(std::string_view path) { blamed_.emplace_back(path); }
  void note(std::string_view path) { noted_.emplace_back(path); }
  // The same of a setting, wherever it was given.
  void blame_said(const std::string& key);
  void note_said(const std::string& key);
  // A wrong text behind the path, one of these, or keys where no map may be.
  void put_wrong(std::string_view path, const std::vector<std::string>& texts);
  // A list, map or nothing where one value is expected.
  void put_shape(std::string_view path);
  DrawnJob finish();

  void draw_labels();
  void draw_inputs();
  void draw_data(bool table);
  void draw_mode(InputSpec& data);
  void draw_wrong_data(bool table);
  void draw_value_input(const std::string& name);
  void draw_input_data();
  void draw_side_input(const std::string& name);
  void draw_outputs();
  void draw_task();
  void draw_script();
  void draw_arguments();
  std::string draw_argument_setting(const std::string& arguments);
  void draw_settings();
  void draw_setting(std::string_view key);
  void draw_machine();
  void draw_own_keys();
  void draw_strangers();
  void judge_together();
  void judge_rows();
  void judge_columns();
  void note_shared_folders();
  void judge_keys(DrawnSize& size);
  std::string means(const std::string& key) const;
  [[nodiscard]] std::string place_of(const std::string& key) const;
  void draw_v1_settings();
  void draw_v1_machine();
  void draw_v1_output();

  Random& random_;
  YamlPage page_;
  std::uint32_t wrong_per_mille_;
  DrawnJob out_;
  std::vector<std::string> blamed_;
  std::vector<std::string> noted_;
  std::vector<std::string> contradicted_;      // paths that a stronger word goes against
  std::map<std::string, std::string> said_;    // settings by key: the flag; "" in the file
  std::string broken_group_;                   // a group of settings that is not a map
  std::map<std::string, std::string> places_;  // of settings that stand behind another path
  bool mltable_ = false;                       // an input is one, and is read
  bool task_right_ = true;
  bool input_data_right_ = true;
  bool input_data_missing_ = false;
};

struct SaidPath {
  std::string said;
  std::string whole;  // as seen from the folder
};
SaidPath draw_path(Random& random, const std::string& folder);

}  // namespace windrow::sim
