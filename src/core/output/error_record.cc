// SPDX-License-Identifier: Apache-2.0
#include "core/output/error_record.h"

#include <string_view>

#include "base/clock_text.h"
#include "base/json.h"
#include "base/process_name.h"
#include "core/output/report_row.h"

namespace windrow {
namespace {

std::string_view method(AttemptStatus status) {
  const bool load =
      status == AttemptStatus::kDataException || status == AttemptStatus::kOverheadTimeout;
  return load ? "load" : "run";
}

void put_who(JsonWriter& json, WallTime start, AgentId node, ProcessNumber process) {
  std::string text;
  ClockText().append_iso(start, text);
  json.field("start", text).field("node", node);
  text.clear();
  append_process_name(process, text);
  json.field("agent", text);
}

}  // namespace

void append_error_record(const fact::AttemptEnded& ended, std::uint32_t items, std::string& out) {
  const AttemptRecord& record = ended.record;
  JsonWriter json;
  json.begin_object();
  put_who(json, record.start, record.agent, record.process);
  json.field("task_id", record.token.batch).field("dequeue_count", record.token.picked);
  json.field("total", items).field("succeeded", ended.succeeded);
  json.field("method", method(record.status)).field("status", status_word(record.status));
  json.field("exception", record.error_type).field("message", record.error_message);
  json.key("peak_memory");
  if (record.memory_peak == 0) {
    json.null();
  } else {
    json.value(record.memory_peak);
  }
  json.end_object();
  out.append(json.text()).push_back('\n');
}

void append_error_record(const fact::LoadEnded& ended, std::string& out) {
  JsonWriter json;
  json.begin_object();
  put_who(json, ended.start, ended.agent, ended.process);
  json.field("method", "init").field("status", status_word(ended.status));
  json.field("exception", ended.error_type).field("message", ended.error_message);
  json.end_object();
  out.append(json.text()).push_back('\n');
}

}  // namespace windrow
