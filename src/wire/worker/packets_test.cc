// SPDX-License-Identifier: Apache-2.0
#include "wire/worker/packets.h"

#include <gtest/gtest.h>

#include "base/bytes.h"

namespace windrow {
namespace {

std::string part(std::uint8_t kind,
                 std::uint8_t output,
                 std::uint32_t item,
                 const std::string& body) {
  std::string out;
  ByteWriter writer(out);
  writer.fixed(kind);
  writer.fixed(output);
  writer.fixed(std::uint16_t{0});
  writer.fixed(item);
  writer.fixed(std::uint64_t{body.size()});
  return out + body;
}

TEST(Parts, AreReadOneAfterAnother) {
  const std::string payload = part(1, 2, 0, "a b\n") + part(0, 2, 0, "1 2\n") + part(2, 0, 7, "");
  const auto parts = decode_parts(payload);
  ASSERT_TRUE(parts);
  ASSERT_EQ(parts->size(), 3U);
  EXPECT_EQ((*parts)[0].kind, PartKind::kHeader);
  EXPECT_EQ((*parts)[0].body, "a b\n");
  EXPECT_EQ((*parts)[1].output, 2);
  EXPECT_EQ((*parts)[1].body, "1 2\n");
  EXPECT_EQ((*parts)[2].kind, PartKind::kReported);
  EXPECT_EQ((*parts)[2].item, 7U);
  EXPECT_EQ(decode_parts("")->size(), 0U);
}

TEST(Parts, ThatAreCutShortOrUnknownAreRefused) {
  const std::string payload = part(0, 0, 0, "rows\n") + part(2, 0, 1, "why");
  const std::size_t first = part(0, 0, 0, "rows\n").size();
  for (std::size_t size = 1; size < payload.size(); ++size) {
    EXPECT_EQ(decode_parts(payload.substr(0, size)).has_value(), size == first) << size;
  }
  EXPECT_FALSE(decode_parts(part(3, 0, 0, "")));
  std::string not_zero = part(0, 0, 0, "");
  not_zero[2] = 1;
  EXPECT_FALSE(decode_parts(not_zero));
}

TEST(Bundle, IsReadAsItWasMade) {
  std::string bundle;
  for (const char* const paths : {"/a", "", "/b"}) {
    Command command{.items = 1};
    command.payload_size = std::string_view(paths).size();
    append_to_bundle(encode_command(command), paths, bundle);
  }
  const auto packets = split_bundle(bundle);
  ASSERT_TRUE(packets);
  ASSERT_EQ(packets->size(), 3U);
  EXPECT_EQ((*packets)[0].payload, "/a");
  EXPECT_EQ((*packets)[2].payload, "/b");
  for (const Packet& packet : *packets) EXPECT_EQ(decode_command(packet)->items, 1U);
}

TEST(Bundle, ThatIsCutShortIsRefused) {
  std::string bundle;
  Command command;
  command.payload_size = 2;
  append_to_bundle(encode_command(command), "/a", bundle);
  append_to_bundle(encode_command(command), "/b", bundle);
  for (std::size_t size = 1; size < bundle.size(); ++size) {
    EXPECT_EQ(split_bundle(std::string_view(bundle).substr(0, size)).has_value(),
              size == bundle.size() / 2)
        << size;
  }
}

TEST(WorkerStart, SaysOnlyWhatDiffersFromThePlainForm) {
  WorkerStart start{.script = "/code/score.py", .code_root = "/code", .row_outputs = {"rows"}};
  const std::string plain = encode_worker_start(start);
  for (const char* member : {"module", "row_outputs", "format", "separator", "header", "profile"}) {
    EXPECT_EQ(plain.find("\"" + std::string(member) + "\""), std::string::npos) << member;
  }
  start.module = "pkg.score";
  start.row_outputs = {"a", "b"};
  start.rows = {.format = RowFormat::kJsonLines, .separator = ";", .header = true};
  start.profiler = Profiler::kCProfile;
  start.profile = "/logs/p.profile";
  const std::string full = encode_worker_start(start);
  for (const char* member : {R"("module": "pkg.score")",
                             R"("row_outputs": ["a", "b"])",
                             R"("format": "jsonl")",
                             R"("separator": ";")",
                             R"("header": true)",
                             R"("profiler": "cProfile", "profile": "/logs/p.profile")"}) {
    EXPECT_NE(full.find(member), std::string::npos) << member << " in " << full;
  }
}

}  // namespace
}  // namespace windrow
