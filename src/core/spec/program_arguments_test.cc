// SPDX-License-Identifier: Apache-2.0
#include "core/spec/program_arguments.h"

#include <random>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace windrow {
namespace {

// The words between bars, or the refusal.
std::string split(std::string_view text) {
  const auto words = split_arguments(text);
  return words ? fmt::format("|{}|", fmt::join(*words, "|")) : words.error().message;
}

TEST(SplitArguments, CutsAsAShellDoes) {
  EXPECT_EQ(split("--a 1  --b\t2\n"), "|--a|1|--b|2|");
  EXPECT_EQ(split("'a b' \"c d\" e\\ f"), "|a b|c d|e f|");
  EXPECT_EQ(split("a'b c'\"d e\"f"), "|ab cd ef|");
  EXPECT_EQ(split("'' \"\" x"), "|||x|");
  EXPECT_EQ(split(R"("a\"b\\c\$d\`e\f")"), "|a\"b\\c$d`e\\f|");
  EXPECT_EQ(split(R"('a\b"c')"), "|a\\b\"c|");
  EXPECT_EQ(split("a\\\nb \"c\\\nd\""), "|ab|cd|");
  EXPECT_EQ(split("$HOME *.txt ~ # x"), "|$HOME|*.txt|~|#|x|") << "nothing is expanded";
  EXPECT_EQ(split_arguments("")->size(), 0U);
  EXPECT_EQ(split_arguments(" \n ")->size(), 0U);
}

TEST(SplitArguments, RefusesOpenQuotes) {
  EXPECT_EQ(split("a 'b"), "a ' that is never closed");
  EXPECT_EQ(split("a \"b"), "a \" that is never closed");
  EXPECT_EQ(split("\"a\\\""), "a \" that is never closed");
  EXPECT_EQ(split("a\\"), "a \\ at the end");
}

TEST(SplitArguments, KeepsAReferenceInOnePiece) {
  EXPECT_EQ(split("--x ${{inputs.a}} --y=${{ outputs.b }}/c"),
            "|--x|${{inputs.a}}|--y=${{ outputs.b }}/c|");
}

TEST(JoinArguments, IsUndoneBySplitting) {
  const std::vector<std::string> hard = {"",
                                         " ",
                                         "a b",
                                         "it's",
                                         "\"",
                                         "\\",
                                         "$x",
                                         "\n",
                                         "${{inputs.a}}",
                                         " ${{inputs.a}} ",
                                         "${{ inputs.a }}",
                                         "x${{inputs.a}} y",
                                         "\xff",
                                         "-",
                                         "--a=b",
                                         "'",
                                         "''",
                                         "a\\'b"};
  EXPECT_EQ(split_arguments(join_arguments(hard)).value(), hard);
  EXPECT_EQ(join_arguments({"--model", "m.bin", "${{inputs.a}}"}), "--model m.bin ${{inputs.a}}");
}

TEST(JoinArguments, IsUndoneBySplittingForAnyText) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string> words(random() % 4);
    for (std::string& word : words) {
      for (std::size_t length = random() % 6; length > 0; --length) {
        word += " '\"\\$`\n{}.ab\xc3\xff"[random() % 14];
      }
    }
    ASSERT_EQ(split_arguments(join_arguments(words)).value(), words) << join_arguments(words);
  }
}

TEST(References, AreFoundAndReplaced) {
  const auto found = find_references("a${{inputs.x}}b${{ outputs.y_1 }}");
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 2U);
  EXPECT_EQ((*found)[0].name, "x");
  EXPECT_EQ((*found)[1].name, "y_1");
  EXPECT_EQ((*found)[1].kind, Reference::Kind::kOutput);
  const auto show = [](const Reference& r) { return "<" + r.name + ">"; };
  EXPECT_EQ(replace_references("a${{inputs.x}}b${{ outputs.y_1 }}c", show), "a<x>b<y_1>c");
  EXPECT_EQ(replace_references("a${{z}}${{inputs.x}}${{inputs.x", show), "a${{z}}<x>${{inputs.x");
}

TEST(References, ThatCannotBeUnderstoodAreRefused) {
  for (const char* bad : {"${{inputs.x",
                          "${{}}",
                          "${{inputs.}}",
                          "${{parent.inputs.x}}",
                          "${{inputs.x.y}}",
                          "${{INPUTS.x}}"}) {
    EXPECT_FALSE(find_references(bad)) << bad;
  }
  EXPECT_EQ(find_references("${{parent.inputs.x}}").error().message,
            "'${{parent.inputs.x}}' belongs to the pipeline that this step was part of; write "
            "{path: ...} for a folder or file, or the value itself");
  EXPECT_EQ(find_references("${{INPUTS.x}}").error().message,
            "'${{INPUTS.x}}' is not a reference; allowed are ${{inputs.NAME}} and "
            "${{outputs.NAME}}");
}

TEST(References, StandAloneWhereAPathIsNamed) {
  EXPECT_EQ(parse_lone_reference(" ${{ inputs.x }} ")->name, "x");
  for (const char* bad :
       {"", "x", "inputs.x", "${{inputs.x}}/y", "${{inputs.x}}${{inputs.y}}", "${{}}"}) {
    EXPECT_FALSE(parse_lone_reference(bad)) << bad;
  }
}

}  // namespace
}  // namespace windrow
