// SPDX-License-Identifier: Apache-2.0
//
// The whole tree of a job on disk, and every path in it that more than one place uses.
//
//   <job>/
//     job.yml                                   the effective job, with the origin of each value
//     azureml-logs/70_driver_log.txt            the controller; user_logs/std_log_0.txt is a link
//     logs/
//       readme.txt  job_result.txt  failed_items.jsonl  metrics.json
//       job_progress_overview.txt  job_error.txt     links to the newest <name>.<yyyymmddhh>.txt
//       sys/master_role.txt  sys/effective_config.json  sys/tables.txt
//       sys/error/<node>/<process>.txt           sys/errror is a link to sys/error
//       sys/node/<node>/_main.txt  <process>.txt  <process>.stdout.txt  <process>.stderr.txt
//       sys/node/<address>                       a link to sys/node/<node>
//       sys/job_report/processed_mini-batches.csv  process_summary.csv  node_summary.csv
//       user/error.txt  user/error/<node>/<process>.txt
//       user/stdout/<node>/<process>.stdout.txt  user/stderr/<node>/<process>.stderr.txt
//       user/entry_script_log/<node>/
//     outputs/<name>/                           outputs without a path of their own
//     work/<node>/<process>/                    private working folders
//     staged/<process>/<output>/                what a worker writes, where outputs are staged
//     staged/done/<epoch>.<batch>.<picked>/     what an attempt wrote, until it is in its place
//     state/                                    what resume needs; docs/formats/job-folder.md
//       plan.<epoch>  journal.<epoch>  rows/<agent>.<incarnation>.seg  control  identity[.<epoch>]
//       list  index.<epoch>
//       tables/query.arrow  tables/by/<key>=<value>/   tables that were made for this job
//
// Pure strings: nothing is looked up or created here.
#pragma once

#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/ids.h"

namespace windrow {

// The name of an attempt's folder among the staged ones.
inline std::string staged_name(const Token& token) {
  return fmt::format("{}.{}.{}", token.epoch, token.batch, token.picked);
}

class JobFolder {
 public:
  static constexpr const char* kStagedDone = "done";

  explicit JobFolder(std::string root) : root_(std::move(root)) {}

  [[nodiscard]] const std::string& root() const { return root_; }
  [[nodiscard]] std::string job_file() const { return root_ + "/job.yml"; }
  [[nodiscard]] std::string outputs() const { return root_ + "/outputs"; }
  [[nodiscard]] std::string work(AgentId node) const {
    return fmt::format("{}/work/{}", root_, node);
  }

  [[nodiscard]] std::string staged() const { return root_ + "/staged"; }
  [[nodiscard]] std::string staged_done() const { return staged() + "/" + kStagedDone; }
  [[nodiscard]] std::string staged_attempt(const Token& token) const {
    return staged_done() + "/" + staged_name(token);
  }

  [[nodiscard]] std::string state() const { return root_ + "/state"; }
  [[nodiscard]] std::string rows() const { return root_ + "/state/rows"; }
  [[nodiscard]] std::string row_segment(const std::string& file) const {
    return rows() + "/" + file;
  }
  [[nodiscard]] std::string plan(Epoch epoch) const {
    return fmt::format("{}/plan.{}", state(), epoch);
  }
  [[nodiscard]] std::string journal(Epoch epoch) const {
    return fmt::format("{}/journal.{}", state(), epoch);
  }
  // What the journals up to this epoch add up to, for quick answers; may be missing.
  [[nodiscard]] std::string index(Epoch epoch) const {
    return fmt::format("{}/index.{}", state(), epoch);
  }
  [[nodiscard]] std::string control() const { return root_ + "/state/control"; }
  [[nodiscard]] std::string identity() const { return root_ + "/state/identity"; }
  // As it is from the epoch on in which the job resumed with changed code.
  [[nodiscard]] std::string identity_from(Epoch epoch) const {
    return fmt::format("{}.{}", identity(), epoch);
  }
  // The paths that came by standard input: absolute, each with a NUL byte behind it.
  [[nodiscard]] std::string input_list() const { return root_ + "/state/list"; }

  // Tables that have to be made before they can be cut: docs/manual/tables.md.
  [[nodiscard]] std::string tables() const { return root_ + "/state/tables"; }
  [[nodiscard]] std::string query_rows() const { return tables() + "/query.arrow"; }
  [[nodiscard]] std::string partitions() const { return tables() + "/by"; }

  [[nodiscard]] std::string driver_log() const { return root_ + "/azureml-logs/70_driver_log.txt"; }
  [[nodiscard]] std::string std_log() const { return root_ + "/user_logs/std_log_0.txt"; }
  [[nodiscard]] std::string logs() const { return root_ + "/logs"; }
  // Without what comes behind the stem: see workspace/logs/dated_log.h.
  [[nodiscard]] std::string overview_stem() const { return logs() + "/job_progress_overview"; }
  [[nodiscard]] std::string job_error_stem() const { return logs() + "/job_error"; }
  [[nodiscard]] std::string metrics() const { return logs() + "/metrics.json"; }
  [[nodiscard]] std::string result() const { return logs() + "/job_result.txt"; }
  [[nodiscard]] std::string failed_items() const { return logs() + "/failed_items.jsonl"; }
  [[nodiscard]] std::string readme() const { return logs() + "/readme.txt"; }
  [[nodiscard]] std::string table_log() const { return logs() + "/sys/tables.txt"; }
  [[nodiscard]] std::string master_role() const { return logs() + "/sys/master_role.txt"; }
  [[nodiscard]] std::string effective_config() const {
    return logs() + "/sys/effective_config.json";
  }
  [[nodiscard]] std::string reports() const { return logs() + "/sys/job_report"; }
  [[nodiscard]] std::string report() const { return reports() + "/processed_mini-batches.csv"; }
  [[nodiscard]] std::string process_summary() const { return reports() + "/process_summary.csv"; }
  [[nodiscard]] std::string node_summary() const { return reports() + "/node_summary.csv"; }
  [[nodiscard]] std::string sys_error(AgentId node) const {
    return fmt::format("{}/sys/error/{}", logs(), node);
  }
  [[nodiscard]] std::string sys_node(AgentId node) const {
    return fmt::format("{}/sys/node/{}", logs(), node);
  }
  [[nodiscard]] std::string perf(AgentId node) const {
    return fmt::format("{}/perf/{}", logs(), node);
  }
  [[nodiscard]] std::string user_error_summary() const { return logs() + "/user/error.txt"; }
  [[nodiscard]] std::string user(const char* kind, AgentId node) const {
    return fmt::format("{}/user/{}/{}", logs(), kind, node);
  }

 private:
  std::string root_;
};

}  // namespace windrow
