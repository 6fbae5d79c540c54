// SPDX-License-Identifier: Apache-2.0
//
// The part of the Agent that takes answers apart: what they tell of an attempt, rows, several
// outputs, headers, reported items.
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

AttemptRecord Agent::make_record(ProcessNumber process,
                                 const Answer& answer,
                                 std::uint32_t items,
                                 std::string_view payload) {
  AttemptRecord record;
  record.token = answer.token;
  record.agent = config_.id;
  record.process = process;
  record.returned = answer.returned;
  record.start = loop_.wall_at(TimePoint(Duration(static_cast<std::int64_t>(answer.start_ns))));
  record.elapsed_us = answer.elapsed_us;
  record.run_us = answer.run_us;
  record.cpu_us = answer.cpu_us;
  weigh(answer, record);
  if (answer.kind == AnswerKind::kDone) {
    if ((answer.flags & kFlagParts) != 0) return record;
    record.line_break = count_byte(payload, '\n') > answer.returned;
    record.rows =
        keep_rows(answer.token, items, settings_.append_row ? payload : std::string_view());
    return record;
  }
  ScriptError error = parse_script_error(payload);
  record.status = (answer.flags & kFlagWrongType) != 0 ? AttemptStatus::kRunWrongType
                  : (answer.flags & kFlagLoad) != 0    ? AttemptStatus::kDataException
                                                       : AttemptStatus::kRunException;
  record.returned = 0;
  record.error_type = std::move(error.type);
  record.error_message = std::move(error.message);
  record.traceback = std::move(error.traceback);
  record.error_bases = std::move(error.bases);
  return record;
}

RowRange Agent::keep_rows(const Token& token, std::uint32_t items, std::string_view rows) {
  // Nothing is written, so nothing needs a sync: the empty range lies where everything is synced.
  if (rows.empty()) return RowRange{};
  RowRange range{.offset = segment_->end()};
  const Chunk chunk{.token = token, .items = items};
  range.length = append_chunk(chunk, rows, segment_->buffer());
  segment_->grown();
  return range;
}

void Agent::keep_parts(const std::vector<Part>& parts, std::uint32_t items, AttemptRecord& record) {
  const RowFormat format = settings_.rows.format;
  const bool text = format != RowFormat::kParquet && format != RowFormat::kArrow;
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
      record.line_break = record.line_break || (text && part.kind == PartKind::kRows &&
                                                count_byte(part.body, '\n') > record.returned);
      range.length += append_chunk(chunk, part.body, segment_->buffer());
    }
  }
  if (range.length == 0) return;  // as in keep_rows: nothing that needs a sync
  segment_->grown();
  record.rows = range;
}

}  // namespace windrow
