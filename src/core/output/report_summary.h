// SPDX-License-Identifier: Apache-2.0
//
// The job report added up by process and by node: process_summary.csv and node_summary.csv.
//
// A projection of the journal like the report itself: the same facts give the same lines.
// Thread: one at a time. Failure: none.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "base/ids.h"
#include "base/time.h"
#include "core/schedule/facts.h"

namespace windrow {

class ReportSummary {
 public:
  void add(const fact::LoadEnded& load);
  void add(const fact::AttemptEnded& ended, std::uint32_t items);

  // Adds what another one has counted; each fact was given to one of them.
  void add(const ReportSummary& other);

  [[nodiscard]] std::string process_csv() const;
  [[nodiscard]] std::string node_csv() const;

 private:
  struct Sums {
    std::uint64_t attempts = 0;
    std::uint64_t done = 0;
    std::uint64_t failed = 0;
    std::uint64_t items = 0;  // of attempts that are done
    std::uint64_t elapsed_us = 0;
    std::uint64_t process_us = 0;
    std::uint64_t run_us = 0;
    std::uint64_t useful_us = 0;  // elapsed in attempts that are done
    std::uint64_t retry_us = 0;   // elapsed in all others
    std::uint64_t init_us = 0;
    std::uint64_t idle_us = 0;  // of nodes only: those of their processes, added up
    std::int64_t first_ns = INT64_MAX;
    std::int64_t last_ns = INT64_MIN;

    void lived(WallTime start, std::uint32_t elapsed_us);
    void add(const Sums& other);
    [[nodiscard]] std::uint64_t lifetime_idle_us() const;
  };

  static void append_sums(const Sums& sums, std::uint64_t idle_us, std::string& out);

  std::map<std::pair<AgentId, ProcessNumber>, Sums> processes_;
};

}  // namespace windrow
