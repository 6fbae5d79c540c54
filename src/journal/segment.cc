// SPDX-License-Identifier: Apache-2.0
#include "journal/segment.h"

#include <utility>

#include "base/bytes.h"

namespace windrow {
namespace {

constexpr std::string_view kMagic = "WRS1";
constexpr std::uint32_t kVersion = 1;
// What version 1 has in these two fields of every chunk.
constexpr std::uint8_t kFormat = 0;
constexpr std::uint32_t kFirstItem = 0;

}  // namespace

std::string segment_head(AgentId agent, std::uint64_t incarnation) {
  std::string out = file_magic(kMagic, kVersion);
  append_record_with(out, [&](std::string& inner) {
    ByteWriter writer(inner);
    writer.varint(agent);
    writer.varint(incarnation);
  });
  return out;
}

std::uint32_t append_chunk(const Chunk& chunk, std::string_view rows, std::string& out) {
  const std::size_t before = out.size();
  append_record_with(out, [&](std::string& inner) {
    ByteWriter writer(inner);
    writer.varint(chunk.token.epoch);
    writer.varint(chunk.token.batch);
    writer.varint(chunk.token.picked);
    writer.fixed(chunk.output);
    writer.fixed(static_cast<std::uint8_t>(chunk.kind));
    writer.fixed(kFormat);
    writer.varint(kFirstItem);
    writer.varint(chunk.items);
    inner.append(rows);
  });
  return static_cast<std::uint32_t>(out.size() - before);
}

Result<SegmentReader> SegmentReader::open(FileSystem& fs, const std::string& path) {
  ASSIGN_OR_RETURN(std::unique_ptr<File> file, fs.open(path));
  Result<RecordReader> reader = RecordReader::open(*file, kMagic, kVersion);
  if (!reader) return fail(reader.error().code, "segment {}: {}", path, reader.error().message);
  return SegmentReader(std::move(file), *std::move(reader), path);
}

Result<ChunkView> SegmentReader::read(std::uint64_t offset, std::uint64_t end) {
  reader_.seek(offset);
  ASSIGN_OR_RETURN(const auto payload, reader_.next(end));
  if (!payload) {
    return fail(ErrorCode::kInternal, "segment {} is damaged at byte {}", path_, offset);
  }
  ByteReader bytes(*payload);
  ChunkView view;
  view.chunk.token.epoch = bytes.varint();
  view.chunk.token.batch = bytes.varint32();
  view.chunk.token.picked = bytes.varint32();
  view.chunk.output = bytes.fixed<std::uint8_t>();
  view.chunk.kind = static_cast<ChunkKind>(bytes.fixed<std::uint8_t>());
  bytes.fixed<std::uint8_t>();  // kFormat
  bytes.varint32();             // kFirstItem
  view.chunk.items = bytes.varint32();
  view.rows = bytes.rest();
  view.next = reader_.position();
  if (!bytes.ok())
    return fail(ErrorCode::kInternal, "segment {} has a bad chunk at byte {}", path_, offset);
  return view;
}

}  // namespace windrow
