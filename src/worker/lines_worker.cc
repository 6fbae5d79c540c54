// SPDX-License-Identifier: Apache-2.0
#include "worker/lines_worker.h"

#include <csignal>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <windrow/worker.h>

#include "base/text.h"
#include "os/piped_program.h"

namespace windrow {
namespace {

using worker::Failure;
using worker::MiniBatch;
using worker::Rows;

constexpr const char* kCommandFailed = "CommandFailed";
constexpr const char* kOneForEach =
    "it must answer each line with one, and print everything else to stderr";

std::string lines_of(const MiniBatch& batch) {
  std::string lines;
  for (const std::string_view item : batch.items()) {
    if (item.find('\n') != std::string_view::npos) {
      throw Failure("LineBreakInName",
                    fmt::format("{} cannot go to a program that reads lines: its name has a line "
                                "break",
                                path_in_quotes(item)));
    }
    (lines += item) += '\n';
  }
  return lines;
}

Rows rows_of(std::string_view text) {
  Rows rows;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    rows.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return rows;
}

class LinesWorker {
 public:
  explicit LinesWorker(CommandMode mode) : mode_(mode) {}

  // A program that greets would greet every time: no mini-batch is to blame.
  void init(const worker::Setting& setting) {
    command_ = setting.arguments;
    if (mode_ == CommandMode::kLines) start();
  }

  Rows run(const MiniBatch& batch) {
    const std::string lines = lines_of(batch);
    const bool stays = mode_ == CommandMode::kLines;
    if (!program_) {
      start();
    } else if (stays) {
      refuse_unasked("after it had answered the mini-batch before, whose rows may be wrong");
    }
    return stays ? answer(lines, batch.items().size()) : filter(lines);
  }

  void shutdown() {
    if (program_) check_end();
  }

 private:
  void start() {
    Result<std::unique_ptr<PipedProgram>> started = PipedProgram::start(command_);
    if (!started) throw Failure(kCommandFailed, started.error().message);
    program_ = *std::move(started);
    if (mode_ == CommandMode::kLines) refuse_unasked("before it was asked anything");
  }

  // What is there before the question is not its answer.
  void refuse_unasked(std::string_view when) {
    const std::string text = program_->quiet();
    if (text.empty()) return;
    program_.reset();
    throw Failure(kCommandFailed,
                  fmt::format("{} wrote {} {}; {}",
                              command_.front(),
                              in_quotes(text.substr(0, text.find('\n'))),
                              when,
                              kOneForEach));
  }

  // Everything in, its input ends, everything out.
  Rows filter(const std::string& lines) {
    const std::string text = program_->exchange_last(lines);
    check_end();
    return rows_of(text);
  }

  // So many lines in, as many out, and the program continues.
  Rows answer(const std::string& lines, std::size_t count) {
    Rows rows = rows_of(program_->exchange(lines, count));
    if (rows.size() == count) return rows;
    const std::size_t got = rows.size();
    if (got > count) {
      program_.reset();
      throw Failure(
          kCommandFailed,
          fmt::format(
              "{} gave more lines than it got ({}); {}", command_.front(), count, kOneForEach));
    }
    check_end();
    throw Failure(kCommandFailed,
                  fmt::format("{} ended after {} lines of {}", command_.front(), got, count));
  }

  // The program is gone afterwards; the next mini-batch starts another one.
  void check_end() {
    const std::unique_ptr<PipedProgram> ending = std::move(program_);
    const std::string how = ending->wait();
    if (how.empty()) return;
    const std::string_view said = trimmed(ending->last_errors());
    throw Failure(kCommandFailed,
                  fmt::format("{} {}{}{}", command_.front(), how, said.empty() ? "" : ": ", said));
  }

  CommandMode mode_;
  std::vector<std::string> command_;
  std::unique_ptr<PipedProgram> program_;
};

}  // namespace

int lines_worker(CommandMode mode) {
  std::signal(SIGPIPE, SIG_IGN);
  LinesWorker lines(mode);
  return worker::serve({.init = [&](const worker::Setting& setting) { lines.init(setting); },
                        .run = [&](MiniBatch& batch) { return lines.run(batch); },
                        .shutdown = [&] { lines.shutdown(); }});
}

}  // namespace windrow
