// SPDX-License-Identifier: Apache-2.0
//
// windrow explain JOB [BATCH]
#include <optional>

#include "base/json.h"
#include "cli/command.h"
#include "cli/voice.h"
#include "os/machine.h"
#include "os/posix_file_system.h"
#include "workspace/jobs/job_view.h"

namespace windrow {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  windrow explain nightly                    why it is where it is\n"
    "  windrow explain nightly 17                 what mini-batch 17 did\n";

class Explain final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.description("Explain the state of a job, or what one of its mini-batches did");
    app.footer(kFooter);
    app.add_option("JOB", job_, "Name or folder of the job")->required()->type_name("");
    app.add_option("BATCH", batch_, "Number of a mini-batch")->type_name("");
    voice_.declare(app, Voice::For::kAnswer);
  }

  int run(const Caller& caller) override {
    const Result<std::vector<std::string>> sentences = explain(caller);
    if (!sentences) return voice_.report(sentences.error());
    if (voice_.json()) {
      JsonWriter json;
      json.begin_object().field("status", status_).field("exit_code", kExitCompleted);
      json.key("sentences").begin_array();
      for (const std::string& sentence : *sentences) json.value(sentence);
      json.end_array().end_object();
      write_out(1, json.text() + "\n");
    } else {
      for (const std::string& sentence : *sentences) write_out(1, sentence + "\n");
    }
    return kExitCompleted;
  }

 private:
  Result<std::vector<std::string>> explain(const Caller& caller) {
    PosixFileSystem fs;
    ASSIGN_OR_RETURN(const JobView job, view_job(fs, caller, job_));
    status_ = job_status(job.outline, job.circumstances);
    if (!batch_) return explain_job(job.outline, job.circumstances);
    ASSIGN_OR_RETURN(const BatchStory batch, view_batch(fs, job, *batch_));
    return explain_batch(job.outline, job.circumstances, batch);
  }

  std::string job_;
  std::string status_;
  std::optional<BatchId> batch_;
  Voice voice_;
};

}  // namespace

std::unique_ptr<Command> make_explain_command() { return std::make_unique<Explain>(); }

}  // namespace windrow
