// SPDX-License-Identifier: Apache-2.0
//
// Which files a job has and how they are cut, in a storm of names and patterns: judged by a matcher
// that tries every way, and by cutting again from the sizes alone.
#include <algorithm>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "core/plan/cutter.h"
#include "core/plan/glob.h"
#include "core/plan/row_name.h"
#include "drawn_value.h"
#include "storm.h"

namespace windrow::sim {
namespace {

using Texts = std::vector<std::string>;  // a name as characters; bytes that are none stand alone

// The characters that names and patterns are drawn from: one, two, three and four bytes, and one
// that is not UTF-8.
const Texts kLetters = {
    "a", "b", "-", "]", ".", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x8c\xbe", "\xff"};

std::string joined(const Texts& parts, std::string_view between = "") {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += between;
    out += parts[i];
  }
  return out;
}

// One piece of a pattern: what it looks like, and which letters it stands for.
struct Piece {
  std::string text;
  Texts letters = {};
  bool any = false;       // one of any kind
  bool anything = false;  // `*`
};

bool matches(const std::vector<Piece>& pattern,
             std::size_t at,
             const Texts& name,
             std::size_t from) {
  if (at == pattern.size()) return from == name.size();
  const Piece& piece = pattern[at];
  if (piece.anything) {
    for (std::size_t next = from; next <= name.size(); ++next) {
      if (matches(pattern, at + 1, name, next)) return true;
    }
    return false;
  }
  if (from == name.size()) return false;
  const bool one = piece.any || std::ranges::find(piece.letters, name[from]) != piece.letters.end();
  return one && matches(pattern, at + 1, name, from + 1);
}

class GlobStorm {
 public:
  explicit GlobStorm(std::uint64_t seed) : random_(seed) {}

  void run() {
    for (int i = 0; i < 30; ++i) {
      judge_name();
      judge_path();
      judge_rules();
    }
  }

 private:
  Texts draw_name() {
    Texts name;
    for (std::uint32_t i = random_.between(1, 5); i > 0; --i)
      name.push_back(draw_from(random_, kLetters));
    return name;
  }

  Piece draw_set() {
    const bool complement = random_.per_mille(300);
    const std::string mark = complement ? draw_from(random_, {"!", "^"}) : "";
    Texts members;
    std::string text;
    switch (random_.below(4)) {
      case 0:
        members = {"a", "b"};
        text = "[" + mark + "a-b]";
        break;
      case 1:
        members = {"]", "a"};
        text = "[" + mark + "]a]";
        break;
      case 2:
        members = {"\xc3\xa9", "-"};
        text = "[" + mark + "\xc3\xa9-]";
        break;
      default:  // letters in the order of their codes
        members = {"\xc3\xa9", "\xe2\x82\xac"};
        text = "[" + mark + "\xc3\xa9-\xe2\x82\xac]";
        break;
    }
    if (!complement) return {.text = text, .letters = members};
    Texts others = kLetters;
    std::erase_if(others, [&](const std::string& one) {
      return std::ranges::find(members, one) != members.end();
    });
    return {.text = text, .letters = others};
  }

  std::vector<Piece> draw_pattern() {
    std::vector<Piece> pattern;
    for (std::uint32_t i = random_.between(1, 5); i > 0; --i) {
      const std::string letter = draw_from(random_, kLetters);
      switch (random_.below(6)) {
        case 0:
          pattern.push_back({.text = "*", .anything = true});
          break;
        case 1:
          pattern.push_back({.text = "?", .any = true});
          break;
        case 2:
          pattern.push_back(draw_set());
          break;
        default:
          pattern.push_back({.text = letter, .letters = {letter}});
          break;
      }
    }
    // A bracket that is never closed stands for itself.
    if (random_.per_mille(100)) pattern.push_back({.text = "[", .letters = {"["}});
    return pattern;
  }

  static std::string text_of(const std::vector<Piece>& pattern) {
    std::string text;
    for (const Piece& piece : pattern) text += piece.text;
    return text;
  }

  void judge_name() {
    const std::vector<Piece> pattern = draw_pattern();
    Texts name = draw_name();
    if (random_.per_mille(500)) {  // one that was made to match
      name.clear();
      for (const Piece& piece : pattern) {
        if (piece.anything && random_.per_mille(500)) continue;
        name.push_back(draw_from(random_, piece.letters.empty() ? kLetters : piece.letters));
      }
    }
    EXPECT_EQ(glob_matches_name(text_of(pattern), joined(name)), matches(pattern, 0, name, 0))
        << text_of(pattern) << " on " << joined(name);
  }

  // Folders and a name against a pattern of such, where `**` takes any number of them.
  static bool path_matches(const Texts& pattern,
                           std::size_t at,
                           const Texts& path,
                           std::size_t from) {
    if (at == pattern.size()) return from == path.size();
    if (pattern[at] == "**") {
      // At the end it stands for everything below, which is something.
      const std::size_t least = at + 1 == pattern.size() ? from + 1 : from;
      for (std::size_t next = least; next <= path.size(); ++next) {
        if (path_matches(pattern, at + 1, path, next)) return true;
      }
      return false;
    }
    const bool one = from < path.size() && (pattern[at] == "*" || pattern[at] == path[from]);
    return one && path_matches(pattern, at + 1, path, from + 1);
  }

  Texts draw_path(bool pattern) {
    Texts path;
    for (std::uint32_t i = random_.between(1, 4); i > 0; --i) {
      path.push_back(pattern ? draw_from(random_, {"a", "b", "*", "**", "c.txt"})
                             : draw_from(random_, {"a", "b", "c.txt"}));
    }
    return path;
  }

  void judge_path() {
    const Texts pattern = draw_path(true);
    const Texts path = draw_path(false);
    const std::string dots = random_.per_mille(200) ? "./" : "";
    const Glob glob(dots + joined(pattern, random_.per_mille(100) ? "//" : "/"));
    EXPECT_EQ(glob.matches_path(joined(path, "/")), path_matches(pattern, 0, path, 0))
        << joined(pattern, "/") << " on " << joined(path, "/");
    EXPECT_FALSE(glob.matches_path(""));
    EXPECT_FALSE(Glob("./").matches_path("a"));
  }

  // Left out: what a rule matches, and everything in a folder that one matches.
  void judge_rules() {
    Texts rules;
    for (std::uint32_t i = random_.between(0, 2); i > 0; --i) {
      rules.push_back(random_.per_mille(500) ? draw_from(random_, {"a", "c.*", "b"})
                                             : "a/" + joined(draw_path(true), "/"));
    }
    const Texts path = draw_path(false);
    const IgnoreRules ignored(rules);
    EXPECT_EQ(ignored.empty(), rules.empty());
    bool any = false;
    Texts above;
    for (const std::string& part : path) {
      above.push_back(part);
      bool here = false;
      for (const std::string& rule : rules) {
        if (rule.find('/') == std::string::npos) {
          here = here || part == rule || (rule == "c.*" && part == "c.txt");
        } else {
          here = here || Glob(rule).matches_path(joined(above, "/"));
        }
      }
      EXPECT_EQ(ignored.leaves_out(joined(above, "/"), part), here);
      any = any || here;
    }
    EXPECT_EQ(ignored.leaves_out_any(joined(path, "/")), any) << joined(path, "/");
    EXPECT_EQ(ignored.leaves_out_any("/" + joined(path, "//")), any) << joined(path, "/");
  }

  Random random_;
};

class CutStorm {
 public:
  explicit CutStorm(std::uint64_t seed) : random_(seed) {}

  void run() {
    BatchSize size;
    size.files = random_.between(1, 5);
    if (random_.per_mille(600)) size.bytes = random_.between(1, 30);
    Cutter cutter(size);
    std::vector<Cut> cuts;
    Texts names;
    std::vector<std::uint64_t> bytes;
    for (std::uint32_t i = random_.between(0, 40); i > 0; --i) {
      names.push_back(draw_from(random_, {"a", "b/c", ""}) + std::to_string(i));
      bytes.push_back(random_.between(0, 20));
      if (auto cut = cutter.add(names.back(), bytes.back())) cuts.push_back(*cut);
    }
    if (auto cut = cutter.finish()) cuts.push_back(*cut);
    EXPECT_FALSE(cutter.finish());
    judge(size, cuts, names, bytes);
    judge_order(cuts);
  }

 private:
  // Every file once and in order; each mini-batch as full as it may be, and no fuller.
  static void judge(const BatchSize& size,
                    const std::vector<Cut>& cuts,
                    const Texts& names,
                    const std::vector<std::uint64_t>& bytes) {
    std::size_t at = 0;
    for (const Cut& cut : cuts) {
      std::string expected;
      std::uint64_t sum = 0;
      for (std::uint32_t i = 0; i < cut.items; ++i, ++at) {
        expected += (i == 0 ? "" : std::string(1, '\0')) + names.at(at);
        sum += bytes[at];
      }
      EXPECT_EQ(cut.names, expected);
      EXPECT_EQ(cut.bytes, sum);
      EXPECT_LE(cut.items, size.files);
      EXPECT_TRUE(!size.bytes || cut.items == 1 || sum <= *size.bytes);
      const bool full = cut.items == size.files || at == names.size() ||
                        (size.bytes && sum + bytes[at] > *size.bytes);
      EXPECT_TRUE(full);
    }
    EXPECT_EQ(at, names.size());
  }

  static void judge_order(std::vector<Cut> cuts) {
    for (std::size_t i = 0; i < cuts.size(); ++i) cuts[i].input = static_cast<std::uint32_t>(i);
    sort_largest_first(cuts);
    for (std::size_t i = 1; i < cuts.size(); ++i) {
      const bool more = cuts[i - 1].bytes > cuts[i].bytes;
      EXPECT_TRUE(more ||
                  (cuts[i - 1].bytes == cuts[i].bytes && cuts[i - 1].input < cuts[i].input));
    }
  }

  Random random_;
};

TEST(PlanStorm, AGlobMatchesWhatOneWayOfTakingItMatches) { play_storms<GlobStorm>(100); }

// Names of rows, whole and damaged.
class RowNameStorm {
 public:
  explicit RowNameStorm(std::uint64_t seed) : random_(seed) {}

  void run() {
    const auto number = [this] {
      return random_.per_mille(500) ? random_.below(100) : random_.next();
    };
    const RowPlace place{number(), number(), number(), number()};
    std::string file;
    for (std::uint32_t i = random_.between(1, 8); i > 0; --i)
      file += "ab:@+#7/\xff"[random_.below(9)];
    std::string name = row_name(file, place);
    ASSERT_TRUE(parse_row_name(name)) << name;
    EXPECT_EQ(parse_row_name(name)->file, file);
    EXPECT_EQ(parse_row_name(name)->place, place);
    name[random_.below(name.size())] = "x:@+#0"[random_.below(6)];
    if (random_.per_mille(300)) name.resize(random_.below(name.size()));
    const auto damaged = parse_row_name(name);
    EXPECT_EQ(file_of_row(name), damaged ? damaged->file : std::string_view(name));
    EXPECT_TRUE(!damaged || (name.starts_with(damaged->file) && !damaged->file.empty()));
  }

 private:
  Random random_;
};

TEST(PlanStorm, NamesOfRowsAreReadAsTheyWereWritten) { play_storms<RowNameStorm>(2000); }

TEST(PlanStorm, EveryFileIsInOneMiniBatchAndEachIsFull) { play_storms<CutStorm>(); }

}  // namespace
}  // namespace windrow::sim
