// SPDX-License-Identifier: Apache-2.0
//
// The task of a drawn job: its script, its arguments, and the settings among them.
#include "drawn_job.h"

namespace windrow::sim {
namespace {

// What stands in the text, and the words that it makes.
struct Piece {
  std::string text;
  std::vector<std::string> words;
};
const std::vector<Piece> kPieces = {
    {"plain", {"plain"}},
    {"'a b'", {"a b"}},
    {"\"a \\\"b\\\" \\n\"", {"a \"b\" \\n"}},
    {"x\\ y", {"x y"}},
    {"''", {""}},
    {"a\\\nb", {"ab"}},
    {"\"a\\\nb\"", {"ab"}},
    {"${{ inputs.data }}", {"${{ inputs.data }}"}},
    {"--d=${{inputs.data}}/x", {"--d=${{inputs.data}}/x"}},
    {"$[[--d ${{inputs.data}}]]", {"--d", "${{inputs.data}}"}},
    {"$[[--q 1]]", {"--q", "1"}},
    {"--append_row_safe_output", {"--append_row_safe_output"}},
    {"--amlbi_async_mode False", {"--amlbi_async_mode", "False"}},
    {"--amlbi_mini_batch_rows=0", {"--amlbi_mini_batch_rows=0"}},
};

}  // namespace

void JobDraft::draw_task() {
  if (wrong() && maybe(200)) {
    task_right_ = false;
    if (maybe(500)) return blame("");
    page_.put("task", one_of({"", "score.py", "[]"}));
    return blame("task");
  }
  if (wrong()) {
    put_wrong("task.type", {"model", "command", ""});
  } else {
    page_.put_text("task.type", one_of({"run_function", "function"}));
  }
  draw_script();
  if (maybe(100)) {
    page_.put("task.environment", one_of({"x", "{image: y}", "[]"}));
    note("task.environment");
  }
  if (!out_.spec.outputs.empty() && maybe(700)) {
    std::vector<std::string> said;
    for (const OutputSpec& output : out_.spec.outputs) {
      said.push_back("${{outputs." + output.name + "}}");
      out_.spec.append_row_to.push_back(output.name);
      if (maybe(500)) break;
    }
    page_.put("task.append_row_to",
              said.size() == 1 ? yaml_text(random_, said[0]) : yaml_list(random_, said));
  } else if (wrong()) {
    put_wrong("task.append_row_to", {"rows", "${{inputs.data}}", "${{outputs.nowhere}}", ""});
  }
  draw_arguments();
}

void JobDraft::draw_script() {
  if (wrong()) {
    switch (random_.below(3)) {
      case 0:
        return blame("task");
      case 1:
        return put_shape("task.entry_script");
      default:
        return put_wrong("task.entry_script", {"", "  "});
    }
  }
  const bool module = maybe(200);
  const std::string script = module ? "pkg.main" : one_of({"score.py", "src/score.py"});
  page_.put_text("task.entry_script", script);
  if (maybe(400)) {
    if (wrong()) return put_wrong("task.code", {"", "git+ssh://x"});
    const auto [text, whole] = draw_path(random_, kFileFolder);
    page_.put_text("task.code", text);
    out_.spec.code = whole;
    out_.spec.entry_script = script;
    return;
  }
  const bool below = script.starts_with("src/");
  out_.spec.code = below ? std::string(kFileFolder) + "/src" : kFileFolder;
  out_.spec.entry_script = below ? "score.py" : script;
}

void JobDraft::draw_arguments() {
  const std::string key = "task." + one_of({"program_arguments", "args"});
  if (maybe(300)) {
    if (maybe(300)) page_.put(key, "");
    return;
  }
  if (wrong()) {
    if (maybe(200)) {
      page_.put_text("task.program_arguments", "a");
      page_.put_text("task.args", "b");
      return blame("task.args");
    }
    if (page_.has("inputs.gone")) return put_wrong(key, {"--x ${{inputs.gone}}"});
    return put_wrong(key,
                     {"'a",
                      "\"a",
                      "\"a\\",
                      "a\\",
                      "${{inputs.dota}}",
                      "${{inputs.data",
                      "${{secrets.x}}",
                      "$[[a",
                      "$[[a $[[b]] ]]",
                      "$[[${{inputs.1}}]]",
                      "--nice 99",
                      "--nice",
                      "--amlbi_async_mode true",
                      "--amlbi_file_format=csv",
                      "--resume_from x",
                      "--error_threshold x",
                      "--nice=\"'21'\""});
  }
  std::string text;
  const std::uint32_t count = random_.between(1, 5);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Piece& piece = kPieces[random_.below(kPieces.size())];
    text += (text.empty() ? "" : one_of({" ", "\t", "  ", "\n"})) + piece.text;
    out_.spec.arguments.insert(out_.spec.arguments.end(), piece.words.begin(), piece.words.end());
  }
  const auto refer = [&](const std::string& reference) {
    text += " " + reference;
    out_.spec.arguments.push_back(reference);
  };
  if (!out_.spec.outputs.empty() && maybe(300)) {
    refer("${{outputs." + out_.spec.outputs[0].name + "}}");
  }
  if (page_.has("inputs.bound0") && maybe(300)) refer("${{inputs.bound0}}");
  if (page_.has("inputs.gone") && maybe(500)) text += " $[[--x ${{inputs.gone}}]]";
  if (maybe(100)) {
    text += " --run_invocation_timout 5";
    out_.spec.arguments.insert(out_.spec.arguments.end(), {"--run_invocation_timout", "5"});
    note(key);
  }
  if (maybe(300)) text += draw_argument_setting(key);
  page_.put_text(key, text);
}

// A setting among the arguments goes over the file, and a flag or --set over both.
std::string JobDraft::draw_argument_setting(const std::string& arguments) {
  const bool timeout = maybe(500) && broken_group_ != "retry_settings";
  const std::string key = timeout ? "retry_settings.timeout" : "nice";
  const std::string name =
      timeout ? one_of({"--run_invocation_timeout", "--score_run_timeout"}) : "--nice";
  const auto drawn = out_.settings.find(key);
  if (drawn == out_.settings.end() && said_.contains(key)) return "";  // it is wrong already
  std::string said = std::to_string(random_.between(1, 20));
  std::string value = said;
  if (page_.has("inputs.bound0") && maybe(500)) {
    said = "${{inputs.bound0}}";
    value = "7";
  }
  out_.spec.arguments.insert(out_.spec.arguments.end(), {name, said});
  const bool differs = drawn != out_.settings.end() && drawn->second.means != value;
  if (said_.contains(key) && !said_[key].empty()) {
    if (differs) note(arguments);
  } else {
    out_.settings[key] = {.said = said, .means = value};
    if (differs) contradicted_.push_back(key);
  }
  return " " + name + " " + said;
}

}  // namespace windrow::sim
