// SPDX-License-Identifier: Apache-2.0
//
// Jobs from flags alone, and flags laid over a job file, in a storm: judged by what the flags mean.
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/spec/job_file.h"
#include "core/spec/settings.h"
#include "core/spec/short_form.h"
#include "drawn_job.h"
#include "storm.h"

namespace windrow::sim {
namespace {

// Flags, and what must come of them.
class FlagStorm {
 public:
  explicit FlagStorm(std::uint64_t seed) : random_(seed) {}

 protected:
  bool maybe(std::uint32_t per_mille) { return random_.per_mille(per_mille); }
  std::string one_of(const std::vector<std::string>& texts) { return draw_from(random_, texts); }

  SaidPath draw_input() {
    if (maybe(100)) return {"-", "-"};
    SaidPath path = draw_path(random_, kCurrentFolder);
    if (maybe(150)) path = {"@" + path.said, "@" + path.whole};
    return path;
  }

  // Those that do not depend on what else is there.
  void draw_others() {
    if (maybe(200)) flags_.name = expected_.name = "j1";
    if (maybe(200)) {
      flags_.python = "python3";
      expected_.python = "python3";
      if (maybe(500)) {
        flags_.python = "bin/python";
        expected_.python = "/here/bin/python";
      }
    }
    if (maybe(200)) {
      flags_.job_dir = one_of({"jobs/x", "s3://x", ""});
      if (flags_.job_dir == "jobs/x") {
        expected_.job_folder = "/here/jobs/x";
      } else {
        problems_.insert("--job-dir");
      }
    }
    if (maybe(200)) {
      flags_.retry_of = maybe(800) ? "old" : "";
      expected_.retry_of = flags_.retry_of;
      if (flags_.retry_of->empty()) problems_.insert("--retry-of");
    }
    if (maybe(300)) {
      flags_.arguments = {"--x", one_of({"a b", "it's", "", "${{inputs.nobody}}"})};
      expected_.arguments = *flags_.arguments;
      if ((*flags_.arguments)[1].starts_with("$")) problems_.insert("arguments after --");
    }
    if (maybe(300)) {
      const DrawnValue value = draw_value(random_, "retry_settings.timeout", maybe(800));
      flags_.timeout = value.said;
      value.right ? static_cast<void>(timeout_ = value.means) : void(problems_.insert("--timeout"));
    }
  }

  void judge(const std::expected<JobReading, std::vector<Problem>>& reading) {
    std::multiset<std::string> places;
    if (!reading) {
      for (const Problem& problem : reading.error()) places.insert(problem.where);
    }
    EXPECT_EQ(places, problems_) << (reading ? "" : problems_text(reading.error()));
    if (!reading || !problems_.empty()) return;
    const JobSpec& spec = reading->spec;
    EXPECT_EQ(spec.name, expected_.name);
    EXPECT_EQ(spec.code, expected_.code);
    EXPECT_EQ(spec.entry_script, expected_.entry_script);
    EXPECT_EQ(spec.command, expected_.command);
    EXPECT_EQ(spec.python, expected_.python);
    EXPECT_EQ(spec.job_folder, expected_.job_folder);
    EXPECT_EQ(spec.retry_of, expected_.retry_of);
    EXPECT_EQ(spec.arguments, expected_.arguments);
    EXPECT_EQ(spec.inputs, expected_.inputs);
    EXPECT_EQ(spec.input_data, expected_.input_data);
    EXPECT_EQ(spec.outputs, expected_.outputs);
    EXPECT_EQ(spec.append_row_to, expected_.append_row_to);
    EXPECT_EQ(spec.rank_mini_batch_count, expected_.rank_mini_batch_count);
    for (const Setting& setting : settings()) {
      if (setting.key != "retry_settings.timeout") continue;
      EXPECT_EQ(setting.write(spec).text, timeout_);
    }
  }

  Random random_;
  JobFlags flags_;
  SetValues sets_;
  JobSpec expected_;
  std::string timeout_ = "60";
  std::multiset<std::string> problems_;
};

class ScriptStorm : public FlagStorm {
 public:
  using FlagStorm::FlagStorm;

  void run() {
    const std::string script =
        one_of({"score.py", "dir/score.py", "/abs/score.py", "bin/score", "dir/", "", "/abs/.py"});
    expected_.code = script == "score.py"       ? "/here"
                     : script == "dir/score.py" ? "/here/dir"
                                                : "/abs";
    expected_.entry_script = "score.py";
    if (script == "dir/" || script == "/abs/.py") problems_.insert(script);
    if (script.empty()) problems_.insert("FILE");
    if (script == "bin/score") {  // a program
      expected_.code = "/here";
      expected_.entry_script = "";
      expected_.command = "/here/bin/score";
    }
    draw_data();
    draw_output();
    draw_others();
    if (maybe(100)) {
      sets_.emplace_back("a..b", "1");
      problems_.insert("--set a..b=1");
    }
    judge(read_short_form(script, flags_, kCurrentFolder, sets_));
  }

 private:
  void draw_data() {
    const bool rank = maybe(150);
    if (rank) {
      sets_.emplace_back("rank_mini_batch_count", "3");
      expected_.rank_mini_batch_count = 3;
    }
    for (std::uint32_t i = random_.between(0, 3); i > 0; --i) {
      const SaidPath path = draw_input();
      flags_.input.push_back(path.said);
      const std::size_t count = flags_.input.size();
      const std::string name = count == 1 ? "data" : fmt::format("data{}", count);
      expected_.inputs.push_back({.name = name, .paths = {path.whole}});
      if (!rank) expected_.input_data.push_back(name);
    }
    if (flags_.input.empty() && !rank) problems_.insert("--input");
    if (!flags_.input.empty() && maybe(50)) {
      flags_.input[0] = one_of({"", "https://x/y", "@"});
      problems_.insert("--input");
    }
  }

  // A bare file name stands in --output, another one where it says.
  void draw_output() {
    std::optional<std::string> folder;
    if (maybe(500)) {
      flags_.output = "out";
      folder = "/here/out";
    }
    if (maybe(500)) {
      if (folder) expected_.outputs.push_back({"output", OutputType::kFolder, folder});
      const bool bare = maybe(500);
      flags_.append_row_to = bare ? "r.csv" : "sub/r.csv";
      const std::string path = bare ? folder.value_or("/here") + "/r.csv" : "/here/sub/r.csv";
      expected_.outputs.push_back({"rows", OutputType::kFile, path});
      expected_.append_row_to = {"rows"};
    } else {
      expected_.outputs.push_back({"output", OutputType::kFolder, folder});
      expected_.append_row_to = {"output"};
    }
  }
};

// A job file with inputs a and b, a folder x and a file f, or less; and flags over it.
class OverlayStorm : public FlagStorm {
 public:
  using FlagStorm::FlagStorm;

  void run() {
    text_ = "type: parallel\ntask:\n  entry_script: s.py\n";
    expected_.code = kFileFolder;
    expected_.entry_script = "s.py";
    draw_file();
    draw_inputs();
    draw_outputs();
    draw_others();
    SCOPED_TRACE(text_);
    JobFileText input;
    input.file = kJobFile;
    input.text = text_;
    input.folder = kFileFolder;
    input.current_folder = kCurrentFolder;
    input.flags = flags_;
    judge(read_job_file(input));
  }

 private:
  void draw_file() {
    folder_ = one_of({"x", "rows"});
    row_output_ = one_of({"", folder_, "f"});
    has_x_ = row_output_ == folder_ || maybe(500);
    has_f_ = row_output_ == "f" || maybe(500);
    if (!row_output_.empty()) text_ += "  append_row_to: ${{outputs." + row_output_ + "}}\n";
    if (!row_output_.empty()) expected_.append_row_to = {row_output_};
    if (has_x_ || has_f_) text_ += "outputs:\n";
    if (has_f_) {
      text_ += "  f: {type: uri_file, path: /f}\n";
      expected_.outputs.push_back({"f", OutputType::kFile, "/f"});
    }
    if (has_x_) {
      text_ +=
          "  " + folder_ + (maybe(500) ? ": {type: uri_folder, path: /x}\n" : ": {path: /x}\n");
      expected_.outputs.push_back({folder_, OutputType::kFolder, "/x"});
    }
  }

  void draw_inputs() {
    const bool two = maybe(500);
    const bool named = maybe(700);  // by input_data
    text_ += two ? "inputs: {a: {path: /a}, b: {path: /b}}\n" : "inputs: {a: {path: /a}}\n";
    expected_.inputs = {{.name = "a", .paths = {"/a"}}};
    if (two) expected_.inputs.push_back({.name = "b", .paths = {"/b"}});
    std::vector<std::string> names = {"a"};
    if (two && maybe(500)) names.emplace_back("b");
    if (named && names.size() == 1) text_ += "input_data: ${{inputs.a}}\n";
    if (named && names.size() == 2) text_ += "input_data: ['${{inputs.a}}', '${{inputs.b}}']\n";
    const std::uint32_t count = named ? random_.between(0, 3) : random_.between(1, 3);
    // Without input_data one path is for the only input there is, several are inputs of their own.
    if (!named && (two || count > 1)) names.clear();
    for (std::uint32_t i = 0; i < count; ++i) {
      const SaidPath path = draw_input();
      flags_.input.push_back(path.said);
      if (i == names.size()) names.push_back(i == 0 ? "data" : fmt::format("data{}", i + 1));
      const auto input = std::ranges::find(expected_.inputs, names[i], &InputSpec::name);
      if (input != expected_.inputs.end()) {
        input->paths = {path.whole};
      } else {
        expected_.inputs.push_back({.name = names[i], .paths = {path.whole}});
      }
    }
    expected_.input_data = names;
  }

  OutputSpec& output(const std::string& name, OutputType type) {
    const auto found = std::ranges::find(expected_.outputs, name, &OutputSpec::name);
    if (found != expected_.outputs.end()) return *found;
    return expected_.outputs.emplace_back(OutputSpec{name, type, std::nullopt});
  }

  // Rows that have a file keep its name in the folder of --output.
  void draw_outputs() {
    const bool to_file = maybe(500);
    if (to_file) flags_.append_row_to = "r.csv";
    if (maybe(500)) {
      flags_.output = "out";
      if (row_output_ == "f" && !to_file) {
        output("f", OutputType::kFile).path = "/here/out/f";
      } else {
        output(has_x_ ? folder_ : "output", OutputType::kFolder).path = "/here/out";
      }
    }
    if (!to_file) return;
    const bool taken = has_x_ && folder_ == "rows";
    const std::string name = row_output_ == "f" ? "f" : taken ? "rows_" : "rows";
    output(name, OutputType::kFile).path = flags_.output ? "/here/out/r.csv" : "/here/r.csv";
    expected_.append_row_to = {name};
  }

  std::string text_;
  std::string folder_;  // the name of a folder among the outputs
  std::string row_output_;
  bool has_x_ = false;
  bool has_f_ = false;
};

TEST(ShortFormStorm, AJobOfFlagsAloneIsWhatTheyMean) { play_storms<ScriptStorm>(); }

TEST(ShortFormStorm, FlagsGoOverTheFile) { play_storms<OverlayStorm>(); }

}  // namespace
}  // namespace windrow::sim
