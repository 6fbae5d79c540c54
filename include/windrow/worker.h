// SPDX-License-Identifier: Apache-2.0
//
// A worker in C++: three functions and a call of serve() make a program that `task.command` of a
// job file, or `windrow run --command`, can name. It needs this folder, the standard library
// and Linux; what it speaks is docs/formats/worker-protocol.md.
//
//   int main() {
//     return windrow::worker::serve({.run = [](windrow::worker::MiniBatch& batch) {
//       windrow::worker::Rows rows;
//       for (std::string_view path : batch.items()) rows.push_back(score(path));
//       return rows;
//     }});
//   }
//
// What the functions throw fails the attempt, and the engine tries again as the job says. What they
// print goes to the user's log files of this process.
//
// Thread: serve() calls all of them on the thread that called it. Failure: serve() returns the exit
// code of the program.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace windrow::worker {

// One row of the result for each element, without its line break.
using Rows = std::vector<std::string>;

// What a worker knows before its first mini-batch.
struct Setting {
  std::vector<std::string> arguments;  // as main() has them
  std::string process;                 // "process007"
  std::string output_folder;           // for files that the worker writes
  std::string log_folder;
};

class MiniBatch {
 public:
  MiniBatch(std::uint32_t index, std::uint32_t tries, std::vector<std::string_view> items)
      : index_(index), tries_(tries), items_(std::move(items)) {}

  // Absolute paths, as bytes. Gone when run() returns.
  [[nodiscard]] std::span<const std::string_view> items() const { return items_; }
  [[nodiscard]] std::uint32_t index() const { return index_; }
  [[nodiscard]] std::uint32_t tries() const { return tries_; }  // that failed before this one

  // Calls one item failed, though the others are well. REQUIRES: item < items().size().
  void report_failed(std::size_t item, std::string_view reason) {
    if (item >= items_.size()) throw std::out_of_range("report_failed: there is no such item");
    reported_.try_emplace(static_cast<std::uint32_t>(item), reason);
  }
  [[nodiscard]] const std::map<std::uint32_t, std::string>& reported() const { return reported_; }

 private:
  std::uint32_t index_;
  std::uint32_t tries_;
  std::vector<std::string_view> items_;
  std::map<std::uint32_t, std::string> reported_;
};

// A failure under a name of its own, which `retry_on` and `fail_fast_on` know it by. Any other
// exception goes by the name of its class.
class Failure : public std::runtime_error {
 public:
  Failure(std::string type, const std::string& message)
      : std::runtime_error(message), type_(std::move(type)) {}
  [[nodiscard]] const std::string& type() const { return type_; }

 private:
  std::string type_;
};

struct Functions {
  std::function<void(const Setting&)> init = nullptr;  // once, before the first mini-batch
  std::function<Rows(MiniBatch&)> run;
  std::function<void()> shutdown = nullptr;  // once, when no more work comes
};

// Works for the agent that started this program until it is told to stop.
inline int serve(const Functions& functions);

}  // namespace windrow::worker

#include "windrow/detail/serve.h"  // NOLINT(misc-include-cleaner): the body of serve()
