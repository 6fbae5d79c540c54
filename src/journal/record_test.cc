// SPDX-License-Identifier: Apache-2.0
#include "journal/record.h"

#include <vector>

#include <gtest/gtest.h>

#include "os/fake_file_system.h"

namespace windrow {
namespace {

std::string three_records() {
  std::string bytes = file_magic("TEST", 1);
  for (const char* payload : {"one", "", "three"}) append_record(payload, bytes);
  return bytes;
}

// All payloads of a file with these bytes; "!" and the error when it cannot be opened.
std::vector<std::string> read_all(const std::string& bytes, std::uint64_t limit = UINT64_MAX) {
  FakeFileSystem fs;
  fs.put("/file", bytes);
  const auto file = *fs.open("/file");
  Result<RecordReader> reader = RecordReader::open(*file, "TEST", 1);
  if (!reader) return {"!" + reader.error().message};
  std::vector<std::string> payloads;
  for (;;) {
    const auto payload = reader->next(limit);
    if (!payload || !*payload) return payloads;
    payloads.emplace_back(**payload);
  }
}

TEST(RecordReader, GivesWhatWasAppended) {
  EXPECT_EQ(read_all(three_records()), (std::vector<std::string>{"one", "", "three"}));
}

TEST(RecordReader, StopsAtARecordThatIsCutShort) {
  const std::string whole = three_records();
  for (std::size_t size = kFileMagicSize; size < whole.size(); ++size) {
    const std::size_t good = size < 19 ? 0 : size < 27 ? 1 : 2;
    EXPECT_EQ(read_all(whole.substr(0, size)).size(), good) << size;
  }
}

TEST(RecordReader, StopsAtARecordWithAnyFlippedBit) {
  const std::string whole = three_records();
  for (std::size_t bit = kFileMagicSize * 8; bit < whole.size() * 8; ++bit) {
    std::string bytes = whole;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1U << (bit % 8)));
    const std::size_t good = bit / 8 < 19 ? 0 : bit / 8 < 27 ? 1 : 2;
    EXPECT_EQ(read_all(bytes).size(), good) << bit;
  }
}

TEST(RecordReader, ReadsNothingBeyondTheLimit) {
  EXPECT_EQ(read_all(three_records(), 27).size(), 2U);
  EXPECT_EQ(read_all(three_records(), 26).size(), 1U);
}

TEST(RecordReader, RefusesAnotherKindOfFile) {
  EXPECT_EQ(read_all("ELSE").front(), "!it does not begin like a TEST file");
  EXPECT_EQ(read_all(file_magic("ELSE", 1)).front(), "!it does not begin like a TEST file");
}

TEST(RecordReader, RefusesAnUnknownVersionWithASentence) {
  EXPECT_EQ(read_all(file_magic("TEST", 2)).front(),
            "!its format is version 2, and this windrow reads version 1");
}

TEST(RecordReader, TakesAVersionOfZerosForABeginningThatWasNotWritten) {
  FakeFileSystem fs;
  fs.put("/file", file_magic("TEST", 0));
  const auto file = *fs.open("/file");
  EXPECT_EQ(RecordReader::open(*file, "TEST", 1).error().code, ErrorCode::kInternal);
}

TEST(RecordReader, ReadsRecordsLongerThanItsWindow) {
  std::string bytes = file_magic("TEST", 1);
  append_record(std::string(1'000'000, 'x'), bytes);
  append_record("after", bytes);
  const std::vector<std::string> payloads = read_all(bytes);
  ASSERT_EQ(payloads.size(), 2U);
  EXPECT_EQ(payloads[0].size(), 1'000'000U);
}

}  // namespace
}  // namespace windrow
