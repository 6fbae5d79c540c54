// SPDX-License-Identifier: Apache-2.0
//
// The inputs and outputs of a drawn job.
#include "drawn_job.h"

#include <algorithm>

#include <fmt/format.h>

namespace windrow::sim {

namespace {

// Only input_data may have such.
bool is_many(const InputSpec& input) {
  const std::string& first = input.paths[0];
  return input.paths.size() > 1 || first == "-" || first.starts_with('@');
}

}  // namespace

SaidPath draw_path(Random& random, const std::string& folder) {
  switch (random.below(6)) {
    case 0:
      return {"some/in", folder + "/some/in"};
    case 4:
      return {"bytes\xff", folder + "/bytes\xff"};
    case 1:
      return {"./a//b/.", folder + "/a/b"};
    case 2:
      return {"/abs/x/", "/abs/x"};
    case 3:
      return {"../up", folder + "/../up"};
    default:
      return {"with space", folder + "/with space"};
  }
}

void JobDraft::put_wrong(std::string_view path, const std::vector<std::string>& texts) {
  page_.put(path, maybe(150) ? "{a: b}" : yaml_text(random_, one_of(texts)));
  blame(path);
}

void JobDraft::put_shape(std::string_view path) {
  page_.put(path, one_of({"", "[]", "[a, b]", "{a: b}"}));
  blame(path);
}

DrawnJob JobDraft::finish() {
  out_.input.file = kJobFile;
  out_.input.folder = kFileFolder;
  out_.input.current_folder = kCurrentFolder;
  out_.input.text = page_.render();
  const auto at = [](std::uint32_t line) { return fmt::format("{}:{}:", kJobFile, line); };
  for (const std::string& path : blamed_) out_.problems.push_back(at(page_.line_of(path)));
  for (const std::string& path : noted_) out_.notices.push_back(at(page_.line_of(path)));
  return std::move(out_);
}

void JobDraft::draw_inputs() {
  const bool table = maybe(150);
  page_.put_text("inputs.data.type", table ? "mltable" : "uri_folder");
  wrong() ? draw_wrong_data(table) : draw_data(table);
  if (maybe(200)) {
    page_.put_text("inputs.bound0", "7");
    out_.spec.inputs.push_back({.name = "bound0", .type = InputType::kLiteral, .paths = {"7"}});
  }
  for (const char* name : {"v1", "v2", "gone"}) {
    if (maybe(500)) draw_value_input(name);
  }
  draw_input_data();
  if (maybe(300)) draw_side_input("side");
  if (wrong()) {
    const std::string name = "inputs." + one_of({"1x", "a-b", "''", std::string(256, 'n')});
    page_.put(name, "text");
    blame(name);
  }
}

void JobDraft::draw_wrong_data(bool table) {
  const std::uint64_t fault = random_.below(table ? 8 : 7);
  mltable_ = table && fault > 1;
  switch (fault) {
    case 0:
      blame("inputs.data");  // no path
      break;
    case 6:
      page_.put_text("inputs.data.path", "in");
      put_shape("inputs.data.partition_format");
      break;
    case 7:  // one folder, the one with the file MLTable
      page_.put("inputs.data.path", one_of({"[in, in]", "'-'", "'@x'"}));
      out_.spec.inputs.push_back({.name = "data", .paths = {"a", "b"}});
      blame("inputs.data.path");
      break;
    case 4:
      page_.put_text("inputs.data.path", "in");
      page_.put(one_of({"inputs.data.ignore", "inputs.data.input_ignore"}),
                one_of({"''", "[a, '']", "[[a]]", "[]"}));
      blame(page_.has("inputs.data.ignore") ? "inputs.data.ignore" : "inputs.data.input_ignore");
      break;
    case 5:
      page_.put("inputs.data.path", one_of({"[in, [b]]", "[in, '']"}));
      blame("inputs.data.path");
      break;
    case 1:
      put_wrong("inputs.data.path",
                {"", "https://x/y", "azureml:data:1", "${{ parent.inputs.p }}", "@"});
      break;
    case 2:
      put_shape("inputs.data.mode");
      page_.put_text("inputs.data.path", "in");
      break;
    default:
      put_wrong("inputs.data.mode",
                table ? std::vector<std::string>{"sideways", ""}
                      : std::vector<std::string>{"direct", "eval_mount", "sideways"});
      page_.put_text("inputs.data.path", "in");
      break;
  }
}

void JobDraft::draw_mode(InputSpec& data) {
  if (data.type == InputType::kMlTable) {
    const std::string mode = one_of({"direct", "eval_mount", "eval_download", "ro_mount"});
    page_.put_text("inputs.data.mode", mode);
    data.as_files = mode != "direct";
  } else if (maybe(500)) {
    page_.put_text("inputs.data.mode", "download");
    note("inputs.data.mode");
  } else {
    page_.put_text("inputs.data.mode", "ro_mount");
  }
}

void JobDraft::draw_data(bool table) {
  InputSpec data{.name = "data", .type = table ? InputType::kMlTable : InputType::kFolder};
  mltable_ = table;
  std::vector<std::string> said;
  const std::uint32_t count = table ? 1 : random_.between(1, 3);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto [text, whole] = draw_path(random_, kFileFolder);
    const bool list = !table && maybe(150);
    said.push_back((list ? "@" : "") + text);
    data.paths.push_back((list ? "@" : "") + whole);
    if (!table && maybe(100)) {
      said.emplace_back("-");
      data.paths.emplace_back("-");
    }
  }
  page_.put("inputs.data.path",
            said.size() == 1 ? yaml_text(random_, said[0]) : yaml_list(random_, said));
  if (maybe(200)) {
    page_.put("inputs.data.ignore", yaml_list(random_, {"*.tmp", "a b"}));
    data.ignore = {"*.tmp", "a b"};
  }
  if (maybe(100)) {
    page_.put_text("inputs.data.input_ignore", "x");
    data.ignore.emplace_back("x");
  }
  if (maybe(table ? 500 : 200)) draw_mode(data);
  if (maybe(150)) {
    data.partition_format = one_of({"/{a}/{b}.csv", "{Day:yyyy}", "anything"});
    page_.put_text("inputs.data.partition_format", data.partition_format);
  }
  if (maybe(200)) page_.put_text("inputs.data.optional", one_of({"false", "true"}));
  out_.spec.inputs.push_back(std::move(data));
}

void JobDraft::draw_value_input(const std::string& name) {
  const std::string path = "inputs." + name;
  if (name == "gone") {  // optional, and not given
    const bool value = maybe(500);
    page_.put_text(path + ".type", value ? "string" : "uri_file");
    page_.put_text(path + ".optional", "true");
    return;
  }
  if (wrong()) {
    switch (random_.below(7)) {
      case 6:
        page_.put_text(path + ".type", "number");
        return put_shape(path + ".default");
      case 0:
        page_.put(path, one_of({"", "[a]", "'${{parent.inputs.p}}'"}));
        blame(path);
        return;
      case 1:
        page_.put_text(path + ".type", "integer");
        return blame(path);  // no default
      case 2:
        page_.put_text(path + ".type", one_of({"integer", "number", "boolean"}));
        return put_wrong(path + ".default", {"many", "", "1,5", "1e999", "inf", "nan"});
      case 3:
        page_.put_text(path + ".type", "string");
        page_.put_text(path + ".default", "x");
        return put_wrong(path + one_of({".path", ".mode", ".ignore", ".partition_format"}), {"x"});
      case 4:
        page_.put_text(path + ".path", "in");
        return put_wrong(path + ".default", {"5"});  // a folder has none
      default:
        return put_wrong(path + ".type", {"mltable", "blob", "custom_model", ""});
    }
  }
  std::string value = one_of({"7", "-3", "0"});
  if (maybe(500)) {
    value = one_of({"7", "a b", "x'y", ""});
    page_.put_text(path, value);
  } else if (maybe(500)) {
    page_.put_text(path + ".type", one_of({"integer", "number", "string"}));
    page_.put_text(path + ".default", value);
    if (maybe(200)) page_.put_text(path + ".description", "a value");
  } else {
    value = one_of({"true", "False"});
    page_.put_text(path + ".type", "boolean");
    page_.put_text(path + ".default", value);
  }
  out_.spec.inputs.push_back({.name = name, .type = InputType::kLiteral, .paths = {value}});
}

void JobDraft::draw_input_data() {
  if (wrong()) {
    input_data_right_ = false;
    switch (random_.below(5)) {
      case 0:
        input_data_missing_ = true;
        return;
      case 1:
        page_.put("input_data", one_of({"[]", "[[a]]", "{}"}));
        return blame("input_data");
      case 2:
        page_.put("input_data", yaml_list(random_, {"${{inputs.data}}", "${{inputs.data}}"}));
        return blame("input_data");
      default:
        break;
    }
    const bool many = !out_.spec.inputs.empty() && is_many(out_.spec.inputs[0]);
    if (page_.has("inputs.bound0") && !many) return put_wrong("input_data", {"${{inputs.bound0}}"});
    if (page_.has("inputs.gone") && !many) return put_wrong("input_data", {"${{inputs.gone}}"});
    return put_wrong("input_data",
                     {"data",
                      "${{outputs.rows}}",
                      "${{inputs.dota}}",
                      "${{inputs.zzzzzzzzz}}",
                      "${{inputs.data}} x",
                      "${{data}}",
                      "${{inputs.1}}"});
  }
  out_.spec.input_data = {"data"};
  const std::string said = one_of({"${{inputs.data}}", " ${{ inputs.data }} "});
  page_.put("input_data", maybe(700) ? yaml_text(random_, said) : yaml_list(random_, {said}));
}

// Another folder or file, which the script reads by itself.
void JobDraft::draw_side_input(const std::string& name) {
  const std::string path = "inputs." + name;
  const auto [text, whole] = draw_path(random_, kFileFolder);
  const bool file = maybe(500);
  if (file || maybe(500)) page_.put_text(path + ".type", file ? "uri_file" : "uri_folder");
  if (input_data_right_ && wrong()) {
    if (maybe(500)) {
      page_.put(path + ".path", yaml_list(random_, {text, "more"}));
    } else {
      page_.put_text(path + ".path", one_of({"-", "@list"}));
    }
    return blame(path);  // one path, not many
  }
  page_.put_text(path + ".path", text);
  out_.spec.inputs.push_back(
      {.name = name, .type = file ? InputType::kFile : InputType::kFolder, .paths = {whole}});
}

void JobDraft::draw_outputs() {
  const std::uint32_t count = random_.between(0, 2);
  for (std::uint32_t i = 0; i < count; ++i) {
    OutputSpec output;
    output.name = i == 0 ? "rows" : "more";
    const std::string path = "outputs." + output.name;
    if (maybe(200)) {
      page_.put(path, "");
    } else if (wrong()) {
      switch (random_.below(3)) {
        case 0:
          put_wrong(path, {"x"});
          break;
        case 1:
          put_wrong(path + one_of({".type", ".mode"}), {"mltable", "direct", "sideways", ""});
          break;
        default:
          put_wrong(path + ".path", {"", "https://x/y"});
          break;
      }
    } else {
      const bool file = maybe(500);
      page_.put_text(path + ".type", file ? "uri_file" : "uri_folder");
      if (file) output.type = OutputType::kFile;
      if (maybe(500)) {
        const auto [text, whole] = draw_path(random_, kFileFolder);
        page_.put_text(path + ".path", text);
        output.path = whole;
      }
      if (maybe(100)) {
        page_.put_text(path + ".mode", "upload");
        note(path + ".mode");
      }
    }
    out_.spec.outputs.push_back(std::move(output));
  }
}

}  // namespace windrow::sim
