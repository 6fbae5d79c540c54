// SPDX-License-Identifier: Apache-2.0
#include "journal/segment.h"

#include <gtest/gtest.h>

#include "os/fake_file_system.h"

namespace windrow {
namespace {

class SegmentTest : public testing::Test {
 protected:
  SegmentTest() : bytes_(segment_head(3, 7)) {
    first_ = bytes_.size();
    size_ = append_chunk({.token = {1, 5, 2}, .items = 4}, "rows of five\n", bytes_);
    append_chunk({.token = {1, 6, 1}}, "rows of six\n", bytes_);
  }

  Result<SegmentReader> open() {
    fs_.put("/s.seg", bytes_);
    return SegmentReader::open(fs_, "/s.seg");
  }

  FakeFileSystem fs_;
  std::string bytes_;
  std::uint64_t first_ = 0;
  std::uint32_t size_ = 0;
};

TEST_F(SegmentTest, ReadsAChunkAtItsPlace) {
  SegmentReader reader = *open();
  const ChunkView view = *reader.read(first_, first_ + size_);
  EXPECT_EQ(view.rows, "rows of five\n");
  EXPECT_EQ(view.next, first_ + size_);
  EXPECT_EQ(view.chunk, (Chunk{.token = {1, 5, 2}, .items = 4}));
  const auto second = reader.read(first_ + size_, bytes_.size());
  EXPECT_EQ(second->rows, "rows of six\n");
}

TEST_F(SegmentTest, RefusesARangeThatIsNotWholeChunks) {
  SegmentReader reader = *open();
  EXPECT_FALSE(reader.read(first_, first_ + size_ - 1));
  EXPECT_FALSE(reader.read(first_ + 1, first_ + size_ + 1));
  EXPECT_FALSE(reader.read(first_ + size_, first_ + size_ + 1));
}

TEST_F(SegmentTest, RefusesAChunkWithAFlippedBit) {
  bytes_[first_ + 15] = static_cast<char>(bytes_[first_ + 15] ^ 4);
  SegmentReader reader = *open();
  EXPECT_EQ(reader.read(first_, first_ + size_).error().message,
            fmt::format("segment /s.seg is damaged at byte {}", first_));
}

TEST_F(SegmentTest, RefusesAnotherKindOfFile) {
  bytes_ = "something else";
  EXPECT_EQ(open().error().message, "segment /s.seg: it does not begin like a WRS1 file");
}

}  // namespace
}  // namespace windrow
