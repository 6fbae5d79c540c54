// SPDX-License-Identifier: Apache-2.0
//
// The job that a command is about: a script with flags, or a job file with flags over it. Shared by
// `run`, `plan` and `validate`; and what `job resume` and `retry` may change of a job.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "core/spec/job_spec.h"
#include "core/spec/short_form.h"

namespace windrow {

// Declares flags with a text as value: option("--name", value, "NAME", "What it is").
class TextOptions {
 public:
  explicit TextOptions(CLI::App& app) : app_(app) {}

  void operator()(const char* name,
                  std::optional<std::string>& value,
                  const char* type,
                  const char* text) const {
    app_.add_option(name, value, text)->type_name(type);
  }

 private:
  CLI::App& app_;
};

class JobOptions {
 public:
  // `arguments` is what stood behind `--`.
  JobOptions(std::vector<std::string> arguments, bool has_arguments);

  // Keeps references to this object until the command line is parsed.
  void declare(CLI::App& app);

  // kAll: whether the inputs are there too. kTask: that is left to whoever prepares the job, unless
  // something else is wrong; a job that resumes says more about them.
  enum class Look { kTask, kAll };

  // Refused with everything that is wrong with the job, its script or program, and its inputs.
  std::expected<JobReading, std::vector<Problem>> read(Look look = Look::kTask) const;

  const std::string& job() const { return job_; }

 private:
  std::expected<JobReading, std::vector<Problem>> read_text(Look look, JobReading& rest) const;
  std::expected<JobReading, std::vector<Problem>> read_file(const SetValues& sets,
                                                            Look look,
                                                            JobReading& rest) const;

  std::string job_;
  JobFlags flags_;
  std::vector<std::string> sets_;
};

// The flags that may change from one life of a job to the next: limits, workers, interpreter. Keeps
// a reference to `flags` until the command line is parsed.
void declare_changes(CLI::App& app, JobFlags& flags);

}  // namespace windrow
