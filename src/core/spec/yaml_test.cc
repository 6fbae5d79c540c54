// SPDX-License-Identifier: Apache-2.0
#include "core/spec/yaml.h"

#include <string>

#include <gtest/gtest.h>

namespace windrow {
namespace {

// The tree on one line: {a: [x, ~]}.
std::string shown(const Node& node) {
  std::string out;
  switch (node.kind) {
    case Node::Kind::kNull:
      return "~";
    case Node::Kind::kScalar:
      return node.text;
    case Node::Kind::kSequence:
      for (const Node& item : node.items) out += (out.empty() ? "" : ", ") + shown(item);
      return "[" + out + "]";
    case Node::Kind::kMap:
      for (const Entry& entry : node.entries) {
        out += (out.empty() ? "" : ", ") + entry.key + ": " + shown(entry.value);
      }
      return "{" + out + "}";
  }
  return "";
}

// The tree, or the problems, one on a line.
std::string read(std::string_view text) {
  const auto tree = parse_yaml("f.yml", text);
  if (tree) return shown(*tree);
  std::string out;
  for (const Problem& problem : tree.error()) {
    out += (out.empty() ? "" : "\n") + problem.where + ": " + problem.message;
  }
  return out;
}

bool refused(std::string_view text) { return !parse_yaml("f.yml", text); }

TEST(Yaml, GivesScalarsSequencesAndMaps) {
  EXPECT_EQ(read("a: 1\nb: [x, 'null', ~, ]\nc: {d: \"e\\n\"}\n"),
            "{a: 1, b: [x, null, ~], c: {d: e\n}}");
  EXPECT_EQ(read("a:\n"), "{a: ~}");
  EXPECT_EQ(read("just text"), "just text");
}

TEST(Yaml, MarksAreCountedFromOne) {
  const auto tree = parse_yaml("f.yml", "a: 1\nb:\n  c: x\n");
  ASSERT_TRUE(tree);
  const Node* c = tree->find("b")->find("c");
  EXPECT_EQ(where("f.yml", c->mark), "f.yml:3:6");
  EXPECT_EQ(where("f.yml", tree->find("b")->entries[0].mark), "f.yml:3:3");
}

TEST(Yaml, ReportsEveryDuplicateKey) {
  EXPECT_EQ(read("a: 1\nb: {c: 1, c: 2}\na: 3\n"),
            "f.yml:2:11: duplicate key 'c'; it stands on line 2 already\n"
            "f.yml:3:1: duplicate key 'a'; it stands on line 1 already");
}

TEST(Yaml, CopiesWhatAnAliasMeans) {
  EXPECT_EQ(read("a: &x {k: 1}\nb: *x\n"), "{a: {k: 1}, b: {k: 1}}");
  EXPECT_EQ(read("a: &x [*x]\n"), "f.yml:1:8: an alias refers to what it stands in");
  EXPECT_TRUE(refused("a: *nobody\n"));
}

TEST(Yaml, SaysWhereTheSyntaxIsWrong) {
  EXPECT_EQ(read("a: [1,\n"), "f.yml:2:1: not valid YAML: end of sequence flow not found");
  EXPECT_EQ(read(""), "f.yml: the file is empty");
  EXPECT_EQ(read("# nothing\n"), "f.yml: the file is empty");
  EXPECT_EQ(read("a: 1\n---\nb: 2\n").substr(0, 8), "f.yml:2:");
  EXPECT_EQ(read("? [a]\n: b\n"), "f.yml:1:3: a key must be a text");
  EXPECT_EQ(read("a: !python/object x"), "f.yml:1:4: unknown tag '!python/object'");
}

// C73
TEST(Yaml, AQuotedTextThatTheFileEndsInIsRefusedWhereItBegins) {
  const char* const said = ": the quoted text that begins here has no end";
  for (const char* text : {"a: 1\nb: 'x\n",
                           "a: 1\nb: \"x\n",
                           "a: 1\nb: '\n",
                           "a: 1\nb: 'x\n\n  \n",
                           "a: 1\nb: 'it''s\n",
                           "a: 1\nb: \"x\\\"\n"}) {
    EXPECT_EQ(read(text), std::string("f.yml:2:4") + said) << text;
  }
  EXPECT_TRUE(refused("a: [1, 'x]\n"));
  EXPECT_TRUE(refused("a: 'x"));
  EXPECT_TRUE(refused("a: 'x\n... \n"));
}

// C73
TEST(Yaml, QuotesThatEndAndThoseThatBeginNothingAreAccepted) {
  EXPECT_EQ(read("a: 'it''s'\n"), "{a: it's}");
  EXPECT_EQ(read("a: \"a\\\"b\"\n"), "{a: a\"b}");
  EXPECT_EQ(read("a: ''\n"), "{a: }");
  EXPECT_EQ(read("a: 'two\n  lines'\n"), "{a: two lines}");
  EXPECT_EQ(read("a: it's\n"), "{a: it's}");
  EXPECT_EQ(read("a: b\"c\n"), "{a: b\"c}");
  EXPECT_EQ(read("a: |\n  'x\n"), "{a: 'x\n}");
  EXPECT_EQ(read("a: |+\n  \"x\n\n"), "{a: \"x\n\n}");
  EXPECT_EQ(read("a: >\n  'x\n"), "{a: 'x\n}");
  EXPECT_EQ(read("a: 1  # it's\n"), "{a: 1}");
  EXPECT_EQ(read("a: 'x'\n...\n"), "{a: x}");
  EXPECT_EQ(read("---\na: 'x'\n"), "{a: x}");
  EXPECT_EQ(read("'a': \"x\"\n# it's the end"), "{a: x}");
}

TEST(Yaml, RefusesTextThatIsNotUtf8OrHasControlCharacters) {
  EXPECT_EQ(read("a: 1\nb: gr\xfcn\n"), "f.yml:2:6: not UTF-8: byte 0xfc");
  EXPECT_EQ(read(std::string("a: \x04 b\xff")), "f.yml:1:4: a control character: byte 0x04");
  EXPECT_TRUE(refused(std::string("a\0:\0 \0001\0", 8))) << "UTF-16";
  EXPECT_EQ(read("a: \"x\\0y\""), "f.yml:1:4: contains a NUL character");
  EXPECT_EQ(read("a: gr\xc3\xbcn"), "{a: gr\xc3\xbcn}");
}

TEST(Yaml, BinaryScalarsGiveTheirBytes) {
  std::string bytes;
  for (int i = 1; i < 256; ++i) {
    bytes += static_cast<char>(i);
    ASSERT_EQ(read("!!binary " + to_base64(bytes)), bytes);
  }
  for (const char* bad : {"!!binary a",
                          "!!binary 'a==='",
                          "!!binary 'aa=a'",
                          "!!binary '%%%%'",
                          "!!binary 'AAAA====' "}) {
    EXPECT_TRUE(refused(bad)) << bad;
  }
}

// Without its bounds each of these takes more memory than there is, or the stack.
class YamlBomb : public ::testing::Test {
 protected:
  static void expect_refused(const std::string& text) { EXPECT_TRUE(refused(text)); }

  static std::string repeated(std::string_view piece, std::size_t bytes) {
    std::string out;
    while (out.size() + piece.size() <= bytes) out += piece;
    return out;
  }
};

TEST_F(YamlBomb, ABillionLaughsAreRefused) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) bomb += before + ", ";
    bomb += "]\n";
  }
  expect_refused(bomb);
}

TEST_F(YamlBomb, ALongTextCountsAgainForEveryAlias) {
  const auto text = [](std::size_t aliases) {
    return "a: &a " + std::string(500000, 'x') + "\nb: [" + repeated("*a , ", 5 * aliases) + "]\n";
  };
  EXPECT_FALSE(refused(text(7))) << "4 MB in all";
  EXPECT_TRUE(refused(text(8))) << "4.5 MB in all";
}

TEST_F(YamlBomb, NestedAnchorsAreCounted) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += "&n" + std::to_string(i) + " [";
  text += repeated("x,", 100000) + std::string(60, ']');
  expect_refused(text);
}

TEST_F(YamlBomb, DeepNestingIsRefused) {
  expect_refused(std::string(1000000, '['));
  expect_refused(repeated("{a: ", 1000000));
  expect_refused(repeated("- ", 1000000));
  expect_refused(repeated("? ", 1000000));
  EXPECT_FALSE(refused(std::string(64, '[') + std::string(64, ']')));
  EXPECT_TRUE(refused(std::string(65, '[') + std::string(65, ']')));
}

TEST_F(YamlBomb, AMegabyteOfTextIsReadAndAByteMoreIsNot) {
  const std::string text = "a: '" + std::string((1U << 20U) - 5, 'x') + "'";
  ASSERT_EQ(text.size(), 1U << 20U);
  EXPECT_FALSE(refused(text));
  EXPECT_EQ(read(text + " "), "f.yml: the file is too large: 1.0 MB; allowed is 1.0 MB");
}

TEST_F(YamlBomb, AHundredThousandValuesAreReadAndOneMoreIsNot) {
  const auto list = [](std::size_t values) {
    std::string text = "[";
    for (std::size_t i = 1; i < values; ++i) text += "x,";
    return text + "]";
  };
  EXPECT_FALSE(refused(list(100000)));
  EXPECT_TRUE(refused(list(100002)));
}

}  // namespace
}  // namespace windrow
