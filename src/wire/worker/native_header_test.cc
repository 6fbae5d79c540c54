// SPDX-License-Identifier: Apache-2.0
//
// include/windrow/worker.h against the engine's own half of the protocol.
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <windrow/worker.h>

#include "base/json.h"
#include "wire/worker/packets.h"

namespace windrow {
namespace {

namespace native = worker::detail;

TEST(NativeHeader, ReadsTheStartObject) {  // C651
  WorkerStart start;
  start.script = "/jobs/scor\u00e9r";
  start.argv = {
      "/jobs/scorer", "", "two words", "\"quoted\" \\ \t\n", "bytes \xff\x80", "\U0001F33E"};
  start.process = "process007";
  start.output_folder = "/out";
  start.append_row = false;
  start.staging = "/staging";
  start.staging_outputs = {"a", "b"};
  const native::StartObject told(encode_worker_start(start));
  EXPECT_EQ(told.list("argv"), start.argv);
  EXPECT_EQ(told.text("script"), start.script);
  EXPECT_EQ(told.text("process"), "process007");
  EXPECT_EQ(told.text("append_row"), "false");
  EXPECT_EQ(told.list("staging_outputs"), start.staging_outputs);
  EXPECT_EQ(told.text("nothing"), "");
}

TEST(NativeHeader, StepsOverWhatItDoesNotKnow) {
  const native::StartObject told(
      R"( {"new": {"a": [1, {"process": "x"}, null], "b": -1.5e3}, "process" : "p", "n": [] } )");
  EXPECT_EQ(told.text("process"), "p");
  EXPECT_EQ(told.list("n"), std::vector<std::string>());
}

TEST(NativeHeader, RefusesWhatIsNoObject) {
  for (const char* text : {"",
                           "[]",
                           "{",
                           "{\"a\"}",
                           "{\"a\": }",
                           "{\"a\": \"x",
                           "{\"a\": \"\\q\"}",
                           "{\"a\": \"\\u12\"}",
                           "{\"a\": \"\\ud800x\"}",
                           "{\"a\": 1"}) {
    EXPECT_THROW(native::StartObject{text}, native::Broken) << text;
  }
}

TEST(NativeHeader, WritesErrorsThatTheEngineReads) {  // C652
  const worker::Failure failure("ns::Bad", "said \"no\"\n\\ \u00e4 \U0001F33E \x01");
  const ScriptError error = parse_script_error(native::error_object(failure, "run"));
  EXPECT_EQ(error.type, "ns::Bad");
  EXPECT_EQ(error.message, failure.what());
  EXPECT_EQ(error.method, "run");
  EXPECT_EQ(error.bases, std::vector<std::string>{"ns.Bad"});
}

TEST(NativeHeader, SpellsOutBytesThatAreNoText) {
  for (const auto& [bytes, shown] : {std::pair("\xff", "\\xff"),
                                     std::pair("\xc3", "\\xc3"),
                                     std::pair("\xed\xa0\x80", "\\xed\\xa0\\x80"),
                                     std::pair("a\x80z", "a\\x80z")}) {
    const Result<Json> json = parse_json(native::json_string(bytes));
    ASSERT_TRUE(json) << native::json_string(bytes);
    EXPECT_EQ(*json->get<std::string>(), shown);
  }
}

TEST(NativeHeader, CutsItemsAsTheyWereJoined) {
  using namespace std::string_view_literals;
  EXPECT_EQ(native::split_items("a\0b c\0d"sv, 3),
            (std::vector<std::string_view>{"a", "b c", "d"}));
  EXPECT_EQ(native::split_items("", 0).size(), 0U);
}

TEST(NativeHeader, AnswersWithPartsOnlyWhenItemsWereReported) {  // C651
  worker::MiniBatch batch(4, 0, {"a", "b", "c"});
  EXPECT_EQ(native::answer_payload({"x", "y"}, batch, true), "x\ny\n");
  EXPECT_EQ(native::answer_payload({"x", "y"}, batch, false), "");
  batch.report_failed(2, std::string(5000, 'z'));
  batch.report_failed(0, "torn");
  batch.report_failed(0, "again");
  EXPECT_THROW(batch.report_failed(3, "beyond"), std::out_of_range);
  const std::string payload = native::answer_payload({"x"}, batch, true);
  const auto parts = decode_parts(payload);
  ASSERT_TRUE(parts);
  ASSERT_EQ(parts->size(), 3U);
  EXPECT_EQ((*parts)[0].body, "x\n");
  EXPECT_EQ((*parts)[1].kind, PartKind::kReported);
  EXPECT_EQ((*parts)[1].item, 0U);
  EXPECT_EQ((*parts)[1].body, "torn");
  EXPECT_EQ((*parts)[2].item, 2U);
  EXPECT_EQ((*parts)[2].body.size(), 1000U);
}

TEST(NativeHeader, NamesTheClassOfWhatWasThrown) {  // C652
  const auto type_of = [](auto&& thrown) {
    try {
      throw std::forward<decltype(thrown)>(thrown);
    } catch (...) {
      return native::failure_now().type();
    }
  };
  EXPECT_EQ(type_of(std::runtime_error("x")), "std::runtime_error");
  EXPECT_EQ(type_of(worker::Failure("Own", "x")), "Own");
  EXPECT_EQ(type_of(42), "exception");
}

}  // namespace
}  // namespace windrow
