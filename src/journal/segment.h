// SPDX-License-Identifier: Apache-2.0
//
// Segments: where the rows of attempts are kept until they are merged (state/rows/*.seg).
//
// A segment belongs to one life of one agent, which appends a chunk for every attempt that returned
// rows. Only the journal says which chunks count. Layout: docs/formats/segment.md.
//
// Failure: reading refuses a chunk whose checksum or token is not what the journal says.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "journal/record.h"
#include "os/file_system.h"

namespace windrow {

enum class ChunkKind : std::uint8_t { kRows = 0, kHeader = 1 };

// What stands before the rows of a chunk.
struct Chunk {
  Token token;
  std::uint8_t output = 0;  // which named output; 0 is the first
  ChunkKind kind = ChunkKind::kRows;
  std::uint32_t items = 0;
  friend bool operator==(const Chunk&, const Chunk&) = default;
};

// The bytes a segment begins with.
std::string segment_head(AgentId agent, std::uint64_t incarnation);

// Appends a chunk to `out`; returns how many bytes it takes there.
std::uint32_t append_chunk(const Chunk& chunk, std::string_view rows, std::string& out);

struct ChunkView {
  Chunk chunk;
  std::string_view rows;   // valid until the next read
  std::uint64_t next = 0;  // where the next chunk begins
};

// Reads chunks at known places. Reads ahead: ranges in rising order cost one read for many.
class SegmentReader {
 public:
  static Result<SegmentReader> open(FileSystem& fs, const std::string& path);

  // The chunk at `offset`, of a range of chunks that ends at `end`.
  Result<ChunkView> read(std::uint64_t offset, std::uint64_t end);

 private:
  SegmentReader(std::unique_ptr<File> file, RecordReader reader, std::string path)
      : file_(std::move(file)), reader_(std::move(reader)), path_(std::move(path)) {}

  std::unique_ptr<File> file_;
  RecordReader reader_;
  std::string path_;
};

}  // namespace windrow
