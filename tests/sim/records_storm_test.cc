// SPDX-License-Identifier: Apache-2.0
//
// What is written about a job (report, summaries, failed items, error records) in a storm of facts:
// read back by a reader of its own and compared with the facts.
#include <array>
#include <chrono>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "core/output/error_record.h"
#include "core/output/report_row.h"
#include "core/output/report_summary.h"
#include "core/schedule/error_line.h"
#include "drawn_value.h"
#include "random.h"
#include "storm.h"

namespace windrow::sim {
namespace {

constexpr std::array kStatusWords = {"RUN_DONE",
                                     "RUN_EXCEPTION",
                                     "RUN_TIMEOUT",
                                     "RUN_WRONG_TYPE",
                                     "DATA_EXCEPTION",
                                     "OVERHEAD_TIMEOUT",
                                     "PROCESS_DIED",
                                     "NODE_LOST",
                                     "RETURNED"};
constexpr std::array kCategories = {
    "", "user", "user", "user", "system", "system", "user", "system", ""};
constexpr std::array kLoadWords = {
    "LOAD_DONE", "LOAD_EXCEPTION", "LOAD_TIMEOUT", "LOAD_EXCEPTION", "LOAD_EXCEPTION"};

// RFC 4180: fields by commas, lines by line feeds, quotes doubled in quotes.
std::vector<std::vector<std::string>> read_csv(const std::string& text) {
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted && c == '"' && text.substr(at, 2) == "\"\"") {
      fields.back() += '"';
      ++at;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      fields.emplace_back();
    } else if (!quoted && c == '\n') {
      lines.push_back(std::move(fields));
      fields.assign(1, "");
    } else {
      fields.back() += c;
    }
  }
  return lines;
}

std::vector<Json> read_lines(const std::string& text) {
  std::vector<Json> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const Result<Json> json = parse_json(text.substr(at, end - at));
    EXPECT_TRUE(json) << text;
    out.push_back(json ? *json : Json());
    at = end + 1;
  }
  return out;
}

std::string text_of(const Json& json, std::string_view key) {
  const Json* found = json.find(key);
  const std::string* text = found == nullptr ? nullptr : found->get<std::string>();
  return text == nullptr ? "(none)" : *text;
}

std::int64_t number_of(const Json& json, std::string_view key) {
  const Json* found = json.find(key);
  const std::int64_t* number = found == nullptr ? nullptr : found->get<std::int64_t>();
  return number == nullptr ? -1 : *number;
}

std::string seconds_of(std::uint64_t us) {
  return fmt::format("{}.{:06}", us / 1'000'000, us % 1'000'000);
}

std::string iso_of(WallTime time) {
  using namespace std::chrono;
  const sys_time<nanoseconds> point{nanoseconds(time.nanoseconds)};
  const auto day = floor<days>(point);
  const year_month_day date(day);
  const hh_mm_ss clock(floor<microseconds>(point - day));
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z",
                     static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()),
                     clock.hours().count(),
                     clock.minutes().count(),
                     clock.seconds().count(),
                     clock.subseconds().count());
}

std::string process_of(ProcessNumber process) { return fmt::format("process{:03}", process); }

// A file name, and how the report writes it.
struct Name {
  std::string raw;
  std::string shown;
};

class Storm {
 public:
  explicit Storm(std::uint64_t seed) : random_(seed) {}

  void run() {
    for (int i = 0; i < 30; ++i) {
      if (random_.per_mille(250)) {
        judge_load(draw_load());
      } else {
        judge_attempt(draw_attempt());
      }
    }
    judge_summary();
  }

 private:
  WallTime draw_time() {
    time_ +=
        static_cast<std::int64_t>(random_.below(random_.per_mille(100) ? 1ULL << 50U : 1U << 20U));
    return {time_};
  }

  std::string draw_text() {
    return draw_from(random_, {"no", "a, b", "say \"x\"", "two\nlines", "cr\r", "\xff\xfe", "{}"});
  }

  fact::LoadEnded draw_load() {
    fact::LoadEnded out;
    out.agent = random_.between(0, 2);
    out.process = random_.per_mille(100) ? random_.between(999, 1001) : random_.between(0, 3);
    out.status = static_cast<LoadStatus>(random_.below(kLoadStatusMax + 1));
    out.start = draw_time();
    out.elapsed_us = random_.between(0, 3'000'000);
    out.cpu_us = random_.between(0, 3'000'000);
    if (out.status != LoadStatus::kDone) out.error_type = "ValueError";
    out.error_message = draw_text();
    return out;
  }

  fact::AttemptEnded draw_attempt() {
    static const std::vector<Name> kNames = {
        {"a.txt", "a.txt"},
        {"folder/a longer name.jpg", "folder/a longer name.jpg"},
        {"/abs/b", "/abs/b"},
        {"q\"x", "q\"x"},
        {"back\\slash", "back\\slash"},
        {"two\nlines", "two\nlines"},
        {"\xc3\xa9t\xc3\xa9", "\xc3\xa9t\xc3\xa9"},
        {"bad\xff", "bad%FF"},
        {"\xc3", "%C3"}};
    const bool plain = random_.per_mille(300);
    names_.clear();
    const std::uint32_t count = random_.between(1, 5);
    for (std::uint32_t i = 0; i < count; ++i) {
      names_.push_back(kNames[random_.below(plain ? 3 : kNames.size())]);
    }
    items_ = count;
    stretch_ = random_.per_mille(200);
    if (stretch_) {  // rows of a table, which have one name together
      const std::string name = fmt::format("t.csv@10+99#7*{}", count);
      names_ = {{name, name}};
    }
    root_ = draw_from(random_, {"/in", "/in", "/with \"quote\""});
    fact::AttemptEnded out;
    AttemptRecord& record = out.record;
    record.token = {1, random_.between(0, 3000), random_.between(1, 3)};
    record.agent = random_.between(0, 2);
    record.process = random_.between(0, 3);
    record.status = static_cast<AttemptStatus>(random_.below(kAttemptStatusMax + 1));
    record.start = draw_time();
    record.elapsed_us = random_.between(0, 3'000'000);
    record.run_us = random_.between(0, 3'000'000);
    record.cpu_us = random_.between(0, 3'000'000);
    if (random_.per_mille(500)) record.memory_peak = random_.between(1, 1000);
    if (record.status == AttemptStatus::kRunDone) {
      out.verdict = Verdict::kDone;
      record.returned = random_.between(0, count);
      const std::uint32_t item = random_.between(0, stretch_ ? count - 1 : count);
      if (random_.per_mille(400)) record.reported.push_back({item, "bad"});
      out.succeeded = succeeded_items(record, count);
    } else {
      out.verdict = record.status == AttemptStatus::kReturned
                        ? Verdict::kReturned
                        : static_cast<Verdict>(1 + random_.below(2));
      if (random_.per_mille(800)) record.error_type = "KeyError";
      record.error_message = draw_text();
      record.traceback = draw_text();
    }
    return out;
  }

  void judge_load(const fact::LoadEnded& load) {
    summed(load.agent, load.process).init += load.elapsed_us;
    lived(load.agent, load.process, load.start, load.elapsed_us);
    halves_[random_.below(2)].add(load);
    whole_.add(load);
    std::string row;
    report_.append(load, row);
    const auto lines = read_csv(row);
    ASSERT_EQ(lines.size(), 1U) << row;
    const bool right = load.status == LoadStatus::kDone;
    const std::string error = right ? "" : load.error_type + ": " + load.error_message;
    const auto word = kLoadWords[static_cast<std::size_t>(load.status)];
    const std::vector<std::string> expected = {"",
                                               "",
                                               std::to_string(load.agent),
                                               "127.0.0.1",
                                               process_of(load.process),
                                               iso_of(load.start),
                                               "0",
                                               "0",
                                               "0",
                                               seconds_of(load.elapsed_us),
                                               seconds_of(load.cpu_us),
                                               seconds_of(load.elapsed_us),
                                               word,
                                               right ? "" : "user",
                                               error,
                                               ""};
    EXPECT_EQ(lines[0], expected);
    std::string record;
    append_error_record(load, record);
    const Json json = read_lines(record).at(0);
    EXPECT_EQ(text_of(json, "method"), "init");
    EXPECT_EQ(text_of(json, "status"), word);
    EXPECT_EQ(text_of(json, "message"), load.error_message);
    EXPECT_EQ(text_of(json, "start"), iso_of(load.start));
  }

  void judge_attempt(const fact::AttemptEnded& ended) {
    std::string joined;
    for (const Name& name : names_)
      joined += (joined.empty() ? "" : std::string(1, '\0')) + name.raw;
    const BatchNames batch{items_, root_, joined};
    add_up(ended, items_);
    std::string row;
    report_.append(ended, batch, row);
    judge_row(ended, read_csv(row));
    std::string failed;
    report_.append_failed_items(ended, batch, 3, failed);
    judge_failed(ended, read_lines(failed));
    std::string record;
    append_error_record(ended, items_, record);
    judge_error(ended, read_lines(record).at(0));
  }

  void judge_row(const fact::AttemptEnded& ended,
                 const std::vector<std::vector<std::string>>& rows) {
    const AttemptRecord& record = ended.record;
    const std::size_t items = items_;
    std::size_t failed = ended.verdict == Verdict::kReturned ? 0 : items;
    if (ended.verdict == Verdict::kDone) failed = items - ended.succeeded;
    const auto status = static_cast<std::size_t>(record.status);
    const bool error = !record.error_type.empty();
    ASSERT_EQ(rows.size(), 1U);
    ASSERT_EQ(rows[0].size(), read_csv(std::string(ReportRows::header()))[0].size());
    const std::vector<std::string> expected = {std::to_string(record.token.batch),
                                               std::to_string(record.token.picked),
                                               std::to_string(record.agent),
                                               "127.0.0.1",
                                               process_of(record.process),
                                               iso_of(record.start),
                                               std::to_string(items),
                                               std::to_string(ended.succeeded),
                                               std::to_string(failed),
                                               seconds_of(record.elapsed_us),
                                               seconds_of(record.cpu_us),
                                               seconds_of(record.run_us),
                                               kStatusWords[status],
                                               kCategories[status],
                                               error ? "KeyError: " + record.error_message : ""};
    EXPECT_EQ(std::vector(rows[0].begin(), rows[0].end() - 1), expected);
    const Result<Json> detail = parse_json(rows[0].back());
    ASSERT_TRUE(detail) << rows[0].back();
    EXPECT_EQ(number_of(*detail, "id"), record.token.batch);
    EXPECT_EQ(text_of(*detail, "root"), root_);
    const auto* names = detail->find("minibatch")->get<Json::Array>();
    ASSERT_EQ(names->size(), names_.size());
    for (std::size_t i = 0; i < names_.size(); ++i) {
      EXPECT_EQ(*(*names)[i].get<std::string>(), names_[i].shown);
    }
  }

  // Reported items, then those that are missing; all of them when no try is left.
  void judge_failed(const fact::AttemptEnded& ended, const std::vector<Json>& lines) {
    const AttemptRecord& record = ended.record;
    std::vector<std::string> expected;
    const auto path_of = [this](const Name& name) {
      return name.raw[0] == '/' ? name.raw : root_ + "/" + name.raw;
    };
    if (ended.verdict == Verdict::kDone) {
      for (const ReportedItem& one : record.reported) {
        if (stretch_) {
          expected.push_back(fmt::format("{}/{}+1", path_of(names_[0]), one.item));
        } else if (one.item < names_.size()) {
          expected.push_back(path_of(names_[one.item]));
        }
      }
      if (items_ != ended.succeeded + record.reported.size()) expected.emplace_back("(none)");
    } else if (ended.verdict == Verdict::kFailed) {
      for (const Name& name : names_) expected.push_back(path_of(name));
    }
    ASSERT_EQ(lines.size(), expected.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      EXPECT_EQ(text_of(lines[i], "item"), expected[i]);
      EXPECT_EQ(text_of(lines[i], "custom_id"),
                expected[i].ends_with("b") ? "mark of " + expected[i] : "(none)");
      EXPECT_EQ(number_of(lines[i], "mini_batch"), record.token.batch);
      EXPECT_EQ(number_of(lines[i], "tries"), 3);
      EXPECT_EQ(text_of(lines[i], "status"), kStatusWords[static_cast<std::size_t>(record.status)]);
      EXPECT_EQ(text_of(lines[i], "traceback"), record.traceback);
      if (expected[i] == "(none)") {
        EXPECT_EQ(text_of(lines[i], "error_type"), "ShortReturn");
      }
    }
  }

  void judge_error(const fact::AttemptEnded& ended, const Json& json) {
    judge_error_line(ended.record.error_type, ended.record.error_message);
    judge_error_line("ProcessDied", ended.record.error_message);
    judge_error_line("ProcessDied", " \n");
    judge_error_line("", "no");
    const AttemptRecord& record = ended.record;
    const bool loading = record.status == AttemptStatus::kDataException ||
                         record.status == AttemptStatus::kOverheadTimeout;
    EXPECT_EQ(text_of(json, "method"), loading ? "load" : "run");
    EXPECT_EQ(number_of(json, "task_id"), record.token.batch);
    EXPECT_EQ(number_of(json, "dequeue_count"), record.token.picked);
    EXPECT_EQ(number_of(json, "total"), items_);
    EXPECT_EQ(number_of(json, "succeeded"), ended.succeeded);
    EXPECT_EQ(text_of(json, "message"), record.error_message);
    const bool known = record.memory_peak != 0;
    EXPECT_EQ(number_of(json, "peak_memory"),
              known ? static_cast<std::int64_t>(record.memory_peak) : -1);
  }

  // The type, a colon and the first line; of a process that died the line alone.
  static void judge_error_line(const std::string& type, const std::string& message) {
    const std::string line = error_line(type, message);
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    const std::string first = message == " \n" ? "" : message.substr(0, message.find('\n'));
    const std::string said = first == "cr\r" ? "cr" : first;
    const bool alone = type.empty() || said.empty() || type == "ProcessDied";
    EXPECT_EQ(line, !alone ? type + ": " + said : said.empty() ? type : said);
  }

  struct Sum {
    std::uint64_t attempts = 0;
    std::uint64_t done = 0;
    std::uint64_t failed = 0;
    std::uint64_t items = 0;
    std::uint64_t elapsed = 0;
    std::uint64_t cpu = 0;
    std::uint64_t run = 0;
    std::uint64_t useful = 0;
    std::uint64_t init = 0;
    std::int64_t first = INT64_MAX;
    std::int64_t last = INT64_MIN;

    [[nodiscard]] std::uint64_t idle() const {
      const std::int64_t idle = (last - first) / 1000 - static_cast<std::int64_t>(elapsed + init);
      return idle > 0 ? static_cast<std::uint64_t>(idle) : 0;
    }
    [[nodiscard]] std::vector<std::string> fields(std::uint64_t idle_us) const {
      return {std::to_string(attempts),
              std::to_string(done),
              std::to_string(failed),
              std::to_string(items),
              seconds_of(elapsed),
              seconds_of(cpu),
              seconds_of(run),
              seconds_of(useful),
              seconds_of(elapsed - useful),
              seconds_of(init),
              seconds_of(idle_us)};
    }
  };

  Sum& summed(AgentId agent, ProcessNumber process) { return sums_[{agent, process}]; }

  void lived(AgentId agent, ProcessNumber process, WallTime start, std::uint64_t us) {
    Sum& sum = summed(agent, process);
    sum.first = std::min(sum.first, start.nanoseconds);
    sum.last = std::max(sum.last, start.nanoseconds + static_cast<std::int64_t>(us) * 1000);
  }

  void add_up(const fact::AttemptEnded& ended, std::uint32_t items) {
    halves_[random_.below(2)].add(ended, items);
    whole_.add(ended, items);
    const AttemptRecord& record = ended.record;
    const bool began = record.status != AttemptStatus::kReturned || record.elapsed_us > 0;
    if (!began || record.status == AttemptStatus::kNodeLost) return;
    Sum& sum = summed(record.agent, record.process);
    const bool done = ended.verdict == Verdict::kDone;
    sum.attempts += 1;
    sum.done += done ? 1 : 0;
    const bool charged = ended.verdict == Verdict::kRetry || ended.verdict == Verdict::kFailed;
    sum.failed += charged ? 1 : 0;
    sum.items += done ? items : 0;
    sum.elapsed += record.elapsed_us;
    sum.useful += done ? record.elapsed_us : 0;
    sum.cpu += record.cpu_us;
    sum.run += record.run_us;
    lived(record.agent, record.process, record.start, record.elapsed_us);
  }

  void judge_summary() {
    std::vector<std::vector<std::string>> processes;
    std::map<AgentId, std::pair<Sum, std::uint64_t>> nodes;
    for (const auto& [who, sum] : sums_) {
      processes.push_back({std::to_string(who.first), process_of(who.second)});
      for (const std::string& field : sum.fields(sum.idle())) processes.back().push_back(field);
      auto& [node, idle] = nodes[who.first];
      node.attempts += sum.attempts;
      node.done += sum.done;
      node.failed += sum.failed;
      node.items += sum.items;
      node.elapsed += sum.elapsed;
      node.cpu += sum.cpu;
      node.run += sum.run;
      node.useful += sum.useful;
      node.init += sum.init;
      idle += sum.idle();
    }
    auto lines = read_csv(whole_.process_csv());
    lines.erase(lines.begin());
    EXPECT_EQ(lines, processes);
    lines = read_csv(whole_.node_csv());
    ASSERT_EQ(lines.size(), nodes.size() + 1);
    std::size_t at = 1;
    for (const auto& [agent, node] : nodes) {
      std::vector<std::string> expected = node.first.fields(node.second);
      expected.insert(expected.begin(), std::to_string(agent));
      EXPECT_EQ(lines[at++], expected);
    }
    ReportSummary both;
    both.add(halves_[0]);
    both.add(halves_[1]);
    EXPECT_EQ(both.process_csv(), whole_.process_csv());
  }

  Random random_;
  std::int64_t time_ = 1'700'000'000'000'000'000;
  std::vector<Name> names_;
  std::uint32_t items_ = 0;
  bool stretch_ = false;
  std::string root_;
  ReportRows report_{
      [](const std::string& path) { return path.ends_with("b") ? "mark of " + path : ""; }};
  std::map<std::pair<AgentId, ProcessNumber>, Sum> sums_;
  std::array<ReportSummary, 2> halves_;
  ReportSummary whole_;
};

TEST(RecordsStorm, WhatIsWrittenOfAJobReadsAsItsFacts) { play_storms<Storm>(100); }

}  // namespace
}  // namespace windrow::sim
