// SPDX-License-Identifier: Apache-2.0
//
// The part of the Agent that takes answers apart: several outputs, headers, reported items.
#include <set>

#include "agent/agent.h"
#include "base/words.h"
#include "journal/segment.h"

namespace windrow {

bool Agent::take_parts(const Answer& answer,
                       std::uint32_t items,
                       std::string_view payload,
                       std::vector<Part>& parts) const {
  if ((answer.flags & kFlagParts) == 0) return true;
  std::optional<std::vector<Part>> decoded = decode_parts(payload);
  if (answer.kind != AnswerKind::kDone || !decoded) return false;
  parts = *std::move(decoded);
  std::set<std::uint32_t> reported;
  for (const Part& part : parts) {
    if (part.kind == PartKind::kReported) {
      if (part.item >= items || !reported.insert(part.item).second) return false;
    } else if (part.output >= settings_.row_outputs.size()) {
      return false;
    }
  }
  return true;
}

void Agent::keep_parts(const std::vector<Part>& parts, std::uint32_t items, AttemptRecord& record) {
  RowRange range{.offset = segment_->end()};
  for (const Part& part : parts) {
    if (part.kind == PartKind::kReported) {
      record.reported.push_back({part.item, std::string(part.body)});
    } else if (!part.body.empty()) {
      const Chunk chunk{
          .token = record.token,
          .output = part.output,
          .kind = part.kind == PartKind::kHeader ? ChunkKind::kHeader : ChunkKind::kRows,
          .items = items};
      record.line_break = record.line_break || (part.kind == PartKind::kRows &&
                                                count_byte(part.body, '\n') > record.returned);
      range.length += append_chunk(chunk, part.body, segment_->buffer());
    }
  }
  if (range.length == 0) return;  // as in keep_rows: nothing that needs a sync
  segment_->grown();
  record.rows = range;
}

}  // namespace windrow
