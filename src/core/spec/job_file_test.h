// SPDX-License-Identifier: Apache-2.0
//
// The vocabulary of the tests of job files: text in, a spec or its problems out.
#pragma once

#include <string>
#include <utility>

#include "core/spec/job_file.h"

namespace windrow {

inline constexpr const char* kSmall = R"(type: parallel
inputs:
  data: {path: in}
input_data: ${{inputs.data}}
task:
  entry_script: score.py
)";

class JobFileWords {
 protected:
  auto read(std::string text) {
    input_.file = "job.yml";
    input_.text = std::move(text);
    input_.folder = "/jobs";
    input_.current_folder = "/here";
    return read_job_file(input_);
  }

  // What was refused is a job that nobody expects, with the problems for a name.
  JobSpec spec_of(std::string text) {
    auto reading = read(std::move(text));
    return reading ? reading->spec : JobSpec{.name = problems_text(reading.error())};
  }

  // The problems, one on a line; "" when there are none.
  std::string problems(std::string text) {
    const auto reading = read(std::move(text));
    return reading ? "" : problems_text(reading.error());
  }

  std::string notices(std::string text) {
    const auto reading = read(std::move(text));
    return reading ? problems_text(reading->notices)
                   : "refused:\n" + problems_text(reading.error());
  }

  void set(std::string path, std::string value) {
    input_.set.emplace_back(std::move(path), std::move(value));
  }

  JobFileText input_;
};

}  // namespace windrow
