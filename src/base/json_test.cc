// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace windrow {
namespace {

std::string written(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

// The one string value in `text`; "!" and the reason when it is refused.
std::string read_string(std::string_view text) {
  const Result<Json> json = parse_json(text);
  if (!json) return "! " + json.error().message;
  const auto* content = json->get<std::string>();
  return content == nullptr ? "! no string" : *content;
}

std::string why(std::string_view text) {
  const Result<Json> json = parse_json(text);
  return json ? "accepted" : json.error().message;
}

TEST(JsonWriter, PutsCommasAndColonsWhereTheyBelong) {
  JsonWriter json;
  json.begin_object().field("name", "a b").field("count", 3U).field("rate", 0.5);
  json.key("items").begin_array().value(1).value(true).null().begin_object().end_object();
  json.value("").end_array().field("empty", "ends with a space ").field("last", false);
  json.end_object();
  EXPECT_EQ(json.text(),
            R"({"name": "a b", "count": 3, "rate": 0.5, "items": [1, true, null, {}, ""], )"
            R"("empty": "ends with a space ", "last": false})");
  EXPECT_EQ(why(json.text()), "accepted");
}

TEST(JsonWriter, WritesNumbersThatReadBackTheSame) {
  JsonWriter json;
  json.begin_array().value(std::numeric_limits<std::uint64_t>::max());
  json.value(std::numeric_limits<std::int64_t>::min()).value(0.1).value(1e300);
  json.value(std::nan("")).value(std::numeric_limits<double>::infinity()).end_array();
  EXPECT_EQ(json.text(), "[18446744073709551615, -9223372036854775808, 0.1, 1e+300, null, null]");
}

TEST(JsonWriter, EscapesControlsAndBytesThatAreNotUtf8) {
  EXPECT_EQ(written("a\"b\\c\n\t\x01\x7f"), R"("a\"b\\c\n\u0009\u0001\u007f")");
  EXPECT_EQ(written("gr\xfcn \xff"), R"("gr\udcfcn \udcff")");
  EXPECT_EQ(written("gr\xc3\xbcn"), "\"gr\xc3\xbcn\"");
  EXPECT_EQ(written(std::string_view("\0", 1)), R"("\u0000")");
}

TEST(Json, EveryByteComesBackAsItWas) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  EXPECT_EQ(read_string(written(bytes)), bytes);
}

TEST(Json, MembersOfAnObjectStandBetweenOthers) {
  const auto with = [](std::string_view object) {
    JsonWriter json;
    return json.begin_object().members(object).field("z", 1).members(object).end_object().text();
  };
  EXPECT_EQ(with("{}"), R"({"z": 1})");
  EXPECT_EQ(with(R"({"a": {}, "b": "}"})"), R"({"a": {}, "b": "}", "z": 1, "a": {}, "b": "}"})");
}

TEST(Json, ReadsEveryKindOfValue) {
  const Result<Json> json =
      parse_json(R"( {"a": [1, -2.5e1, "x", null, true, false], "b": {"c": {}}, "a2": []} )");
  ASSERT_TRUE(json) << json.error().message;
  const Json::Array& a = *json->find("a")->get<Json::Array>();
  ASSERT_EQ(a.size(), 6U);
  EXPECT_EQ(*a[0].get<std::int64_t>(), 1);
  EXPECT_EQ(*a[1].get<double>(), -25.0);
  EXPECT_EQ(*a[2].get<std::string>(), "x");
  EXPECT_NE(a[3].get<std::nullptr_t>(), nullptr);
  EXPECT_TRUE(*a[4].get<bool>());
  EXPECT_FALSE(*a[5].get<bool>());
  EXPECT_NE(json->find("b")->find("c"), nullptr);
  EXPECT_EQ(json->find("z"), nullptr);
  EXPECT_EQ(json->find("a")->find("z"), nullptr);
}

TEST(Json, TheLastOfSeveralMembersWithOneNameCounts) {
  EXPECT_EQ(*parse_json(R"({"a": 1, "a": 2})")->find("a")->get<std::int64_t>(), 2);
}

TEST(Json, ReadsEscapesAndSurrogatePairs) {
  EXPECT_EQ(read_string(R"("\"\\\/\b\f\n\r\t\u00e4\u20AC\ud83c\udf3e")"),
            "\"\\/\b\f\n\r\t\xc3\xa4\xe2\x82\xac\xf0\x9f\x8c\xbe");
  EXPECT_EQ(read_string(R"("\udc80\udcff")"), "\x80\xff");
  for (const char* bad : {R"("\ud800")",
                          R"("\ud800x")",
                          R"("\ud800\u0041")",
                          R"("\udc00")",
                          R"("\udc7f")",
                          R"("\udd00")"}) {
    EXPECT_EQ(read_string(bad).substr(0, 2), "! ") << bad;
  }
}

TEST(Json, RefusesWhatIsNoJsonAndSaysWhere) {
  EXPECT_EQ(why(""), "line 1, column 1: expected a value");
  EXPECT_EQ(why("{\n  \"a\" 1}"), "line 2, column 7: expected ':'");
  EXPECT_EQ(why("[1 2]"), "line 1, column 4: expected ',' or ']'");
  EXPECT_EQ(why("[1]x"), "line 1, column 4: something follows the value");
  for (const char* bad :
       {"{",           "[",        "[1,]",     "{\"a\":1,}", "{a:1}", "nul",     "tru",
        "01",          "-",        "1.",       ".5",         "+1",    "1e",      "1e+",
        "NaN",         "Infinity", "0x10",     "'a'",        "\"a",   "\"\\x\"", "\"\\u12\"",
        "\"\\u+123\"", "\"\\",     "\"a\nb\"", "\"\xff\"",   "1e999"}) {
    EXPECT_NE(why(bad), "accepted") << bad;
  }
}

TEST(Json, RefusesDeepNestingInsteadOfOverflowingTheStack) {
  EXPECT_EQ(why(std::string(64, '[') + "1" + std::string(64, ']')), "accepted");
  EXPECT_NE(why(std::string(65, '[') + "1" + std::string(65, ']')), "accepted");
  EXPECT_NE(why(std::string(1000000, '[')), "accepted");
}

TEST(Json, IntegersOver64BitsBecomeDoubles) {
  EXPECT_EQ(*parse_json("9223372036854775807")->get<std::int64_t>(), 9223372036854775807);
  EXPECT_EQ(*parse_json("9223372036854775808")->get<double>(), 9223372036854775808.0);
}

}  // namespace
}  // namespace windrow
