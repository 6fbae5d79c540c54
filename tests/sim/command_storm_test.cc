// SPDX-License-Identifier: Apache-2.0
//
// Jobs with a program in place of a script, in a storm of job files and flags.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/spec/effective.h"
#include "core/spec/identity.h"
#include "core/spec/job_file.h"
#include "core/spec/job_paths.h"
#include "drawn_value.h"
#include "random.h"
#include "storm.h"

namespace windrow::sim {
namespace {

class CommandStorm {
 public:
  explicit CommandStorm(std::uint64_t seed) : random_(seed) {}

  void run() {
    draw();
    const auto reading = read_job_file({"job.yml", text_, "/project", {}, {}, "/here", false});
    ASSERT_EQ(reading.has_value(), problems_ == 0) << text_;
    if (!reading) {
      EXPECT_EQ(reading.error().size(), problems_) << problems_text(reading.error()) << text_;
      return;
    }
    const JobSpec& spec = reading->spec;
    EXPECT_EQ(reading->notices.size(), notices_) << text_;
    EXPECT_EQ(spec.command, program_) << text_;
    EXPECT_EQ(spec.command_mode, mode_);
    EXPECT_EQ(spec.arguments, arguments_);
    EXPECT_EQ(spec.entry_script, "");
    EXPECT_EQ(script_path(spec), program_);
    again(*reading);
  }

 private:
  bool maybe(std::uint32_t per_mille) { return random_.per_mille(per_mille); }
  std::string one_of(const std::vector<std::string>& texts) { return draw_from(random_, texts); }
  void line(const std::string& text) { text_ += text + "\n"; }
  void wrong() { ++problems_; }

  void draw() {
    line("type: parallel\ninputs: {data: {path: in}}\ninput_data: ${{inputs.data}}");
    const bool two = maybe(100);
    line(fmt::format("outputs: {{a: {{path: a}}{}}}", two ? ", b: {path: b}" : ""));
    if (maybe(100)) line("python: python3"), ++notices_;
    if (maybe(100)) line("profiling_module: cProfile"), ++notices_;
    if (maybe(150)) {
      line("append_row: " + one_of({"{format: csv}", "{sep: ';'}", "{header: true}"}));
      ++notices_;
    }
    line("task:");
    line(two ? "  append_row_to: [\"${{outputs.a}}\", \"${{outputs.b}}\"]"
             : "  append_row_to: ${{outputs.a}}");
    draw_command();
    // A command that is wrong is none, and what goes with one is not judged.
    if (two && !program_.empty()) wrong();
    if (program_.empty()) notices_ = 0;
  }

  void draw_command() {
    draw_mode();
    if (maybe(100)) {
      line("  entry_script: score.py\n  command: ./a");
      return wrong();
    }
    const std::string code = maybe(300) ? "sub" : "";
    if (!code.empty()) line("  code: " + code);
    const std::string folder = code.empty() ? "/project" : "/project/sub";
    if (maybe(100)) {
      line("  command: " + one_of({"''", "\"  \"", "\"''\"", "\"'open\"", "[a]"}));
      return wrong();
    }
    const std::string word = one_of({"sort", "./scorer", "bin/scorer", "/abs/scorer", "'a b/c'"});
    std::string bare = word.front() == '\'' ? "a b/c" : word;
    program_ = bare.find('/') == std::string::npos ? bare : join_path(folder, bare);
    std::string text = word;
    if (maybe(500)) {
      text += " --nice 99 'two words'";
      arguments_ = {"--nice", "99", "two words"};
    }
    if (maybe(300)) {
      text += " ${{inputs.data}}";
      arguments_.emplace_back("${{inputs.data}}");
    } else if (maybe(100)) {
      text += " ${{inputs.nobody}}";
      wrong();
    }
    line("  command: \"" + text + "\"");
    if (maybe(300)) {
      line("  program_arguments: --error_threshold x");
      arguments_.insert(arguments_.end(), {"--error_threshold", "x"});
    }
  }

  void draw_mode() {
    const std::string mode = one_of({"", "protocol", "lines", "filter", "line"});
    if (mode.empty()) return;
    line("  command_mode: " + mode);
    if (mode == "line") wrong();
    if (mode == "lines") mode_ = CommandMode::kLines;
    if (mode == "filter") mode_ = CommandMode::kFilter;
  }

  // What is stored of the job reads as the same job.
  static void again(const JobReading& reading) {
    const std::string stored = effective_job_file(reading.spec, reading.origins);
    const auto read = read_job_file({"job.yml", stored, "/elsewhere", {}, {}, "/", true});
    ASSERT_TRUE(read) << problems_text(read.error()) << stored;
    JobSpec same = reading.spec;
    same.python.reset();                                                    // nobody asks for it
    same.record.logging_level_said = read->spec.record.logging_level_said;  // all are said there
    EXPECT_EQ(read->spec, same) << stored;
    JobSpec other = reading.spec;
    other.command_mode =
        other.command_mode == CommandMode::kLines ? CommandMode::kFilter : CommandMode::kLines;
    EXPECT_EQ(identity_hash(read->spec), identity_hash(reading.spec));
    EXPECT_NE(identity_hash(other), identity_hash(reading.spec));
  }

  Random random_;
  std::string text_;
  std::string program_;
  CommandMode mode_ = CommandMode::kProtocol;
  std::vector<std::string> arguments_;
  std::size_t problems_ = 0;
  std::size_t notices_ = 0;
};

TEST(CommandStorm, AProgramIsReadAsItWasSaid) { play_storms<CommandStorm>(); }

}  // namespace
}  // namespace windrow::sim
