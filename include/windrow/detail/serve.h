// SPDX-License-Identifier: Apache-2.0
//
// The life of a worker: start, mini-batches, shutdown (docs/formats/worker-protocol.md).
//
// Thread: the one that calls serve(). Ownership: descriptors 1 to 5 of the process. Failure: Broken
// and AgentGone end the process; whatever the user's functions throw becomes an answer.
#pragma once

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <typeinfo>
#include <utility>
#include <vector>

#include <cxxabi.h>
#include <fcntl.h>
#include <unistd.h>

#include "windrow/detail/channel.h"
#include "windrow/detail/json.h"
#include "windrow/worker.h"

namespace windrow::worker::detail {

inline constexpr int kExitBroken = 70;
inline constexpr int kExitInitFailed = 72;
inline constexpr std::size_t kAnswerMax = std::size_t{1} << 30;
inline constexpr std::size_t kMessageMax = std::size_t{16} << 10;
inline constexpr std::size_t kReasonMax = 1000;
inline constexpr std::size_t kReasonsMax = std::size_t{4} << 20;
inline constexpr std::uint64_t kShortNs = 50'000;  // its processor time need not be asked for

// -------------------------------------------------------------------------------------- failures

// REQUIRES: called where an exception is being handled.
inline Failure failure_now() {
  try {
    throw;
  } catch (const Failure& failure) {
    return failure;
  } catch (const std::exception& error) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> name(
        abi::__cxa_demangle(typeid(error).name(), nullptr, nullptr, &status), &std::free);
    return {status == 0 ? name.get() : typeid(error).name(), error.what()};
  } catch (...) {
    return {"exception", "something was thrown that is not a std::exception"};
  }
}

// "std::bad_alloc" as job files name exceptions: "std.bad_alloc".
inline std::string dotted(std::string name) {
  for (std::size_t at = 0; (at = name.find("::", at)) != std::string::npos;)
    name.replace(at, 2, ".");
  return name;
}

inline std::string error_object(const Failure& failure, std::string_view method) {
  const std::string message = std::string(failure.what()).substr(0, kMessageMax);
  return "{\"type\": " + json_string(failure.type()) + ", \"message\": " + json_string(message) +
         ", \"traceback\": " + json_string(failure.type() + ": " + message + "\n") +
         ", \"method\": " + json_string(method) + ", \"bases\": [" +
         json_string(dotted(failure.type())) + "]}";
}

inline void append_to(const std::string& path, std::string_view text) {
  const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  const bool written = file >= 0 && write(file, text.data(), text.size()) >= 0;
  if (!written) std::fprintf(stderr, "windrow worker: cannot write %s\n", path.c_str());
  if (file >= 0) close(file);
}

// ------------------------------------------------------------------------------------- streams

// What is printed, by this process and its children, belongs to the user's files.
inline void redirect(int descriptor, const std::string& path) {
  if (path.empty()) return;
  const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) throw Broken("cannot open " + path);
  dup2(file, descriptor);
  close(file);
}

// --------------------------------------------------------------------------------- staged files

// Files that a mini-batch writes, kept apart by attempt.
class Staging {
 public:
  explicit Staging(const StartObject& start)
      : here_(start.text("staging")),
        done_(start.text("staging_done")),
        outputs_(start.list("staging_outputs")) {}

  void check() const {
    if (here_.empty()) return;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(here_)) {
      const auto type = entry.symlink_status().type();
      if (type == std::filesystem::file_type::regular) continue;
      if (type == std::filesystem::file_type::directory) continue;
      throw Failure(
          "StagedFileError",
          entry.path().lexically_relative(here_).string() + " is neither a file nor a folder");
    }
  }

  void take_aside(const Command& command) const {
    if (here_.empty() || std::ranges::all_of(outputs_, [this](const std::string& name) {
          std::error_code none;
          return std::filesystem::is_empty(here_ / name, none) || none;
        })) {
      return make();
    }
    std::filesystem::rename(
        here_,
        done_ / (std::to_string(command.epoch) + "." + std::to_string(command.batch) + "." +
                 std::to_string(command.picked)));
    make();
  }

 private:
  void make() const {
    for (const std::string& name : outputs_) std::filesystem::create_directories(here_ / name);
  }

  std::filesystem::path here_;
  std::filesystem::path done_;
  std::vector<std::string> outputs_;
};

// ---------------------------------------------------------------------------------- mini-batches

inline std::vector<std::string_view> split_items(std::string_view payload, std::uint32_t count) {
  std::vector<std::string_view> items;
  if (count == 0) return items;
  items.reserve(count);
  for (std::size_t at = 0; at <= payload.size();) {
    const std::size_t end = std::min(payload.find('\0', at), payload.size());
    items.push_back(payload.substr(at, end - at));
    at = end + 1;
  }
  return items;
}

inline void append_part(std::string& out,
                        PartKind kind,
                        std::uint32_t item,
                        std::string_view body) {
  const PartHead head{.kind = kind, .output = 0, .zero = 0, .item = item, .size = body.size()};
  out.append(reinterpret_cast<const char*>(&head), sizeof head);
  out += body;
}

// The payload of an answer: rows alone, or parts when items were reported as well.
inline std::string answer_payload(const Rows& rows, const MiniBatch& batch, bool append_row) {
  std::string text;
  if (append_row) {
    for (const std::string& row : rows) (text += row) += '\n';
  }
  if (batch.reported().empty()) return text;
  std::string parts;
  if (!text.empty()) append_part(parts, kRowsPart, 0, text);
  std::size_t room = kReasonsMax;
  for (const auto& [item, reason] : batch.reported()) {
    const std::string_view kept = std::string_view(reason).substr(0, kReasonMax);
    append_part(parts, kReportedPart, item, kept.size() <= room ? kept : "");
    room -= std::min(room, kept.size());
  }
  return parts;
}

class Life {
 public:
  explicit Life(const Functions& functions) : functions_(functions) {
    for (const int descriptor : {kCommands, kAnswers}) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  }

  int live() {
    if (!start()) return kExitInitFailed;
    for (;;) {
      const Command command = socket_.read();
      if (command.kind == kShutdown) break;
      if (command.kind != kBatch) throw Broken("a command of no known kind");
      batch(command);
    }
    shutdown();
    return 0;
  }

 private:
  bool start() {
    const Command command = socket_.read();
    const std::uint64_t began = clock_ns(CLOCK_MONOTONIC);
    if (command.kind != kStart) throw Broken("the first command is not start");
    const StartObject told(socket_.payload());
    page_.enter(kInit, began);
    redirect(STDOUT_FILENO, told.text("user_stdout"));
    redirect(STDERR_FILENO, told.text("user_stderr"));
    std::setvbuf(stdout, nullptr, _IOLBF, 0);  // what a killed process has printed is not lost
    error_file_ = told.text("user_error");
    append_row_ = told.text("append_row") != "false";
    setting_ = {.arguments = told.list("argv"),
                .process = told.text("process"),
                .output_folder = told.text("output_folder"),
                .log_folder = told.text("log_folder")};
    staging_ = Staging(told);
    const std::string error = call("init", nullptr, [this] {
      if (functions_.init) functions_.init(setting_);
    });
    Answer answer{.kind = error.empty() ? kReady : kInitFailed};
    if (error.empty()) answer.flags = kFlagBundles;
    finish(answer, began, clock_ns(CLOCK_MONOTONIC) - began, error);
    return error.empty();
  }

  void batch(const Command& command) {
    const std::uint64_t began = clock_ns(CLOCK_MONOTONIC);
    page_.enter(kRun, began, command.batch, command.picked);
    MiniBatch mini_batch(
        command.batch, command.tries, split_items(socket_.payload(), command.items));
    Rows rows;
    std::string payload = call("run", &command, [&] { rows = functions_.run(mini_batch); });
    const std::uint64_t ran = clock_ns(CLOCK_MONOTONIC) - began;
    page_.enter(kSerialise, began + ran, command.batch, command.picked);
    Answer answer{.kind = payload.empty() ? kDone : kFailed,
                  .epoch = command.epoch,
                  .batch = command.batch,
                  .picked = command.picked};
    if (payload.empty()) {
      answer.returned = static_cast<std::uint32_t>(rows.size());
      const std::string error = call("serialise", &command, [&] {
        staging_.check();
        payload = answer_payload(rows, mini_batch, append_row_);
        if (payload.size() > kAnswerMax) {
          throw Failure("TooLarge", "the rows of one mini-batch have more than 1 GiB");
        }
      });
      if (!mini_batch.reported().empty()) answer.flags = kFlagParts;
      if (!error.empty()) {
        answer.kind = kFailed, answer.returned = 0, answer.flags = kFlagSerialise;
        payload = error;
      }
    }
    staging_.take_aside(command);
    finish(answer, began, ran, payload);
  }

  void shutdown() {
    const std::uint64_t began = clock_ns(CLOCK_MONOTONIC);
    page_.enter(kEnd, began);
    const std::string error = call("shutdown", nullptr, [this] {
      if (functions_.shutdown) functions_.shutdown();
    });
    finish({.kind = kGoodbye}, began, clock_ns(CLOCK_MONOTONIC) - began, error);
  }

  // Calls a function of the user's: nothing, or the error object of what it threw.
  template <typename Function>
  std::string call(const char* method, const Command* command, const Function& function) {
    try {
      function();
      return "";
    } catch (...) {
      const Failure failure = failure_now();
      append_to(error_file_,
                heading(command) + method + "\n" + failure.type() + ": " + failure.what() + "\n\n");
      return error_object(failure, method);
    }
  }

  // The first line of a block in the error file, up to the name of the function.
  std::string heading(const Command* command) const {
    char now[32];
    const std::time_t seconds = std::time(nullptr);
    std::tm utc{};
    std::strftime(now, sizeof now, "%Y-%m-%d %H:%M:%S UTC", gmtime_r(&seconds, &utc));
    const std::string begin = std::string("==== ") + now + " " + setting_.process + " ";
    if (command == nullptr) return begin;
    return begin + "mini-batch " + std::to_string(command->batch) + " picked " +
           std::to_string(command->picked) + ": ";
  }

  void finish(Answer answer, std::uint64_t began, std::uint64_t ran, std::string_view payload) {
    const std::uint64_t ended = clock_ns(CLOCK_MONOTONIC);
    answer.start = began;
    answer.elapsed_us = microseconds(ended - began);
    answer.run_us = microseconds(ran);
    std::uint64_t used = ended - began;
    if (used >= kShortNs) {
      const std::uint64_t cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
      used = cpu - std::min(cpu, std::exchange(cpu_, cpu));  // guesses may have been too high
    } else {
      cpu_ += used;
    }
    answer.cpu_us = microseconds(used);
    const bool told = answers_.send(answer, payload, socket_.has_more(), ended);
    if (!told) return;  // if the process dies now, this is still the one it died with
    if (answer.kind == kReady || answer.kind == kDone || answer.kind == kFailed) {
      page_.enter(kIdle, ended);
    }
  }

  const Functions& functions_;
  CommandSocket socket_;
  AnswerSocket answers_;
  Page page_;
  Setting setting_;
  Staging staging_{StartObject("{}")};
  std::string error_file_;
  bool append_row_ = true;
  std::uint64_t cpu_ = 0;  // processor time that answers have reported
};

}  // namespace windrow::worker::detail

namespace windrow::worker {

inline int serve(const Functions& functions) {
  std::signal(SIGINT, SIG_IGN);  // Ctrl-C reaches the whole group; the agent decides what follows
  try {
    return detail::Life(functions).live();
  } catch (const detail::AgentGone&) {
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "windrow worker: %s\n", error.what());
    return detail::kExitBroken;
  }
}

}  // namespace windrow::worker
