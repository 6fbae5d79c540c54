// SPDX-License-Identifier: Apache-2.0
#include "core/output/report_row.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include <fmt/format.h>

#include "base/append.h"
#include "base/counted.h"
#include "base/json.h"
#include "base/process_name.h"
#include "base/text.h"
#include "base/words.h"
#include "core/plan/stretch_name.h"

namespace windrow {
namespace {

constexpr std::string_view kLocalAddress = "127.0.0.1";

// A CSV field: quoted when it must be.
void append_field(std::string_view text, std::string& out) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    out.append(text);
    return;
  }
  out.push_back('"');
  for (const char c : text) {
    if (c == '"') out.push_back('"');
    out.push_back(c);
  }
  out.push_back('"');
}

// Whether the names stand for themselves in JSON: printable ASCII without quote and backslash, NUL
// between them. Eight bytes at a time, because every name of every mini-batch comes by here.
bool are_plain(std::string_view names) {
  const auto odd = [](std::uint64_t word) {
    constexpr std::uint64_t kHigh = kEachByte * 0x80;
    word |= zero_bytes(word) >> 2;                                    // a space instead
    const std::uint64_t control = (word - kEachByte * 0x20) & ~word;  // bytes below a space
    return ((word | control) & kHigh) | zero_bytes(word ^ (kEachByte * '"')) |
           zero_bytes(word ^ (kEachByte * '\\'));
  };
  if (names.size() < 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, names.data(), names.size());
    return odd(word) == 0;
  }
  std::uint64_t found = odd(load_word(names.data() + names.size() - 8));
  for (std::size_t at = 0; at + 8 <= names.size(); at += 8) {
    found |= odd(load_word(names.data() + at));
  }
  return found == 0;
}

// A name as JSON text, written into a quoted CSV field, where every quote stands twice; bytes that
// are not UTF-8 percent-encoded.
void append_quoted_name(std::string_view name, std::string& out) {
  std::string encoded;
  while (!name.empty()) {
    const std::size_t length = utf8_length(name);
    if (length == 0) {
      encoded.push_back('%');
      fmt::format_to(std::back_inserter(encoded), "{:02X}", static_cast<unsigned char>(name[0]));
    } else {
      encoded.append(name.substr(0, length));
    }
    name.remove_prefix(std::max<std::size_t>(length, 1));
  }
  std::string json;
  append_json_string(json, encoded);
  for (const char c : json) {
    if (c == '"') out.push_back('"');
    out.push_back(c);
  }
}

// All names of a mini-batch, with commas between them.
void append_quoted_names(const BatchNames& batch, std::string& out) {
  if (are_plain(batch.names)) {
    out.append("\"\"");
    append_separated(batch.names, R"("","")", out);
    out.append("\"\"");
    return;
  }
  bool first = true;
  for (const std::string& name : split_at_nul(batch.names)) {
    if (!first) out.push_back(',');
    first = false;
    append_quoted_name(name, out);
  }
}

// Names that begin with a slash stand for themselves.
std::string path_of(const BatchNames& batch, std::string_view name) {
  if (name.starts_with('/')) return std::string(name);
  return fmt::format("{}/{}", batch.root, name);
}

}  // namespace

std::string_view status_word(AttemptStatus status) {
  switch (status) {
    case AttemptStatus::kRunDone:
      return "RUN_DONE";
    case AttemptStatus::kRunException:
      return "RUN_EXCEPTION";
    case AttemptStatus::kRunTimeout:
      return "RUN_TIMEOUT";
    case AttemptStatus::kRunWrongType:
      return "RUN_WRONG_TYPE";
    case AttemptStatus::kDataException:
      return "DATA_EXCEPTION";
    case AttemptStatus::kOverheadTimeout:
      return "OVERHEAD_TIMEOUT";
    case AttemptStatus::kProcessDied:
      return "PROCESS_DIED";
    case AttemptStatus::kNodeLost:
      return "NODE_LOST";
    case AttemptStatus::kReturned:
      return "RETURNED";
  }
  return "";
}

std::string_view status_word(LoadStatus status) {
  switch (status) {
    case LoadStatus::kDone:
      return "LOAD_DONE";
    case LoadStatus::kException:
    case LoadStatus::kDied:
    case LoadStatus::kRefused:
      return "LOAD_EXCEPTION";
    case LoadStatus::kTimeout:
      return "LOAD_TIMEOUT";
  }
  return "";
}

std::string_view error_category(AttemptStatus status) {
  switch (status) {
    case AttemptStatus::kRunDone:
    case AttemptStatus::kReturned:
      return "";
    case AttemptStatus::kRunException:
    case AttemptStatus::kRunTimeout:
    case AttemptStatus::kRunWrongType:
    case AttemptStatus::kProcessDied:
      return "user";
    case AttemptStatus::kDataException:
    case AttemptStatus::kOverheadTimeout:
    case AttemptStatus::kNodeLost:
      return "system";
  }
  return "";
}

std::string_view ReportRows::header() {
  return "Mini-batch Id,Picked Count,Node Id,Ip Address,Process,Start Time,Total,Succeeded,Failed,"
         "Elapsed Seconds,Process Seconds,Run Method Seconds,Status,Error Category,Error Message,"
         "Mini-batch Detail\n";
}

void ReportRows::append(const fact::AttemptEnded& ended,
                        const BatchNames& batch,
                        std::string& out) {
  const AttemptRecord& record = ended.record;
  Line line;
  append_number(record.token.batch, line);
  line.push_back(',');
  append_number(record.token.picked, line);
  line.push_back(',');
  const bool done = ended.verdict == Verdict::kDone;
  const bool charged = ended.verdict == Verdict::kRetry || ended.verdict == Verdict::kFailed;
  const std::uint32_t failed = done ? batch.items - ended.succeeded : charged ? batch.items : 0;
  append_where(record.agent, record.process, record.start, line);
  for (const std::uint32_t count : {batch.items, ended.succeeded, failed}) {
    append_number(count, line);
    line.push_back(',');
  }
  for (const std::uint32_t us : {record.elapsed_us, record.cpu_us, record.run_us}) {
    append_seconds(us, line);
    line.push_back(',');
  }
  line.append(status_word(record.status)).push_back(',');
  line.append(error_category(record.status)).push_back(',');
  out.append(line.text());
  if (!record.error_type.empty())
    append_field(record.error_type + ": " + record.error_message, out);
  Line detail;
  detail.append(R"(,"{""id"":)");
  append_number(record.token.batch, detail);
  detail.append(R"(,""root"":)");
  out.append(detail.text());
  if (root_ != batch.root) {
    root_ = batch.root;
    quoted_root_.clear();
    append_quoted_names({1, {}, batch.root}, quoted_root_);
  }
  out.append(quoted_root_);
  out.append(R"(,""minibatch"":[)");
  append_quoted_names(batch, out);
  out.append("]}\"\n");
}

void ReportRows::append(const fact::LoadEnded& ended, std::string& out) {
  Line line;
  line.append(",,");
  append_where(ended.agent, ended.process, ended.start, line);
  line.append("0,0,0,");
  for (const std::uint32_t us : {ended.elapsed_us, ended.cpu_us, ended.elapsed_us}) {
    append_seconds(us, line);
    line.push_back(',');
  }
  line.append(status_word(ended.status));
  line.append(ended.status == LoadStatus::kDone ? ",," : ",user,");
  out.append(line.text());
  if (!ended.error_type.empty()) append_field(ended.error_type + ": " + ended.error_message, out);
  out.append(",\n");
}

// Node, address, process and start, each with its comma.
void ReportRows::append_where(AgentId agent, ProcessNumber process, WallTime start, Line& out) {
  append_number(agent, out);
  out.push_back(',');
  out.append(kLocalAddress).push_back(',');
  append_process_name(process, out);
  out.push_back(',');
  if (start.nanoseconds != 0) clock_.append_iso(start, out);  // else it was never begun
  out.push_back(',');
}

void ReportRows::append_failed_items(const fact::AttemptEnded& ended,
                                     const BatchNames& batch,
                                     std::uint32_t tries,
                                     std::string& out) {
  const AttemptRecord& record = ended.record;
  const auto missing =
      batch.items - ended.succeeded - static_cast<std::uint32_t>(record.reported.size());
  const auto line = [&](const std::string* item, std::string_view type, std::string_view message) {
    JsonWriter json;
    json.begin_object();
    json.field("mini_batch", record.token.batch);
    json.key("item");
    if (item == nullptr) {
      json.null().field("missing", missing);
    } else {
      json.value(*item);
      if (const std::string mark = mark_ ? mark_(*item) : ""; !mark.empty()) {
        json.field("custom_id", mark);
      }
      if (!row_places_.empty() && is_window(*item)) json.field("row_places", row_places_);
    }
    json.field("tries", tries);
    json.field("status", status_word(record.status));
    json.field("error_type", type).field("error_message", message);
    json.field("traceback", record.traceback);
    json.field("node", record.agent);
    json.field("process", process_name(record.process));
    json.field("seconds", static_cast<double>(record.elapsed_us) / 1e6);
    json.end_object();
    out.append(json.text()).push_back('\n');
  };
  if (ended.verdict == Verdict::kDone) {
    if (!record.reported.empty()) {
      std::vector<std::string> paths;
      for (const std::string& name : split_at_nul(batch.names)) {
        paths.push_back(path_of(batch, name));
      }
      const bool stretch = paths.size() == 1 && parse_stretch_name(paths.front());
      for (const ReportedItem& one : record.reported) {
        if (stretch) {
          const std::string row = window_name(paths.front(), {one.item, 1});
          line(&row, "Reported", one.reason);
        } else if (one.item < paths.size()) {
          line(&paths[one.item], "Reported", one.reason);
        }
      }
    }
    if (missing == 0) return;
    line(nullptr,
         "ShortReturn",
         fmt::format("run() returned {} for {}",
                     counted(record.returned, "result"),
                     counted(batch.items, "item")));
  } else if (ended.verdict == Verdict::kFailed) {
    for (const std::string& name : split_at_nul(batch.names)) {
      const std::string path = path_of(batch, name);
      line(&path, record.error_type, record.error_message);
    }
  }
}

}  // namespace windrow
