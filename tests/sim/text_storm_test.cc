// SPDX-License-Identifier: Apache-2.0
//
// Texts that core/spec takes apart, in a storm: YAML trees written by a writer of its own, words of
// a command line, references, names.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <regex.h>

#include "base/text.h"
#include "core/spec/engine_arguments.h"
#include "core/spec/job_name.h"
#include "core/spec/job_paths.h"
#include "core/spec/program_arguments.h"
#include "core/spec/yaml.h"
#include "drawn_value.h"
#include "storm.h"
#include "yaml_page.h"

namespace windrow::sim {
namespace {

bool matches(const std::string& text, const char* pattern) {
  regex_t compiled;
  EXPECT_EQ(regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB), 0) << pattern;
  const bool found = regexec(&compiled, text.c_str(), 0, nullptr, 0) == 0;
  regfree(&compiled);
  return found;
}

class WordStorm {
 public:
  explicit WordStorm(std::uint64_t seed) : random_(seed) {}

  void run() {
    judge_words();
    judge_references();
    judge_names();
    judge_paths();
  }

 private:
  std::string draw_word() {
    std::string word;
    for (std::uint32_t i = random_.between(0, 6); i > 0; --i) {
      word += draw_from(random_,
                        {"a",
                         "B7",
                         " ",
                         "'",
                         "\"",
                         "\\",
                         "\n",
                         "\t",
                         "$",
                         "`",
                         "-",
                         "=",
                         "\xc3\xa9",
                         "{",
                         "}",
                         "[[",
                         "#",
                         "*",
                         ";"});
    }
    return word;
  }

  // What is joined is cut into the same words.
  void judge_words() {
    std::vector<std::string> words;
    for (std::uint32_t i = random_.between(0, 5); i > 0; --i) {
      words.push_back(random_.per_mille(200) ? "${{ inputs.a }}" : draw_word());
    }
    const std::string line = join_arguments(words);
    const auto cut = split_arguments(line);
    ASSERT_TRUE(cut) << line;
    EXPECT_EQ(*cut, words) << line;
    // The same words in double quotes, as a shell has it.
    std::string quoted;
    for (const std::string& word : words) {
      quoted += " \"";
      for (const char c : word) {
        if (std::string_view("\"\\$`").find(c) != std::string_view::npos) quoted += '\\';
        quoted += c;
      }
      quoted += "\" ";
    }
    const auto again = split_arguments(quoted);
    ASSERT_TRUE(again) << quoted;
    EXPECT_EQ(*again, words) << quoted;
    const std::string open = draw_from(random_, {"'", "\"", "\\"});
    EXPECT_FALSE(split_arguments(quoted + open)) << quoted;
  }

  void judge_references() {
    std::string text;
    std::vector<std::string> names;
    std::string replaced;
    bool broken = false;
    for (std::uint32_t i = random_.between(0, 5); i > 0; --i) {
      switch (random_.below(4)) {
        case 0:
          text += "plain }} ";
          replaced += "plain }} ";
          break;
        case 1: {
          const std::string bad = draw_from(random_, {"${{inputs.1}}", "${{x}}", "${{ }}"});
          text += bad;
          replaced += bad;
          broken = true;
          break;
        }
        default: {
          const bool input = random_.per_mille(500);
          const std::string name = draw_from(random_, {"a", "B_2", "_"});
          const std::string kind = input ? "inputs." : "outputs.";
          const std::string space = random_.per_mille(300) ? " " : "";
          text += "${{" + space + kind + name + space + "}}";
          names.push_back(kind + name);
          replaced += "<" + kind + name + ">";
          break;
        }
      }
    }
    if (random_.per_mille(150)) {
      text += "${{inputs.a";
      replaced += "${{inputs.a";
      broken = true;
    }
    const auto named = [](const Reference& one) {
      return (one.kind == Reference::Kind::kInput ? "inputs." : "outputs.") + one.name;
    };
    EXPECT_EQ(
        replace_references(text, [&](const Reference& one) { return "<" + named(one) + ">"; }),
        replaced);
    const auto found = find_references(text);
    ASSERT_EQ(found.has_value(), !broken) << text;
    if (broken) return;
    std::vector<std::string> seen;
    for (const Reference& one : *found) seen.push_back(named(one));
    EXPECT_EQ(seen, names);
    EXPECT_EQ(parse_lone_reference(text).has_value(),
              names.size() == 1 && replaced == "<" + names[0] + ">")
        << text;
    const bool given = random_.per_mille(500);
    const auto kept = resolve_optional_parts("a $[[" + text + "]] z",
                                             [given](const Reference&) { return given; });
    ASSERT_TRUE(kept) << text;
    EXPECT_EQ(*kept, given || names.empty() ? "a " + text + " z" : "a  z");
  }

  void judge_names() {
    const std::string script =
        draw_from(random_,
                  {"/a/My Score.py", "x.yml", "..", "-", "caf\xc3\xa9.py", "a/b.yaml", ""}) +
        draw_word();
    const std::uint64_t dice = random_.next();
    const std::string name = generate_job_name(script, "2026-11-15", dice);
    EXPECT_TRUE(check_job_name(name)) << name;
    EXPECT_TRUE(matches(name, "^([a-z0-9][a-z0-9._-]*-2026-11-15-[a-z]+-[a-z]+)$")) << name;
    EXPECT_EQ(name, generate_job_name(script, "2026-11-15", dice));
    const std::string word = draw_word();
    EXPECT_EQ(check_job_name(word).has_value(),
              matches(word, "^([A-Za-z0-9_][A-Za-z0-9._-]{0,254})$"))
        << word;
  }

  void judge_paths() {
    std::string path;
    std::string expected = "/f";
    for (std::uint32_t i = random_.between(0, 4); i > 0; --i) {
      const std::string part = draw_from(random_, {"a", ".", "..", "", "b c"});
      path += part + "/";
      if (part != "." && !part.empty()) expected += "/" + part;
    }
    const bool absolute = path.starts_with('/');
    if (absolute) expected = expected == "/f" ? "/" : expected.substr(2);
    EXPECT_EQ(join_path("/f", path), expected) << path;
    if (expected != "/") {
      const std::string parent = parent_folder(expected);
      EXPECT_EQ(join_path(parent, base_name(expected)), expected);
    }
    EXPECT_EQ(parent_folder("x"), ".");
    EXPECT_EQ(join_path("", "."), ".");
    const std::string url = draw_from(
        random_, {"http://x", "a+b://x", "://x", "a b://x", "azureml:d", "azure:d", "/a://b"});
    EXPECT_EQ(is_remote_path(url), matches(url, "^(([A-Za-z0-9+.-]+://|azureml:).*)$")) << url;
  }

  Random random_;
};

// Settings among the arguments, in every spelling.
class EngineArgumentStorm {
 public:
  explicit EngineArgumentStorm(std::uint64_t seed) : random_(seed) {}

  void run() {
    std::vector<std::string> words;
    std::vector<std::pair<std::string, std::optional<std::string>>> expected;
    std::size_t misspelt = 0;
    for (std::uint32_t i = random_.between(0, 5); i > 0; --i) {
      const EngineArgument& argument = engine_arguments()[random_.below(engine_arguments().size())];
      const std::string name(argument.name);
      if (random_.per_mille(100)) {
        words.insert(words.end(), {"--not_of_the_engine", "-x", "1"});
        continue;
      }
      if (random_.per_mille(100) && name.size() > 8) {
        words.push_back("--" + name + "x");
        misspelt += 1;
        continue;
      }
      std::erase_if(expected, [&](const auto& one) { return same(one.first, argument); });
      std::optional<std::string> value = draw_from(random_, {"5", "a b", "-1", "", "it's"});
      const std::string quote = draw_from(random_, {"", "'", "\""});
      switch (random_.below(3)) {
        case 0:
          words.push_back("--" + name + "=" + quote + *value + quote);
          break;
        case 1:
          words.insert(words.end(), {"--" + name, quote + *value + quote});
          break;
        default:
          words.push_back("--" + name);
          words.emplace_back("--verbose");
          value.reset();
          break;
      }
      expected.emplace_back(name, value);
    }
    const FoundArguments found = find_engine_arguments(words);
    std::vector<std::pair<std::string, std::optional<std::string>>> seen;
    for (const FoundArgument& one : found.known) seen.emplace_back(one.known->name, one.value);
    EXPECT_EQ(seen, expected) << join_arguments(words);
    EXPECT_EQ(found.misspelt.size(), misspelt) << join_arguments(words);
    for (const EngineArgument& argument : engine_arguments()) {
      if (argument.name == "amlbi_pf_run_mode") {
        EXPECT_EQ(engine_value(argument, "component"), "output");
        EXPECT_EQ(engine_value(argument, "many"), "");
        continue;
      }
      const bool rounded = argument.key == "error_threshold";
      EXPECT_EQ(engine_value(argument, "2.2"), rounded ? "3" : "2.2");
      EXPECT_EQ(engine_value(argument, "many"), "many");
      const bool rows = argument.name == "amlbi_pf_enabled";
      EXPECT_EQ(engine_value(argument, "True"), rows ? "jsonl" : "True");
      EXPECT_EQ(engine_value(argument, "false"), rows ? "files" : "false");
    }
  }

 private:
  // Two names of one setting are one.
  static bool same(const std::string& name, const EngineArgument& argument) {
    const auto timeout = [](std::string_view one) {
      return one == "run_invocation_timeout" || one == "score_run_timeout";
    };
    const auto rows = [](std::string_view one) {
      return one == "amlbi_pf_enabled" || one == "amlbi_file_format";
    };
    return name == argument.name || (timeout(name) && timeout(argument.name)) ||
           (rows(name) && rows(argument.name));
  }

  Random random_;
};

// A tree, written with whatever YAML has for it.
class TreeStorm {
 public:
  explicit TreeStorm(std::uint64_t seed) : random_(seed) {}

  void run() {
    const std::string text = "root: " + draw(0) + "\nlast: x\n";
    SCOPED_TRACE(text);
    const auto tree = parse_yaml("t.yml", text);
    ASSERT_TRUE(tree) << tree.error()[0].message;
    ASSERT_NE(tree->find("root"), nullptr);
    std::string seen;
    show(*tree->find("root"), seen);
    EXPECT_EQ(seen, shown_);
    judge_bounds(text);
    judge_refusals(text);
  }

 private:
  // YAML of a drawn tree; shown_ grows by what show() must make of it.
  std::string draw(int depth) {
    const std::uint64_t kind = random_.below(depth > 4 ? 3 : 6);
    std::string anchor;
    const std::size_t from = shown_.size();
    if (random_.per_mille(150)) anchor = fmt::format("&a{} ", ++anchors_made_);
    std::string yaml;
    if (kind == 0 && !anchors_.empty()) {
      const auto& [name, shown] = anchors_[random_.below(anchors_.size())];
      shown_ += shown;
      return "*" + name + " ";
    }
    if (kind == 1) {
      yaml = draw_from(random_, {"~", "null"});
      shown_ += "N";
    } else if (kind < 4) {
      const std::string text =
          draw_from(random_, {"a", "1", "x y", "\xc3\xa9", "", "it's", "#", "\n"});
      yaml = (random_.per_mille(100) ? "!!str " : "") + yaml_text_without_tag(text);
      shown_ += "(" + text + ")";
    } else {
      const bool list = kind == 4;
      yaml = list ? (random_.per_mille(100) ? "!!seq [" : "[") : "{";
      shown_ += list ? "[" : "{";
      const std::uint32_t count = random_.between(0, 3);
      for (std::uint32_t i = 0; i < count; ++i) {
        const std::string key = fmt::format("k{}", i);
        if (!list) yaml += key + ": ";
        if (!list) shown_ += key + ":";
        yaml += draw(depth + 1) + ", ";
      }
      yaml += list ? "]" : "}";
      shown_ += list ? "]" : "}";
    }
    if (!anchor.empty()) {
      anchors_.emplace_back(anchor.substr(1, anchor.size() - 2), shown_.substr(from));
    }
    return anchor + yaml;
  }

  std::string yaml_text_without_tag(const std::string& text) {
    std::string yaml = yaml_text(random_, text);
    while (yaml.starts_with("!!")) yaml = yaml_text(random_, text);
    return yaml;
  }

  static void show(const Node& node, std::string& out) {
    switch (node.kind) {
      case Node::Kind::kNull:
        out += "N";
        return;
      case Node::Kind::kScalar:
        out += "(" + node.text + ")";
        return;
      case Node::Kind::kSequence:
        out += "[";
        for (const Node& item : node.items) show(item, out);
        out += "]";
        return;
      case Node::Kind::kMap:
        break;
    }
    out += "{";
    for (const Entry& entry : node.entries) {
      out += entry.key + ":";
      show(entry.value, out);
    }
    out += "}";
  }

  // With less room than the text or its values need, it is refused.
  void judge_bounds(const std::string& text) {
    EXPECT_FALSE(parse_yaml("t.yml", text, {.text_max = text.size() - 1}));
    EXPECT_TRUE(parse_yaml("t.yml", text, {.text_max = text.size() + 10'000}));
    EXPECT_FALSE(parse_yaml("t.yml", text, {.nodes_max = 3}));
    // Aliases count with all that they stand for, up to four times the text.
    const std::uint32_t aliases = random_.between(0, 8);
    std::string copies = "a: &a " + std::string(1000, 'x') + "\nb: [";
    for (std::uint32_t i = 0; i < aliases; ++i) copies += "*a , ";
    copies += "]\n";
    const bool fits = 2 + 1000 * (1 + aliases) <= 4 * copies.size();
    EXPECT_EQ(parse_yaml("t.yml", copies, {.text_max = copies.size()}).has_value(), fits)
        << aliases;
  }

  // One thing that YAML or we do not take, behind the right text; on which line it stands.
  void judge_refusals(const std::string& text) {
    struct Fault {
      std::string text;
      int line;
    };
    const std::vector<Fault> faults = {
        {"root: again\n", 1},
        {"x: !thing y\n", 1},
        {"x: !!set {a: b}\n", 1},
        {"x: !!binary '?'\n", 1},
        {"x: !!binary 'AA?='\n", 1},
        {"x: !!binary AA==\n", 1},
        {"x: \"a\\0b\"\n", 1},
        {"x: &me [*me]\n", 1},
        {"? [a]\n: b\n", 1},
        {"x: " + std::string(70, '[') + std::string(70, ']') + "\n", 1},
        {"y: 1\nx: \x01\n", 2},
        {"y: 1\nx: \xff\n", 2},
        {"y: 1\nx: \x7f\xff\n", 2},
        {"y: 1\nx: \xff\x01\n", 2},
        {"x: [\n", 2},
        {"--- \nz: 1\n", 1},
        {"x: *nobody\n", 1}};
    const Fault& fault = faults[random_.below(faults.size())];
    const auto refused = parse_yaml("t.yml", text + fault.text);
    ASSERT_FALSE(refused) << fault.text;
    const auto line = 3 - 1 + fault.line;
    const std::string& where = refused.error()[0].where;
    EXPECT_TRUE(where.starts_with(fmt::format("t.yml:{}:", line)) ||
                where.starts_with(fmt::format("t.yml:{}:", line + 1)))
        << where << ": " << refused.error()[0].message << " for " << fault.text;
    EXPECT_FALSE(parse_yaml("t.yml", draw_from(random_, {"", "# nothing\n", "\n"})));
  }

  Random random_;
  std::string shown_;
  int anchors_made_ = 0;
  std::vector<std::pair<std::string, std::string>> anchors_;
};

TEST(TextStorm, WordsReferencesNamesAndPathsAreWhatTheyWereMadeOf) { play_storms<WordStorm>(); }

TEST(TextStorm, EngineArgumentsAreFoundInEverySpelling) { play_storms<EngineArgumentStorm>(); }

TEST(TextStorm, ATreeIsReadAsItWasWrittenAndAFaultRefused) { play_storms<TreeStorm>(); }

}  // namespace
}  // namespace windrow::sim
