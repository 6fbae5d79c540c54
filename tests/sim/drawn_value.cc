// SPDX-License-Identifier: Apache-2.0
#include "drawn_value.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "drawn_size.h"

namespace windrow::sim {
namespace {

enum class Kind {
  kBool,
  kWhole,
  kSeconds,
  kBytes,
  kPercent,
  kShare,
  kWord,
  kSize,
  kSep,
  kNames,
  kKeys,
  kText
};

struct Opinion {
  std::string_view key;
  Kind kind;
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::vector<std::string> words = {};
  bool any_case = false;
};

constexpr std::int64_t kInt = 2147483647;
constexpr std::int64_t kThreeDays = 3LL * 24 * 60 * 60;

const std::vector<std::string> kLevels = {"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"};

const std::vector<Opinion> kOpinions = {
    {"mini_batch_size", Kind::kSize},
    {"rank_mini_batch_count", Kind::kWhole, -kInt - 1, kInt},
    {"staged_outputs", Kind::kBool},
    {"largest_first", Kind::kBool},
    {"allow_empty_input", Kind::kBool},
    {"partition_keys", Kind::kKeys},
    {"partition_by", Kind::kKeys},
    {"frame", Kind::kWord, 0, 0, {"pandas", "pyarrow", "polars", "numpy"}},
    {"memory_limit", Kind::kBytes, 0},
    {"input_as", Kind::kWord, 0, 0, {"files", "jsonl", "table"}},
    {"table.format", Kind::kWord, 0, 0, {"delimited", "parquet", "json_lines", "arrow"}, true},
    {"table.delimiter", Kind::kSep},
    {"table.header", Kind::kWord, 0, 0, {"no_header", "from_first_file"}, true},
    {"table.encoding", Kind::kWord, 0, 0, {"utf8", "latin1", "utf16"}, true},
    {"table.infer_column_types", Kind::kBool},
    {"table.types", Kind::kWord, 0, 0, {"pandas", "mltable"}, true},
    {"table.mixed_types", Kind::kBool},
    {"table.text_columns", Kind::kKeys},
    {"table.empty_as_string", Kind::kBool},
    {"table.quotes", Kind::kBool},
    {"table.support_multi_line", Kind::kBool},
    {"table.include_path_column", Kind::kBool},
    {"table.comment", Kind::kSep},
    {"table.skip_lines", Kind::kWhole, 0, kInt},
    {"table.ragged", Kind::kWord, 0, 0, {"error", "skip", "fill"}, true},
    {"table.invalid_lines", Kind::kWord, 0, 0, {"error", "drop"}, true},
    {"table.count_rows", Kind::kBool},
    {"append_row.format", Kind::kWord, 0, 0, {"text", "csv", "jsonl", "parquet", "arrow"}, true},
    {"append_row.sep", Kind::kSep},
    {"append_row.header", Kind::kBool},
    {"append_row.field", Kind::kText},
    {"output_exists", Kind::kWord, 0, 0, {"refuse", "overwrite"}},
    {"compat.v1_argv", Kind::kBool},
    {"compat.allowed_failed_count", Kind::kBool},
    {"strict", Kind::kBool},
    {"retry_settings.max_retries", Kind::kWhole, 0, kInt},
    {"retry_settings.timeout", Kind::kSeconds, 1, kThreeDays},
    {"retry_settings.delay", Kind::kSeconds, 0, kThreeDays},
    {"retry_settings.retry_on", Kind::kNames},
    {"retry_settings.fail_fast_on", Kind::kNames},
    {"error_threshold", Kind::kWhole, -1, kInt},
    {"mini_batch_error_threshold", Kind::kWhole, -1, kInt},
    {"allowed_failed_percent", Kind::kPercent},
    {"task_overhead_timeout", Kind::kSeconds, 1, kThreeDays},
    {"progress_update_timeout", Kind::kSeconds, 1, kThreeDays},
    {"first_task_creation_timeout", Kind::kSeconds, 1, kInt},
    {"init_timeout", Kind::kSeconds, 1, kThreeDays},
    {"strict_results", Kind::kBool},
    {"retry_short_returns", Kind::kBool},
    {"bisect_failed", Kind::kBool},
    {"speculate", Kind::kBool},
    {"max_concurrency_per_instance", Kind::kWhole, 1, 65535},
    {"max_rss_per_worker", Kind::kBytes, 0},
    {"max_batches_per_worker", Kind::kWhole, 0, kInt},
    {"nice", Kind::kWhole, 0, 20},
    {"gpus", Kind::kWhole, 0, 1024},
    {"gpus_per_worker", Kind::kShare},
    {"gpu_surplus", Kind::kWord, 0, 0, {"auto", "unset", "hide"}},
    {"user_log_max", Kind::kBytes, 1024},
    {"logging_level", Kind::kWord, 0, 0, {"WARNING", "INFO", "DEBUG"}, true},
    {"python_logging_level", Kind::kWord, 0, 0, kLevels, true},
    {"resource_monitor_interval", Kind::kSeconds, 0, kInt},
    {"profiling_module", Kind::kWord, 0, 0, {"cProfile", "profile"}},
    {"copy_logs_to_parent", Kind::kBool},
    {"push_metrics_to_parent", Kind::kBool},
    {"metrics_name_prefix", Kind::kText},
};

const Opinion& opinion_on(std::string_view key) {
  return *std::ranges::find(kOpinions, key, &Opinion::key);
}

std::string padded(Random& random, const std::string& text) {
  return random.per_mille(150) ? " " + text + "\t" : text;
}

DrawnValue draw_whole(Random& random, const Opinion& opinion) {
  const std::int64_t number = draw_between(random, opinion.min, opinion.max);
  std::string said = std::to_string(number);
  if (number >= 0 && random.per_mille(150)) said = "0" + said;
  if (number >= 0 && random.per_mille(150)) said = "+" + said;
  const bool cut = opinion.key == "rank_mini_batch_count" && number < 0;
  return {.said = padded(random, said), .means = cut ? "0" : std::to_string(number)};
}

DrawnValue draw_seconds(Random& random, const Opinion& opinion) {
  const std::int64_t whole = draw_between(random, opinion.min, opinion.max);
  std::string decimals;
  if (whole < opinion.max && random.per_mille(500)) {
    decimals = std::to_string(random.below(1'000'000'000));
  }
  std::string said = std::to_string(whole);
  if (!decimals.empty()) said += "." + decimals;
  while (decimals.ends_with('0')) decimals.pop_back();
  std::string means = std::to_string(whole);
  if (!decimals.empty()) means += "." + decimals;
  if (random.per_mille(150)) said = "+" + said;
  return {.said = padded(random, said), .means = means};
}

DrawnValue draw_quarters(Random& random, std::int64_t quarters) {
  static const std::vector<std::string> kRest = {"", ".25", ".5", ".75"};
  const std::string means =
      std::to_string(quarters / 4) + kRest[static_cast<std::size_t>(quarters % 4)];
  return {.said = padded(random, means + (quarters % 4 == 2 ? "0" : "")), .means = means};
}

DrawnValue draw_names(Random& random) {
  DrawnValue out{.list = true};
  const std::uint32_t count = random.between(1, 3);
  for (std::uint32_t i = 0; i < count; ++i) {
    out.items.push_back(
        draw_from(random, {"OSError", "requests.Timeout", "a_1.b2.C", "_x", "ProcessDied"}));
  }
  out.said = fmt::format("{}", fmt::join(out.items, random.per_mille(500) ? "," : " , "));
  return out;
}

DrawnValue draw_right(Random& random, const Opinion& opinion) {
  switch (opinion.kind) {
    case Kind::kBool: {
      const bool yes = random.per_mille(500);
      const std::string word = yes ? "true" : "false";
      const bool digit = random.per_mille(300);
      return {.said = padded(random, digit ? (yes ? "1" : "0") : in_other_case(random, word)),
              .means = word};
    }
    case Kind::kWhole:
      return draw_whole(random, opinion);
    case Kind::kSeconds:
      return draw_seconds(random, opinion);
    case Kind::kBytes: {
      if (opinion.min == 0 && random.per_mille(200)) {
        return {.said = draw_from(random, {"0", "00"}), .means = "0"};
      }
      const DrawnBytes bytes = draw_bytes(random, static_cast<std::uint64_t>(opinion.min));
      return {.said = bytes.said, .means = bytes_text(bytes.bytes)};
    }
    case Kind::kPercent:
      return draw_quarters(random, draw_between(random, 0, 400));
    case Kind::kShare:
      return draw_quarters(
          random,
          random.per_mille(500) ? draw_between(random, 1, 4) : 4 * draw_between(random, 1, 1024));
    case Kind::kWord: {
      const std::string word = draw_from(random, opinion.words);
      return {.said = padded(random, opinion.any_case ? in_other_case(random, word) : word),
              .means = word};
    }
    case Kind::kSize:
      return draw_size(random);
    case Kind::kSep: {
      const std::string said = draw_from(random, {",", ";", "|", "a", "'", "\\t", "\t", "#"});
      return {.said = said, .means = said == "\\t" ? "\t" : said};
    }
    case Kind::kNames:
      return draw_names(random);
    case Kind::kKeys:
      return draw_keys(random);
    case Kind::kText:
      break;
  }
  const std::string text =
      draw_from(random, {"a/", "score: ", "true", "-", "\xc3\xa9 \"x\"", "#1"});
  return {.said = text, .means = text};
}

std::vector<std::string> wrong_marks(Kind kind) {
  if (kind == Kind::kSep) return {"", "ab", "\"", "\xc3\xa9", "\xe9", "\n", "\r"};
  if (kind == Kind::kNames) return {"1x", "a..b", ".a", "a.", "a b", "a,,b", " "};
  if (kind == Kind::kSize) {
    return {"0",
            "5 rows, 6 rows",
            "5 files, 6",
            "1kb, 1mb",
            "x",
            "",
            "2147483648",
            "5,",
            "99999999999999999999",
            "9007199254740993GB",
            "0 files",
            "0 rows",
            "5 rows, 2147483648 rows",
            "2147483648 rows",
            "5 files, 1kb, 5 lines"};
  }
  if (kind == Kind::kKeys) return {"a,a", "a,,b", "[a, \"a\"]", ",", "[,]", "a\"b", "a\x01"};
  return {};
}

std::vector<std::string> wrong_texts(const Opinion& opinion) {
  switch (opinion.kind) {
    case Kind::kBool:
      return {"yes", "2", "", "truefalse"};
    case Kind::kWhole:
      return {std::to_string(opinion.min - 1),
              std::to_string(opinion.max + 1),
              "",
              "x",
              "1.5",
              "+-1",
              "--1",
              "-",
              "99999999999999999999",
              std::string(60, '9')};
    case Kind::kSeconds:
      return {opinion.min > 0 ? "0" : "-0.5",
              opinion.min > 0 ? "0.0" : "-1",
              std::to_string(opinion.max + 1),
              std::to_string(opinion.max) + ".000000001",
              "",
              "1.",
              ".5",
              "1.0000000001",
              "1.2.3",
              "1e3",
              "-1",
              "soon",
              std::string(60, '9')};
    case Kind::kBytes:
      return {opinion.min > 0 ? "0" : "-1",
              opinion.min > 0 ? "1023" : "1x",
              "  ",
              "",
              "5 rows",
              "5 files",
              "1kb, 5",
              "1kb, 2mb",
              "99999999999999999999",
              "9007199254740993GB",
              "5000000000GB",
              "5000000000000000000"};
    case Kind::kPercent:
      return {"100.5", "-1", "", "1e1", ".5", "5.", "1..2", "1.2.3", "half", std::string(400, '9')};
    case Kind::kShare:
      return {"0", "0.001", "1.5", "1025", "", "x"};
    case Kind::kWord:
      return {"sometimes", "", "parquets", "arrow,", "text csv"};
    case Kind::kSize:
    case Kind::kSep:
    case Kind::kNames:
    case Kind::kKeys:
    case Kind::kText:
      break;
  }
  return wrong_marks(opinion.kind);
}

}  // namespace

std::string draw_from(Random& random, const std::vector<std::string>& texts) {
  return texts[random.below(texts.size())];
}

bool knows_setting(std::string_view key) {
  return std::ranges::find(kOpinions, key, &Opinion::key) != kOpinions.end();
}

DrawnValue draw_value(Random& random, std::string_view key, bool right) {
  const Opinion& opinion = opinion_on(key);
  if (right || opinion.kind == Kind::kText) return draw_right(random, opinion);
  return {.said = draw_from(random, wrong_texts(opinion)),
          .right = false,
          .list = opinion.kind == Kind::kNames};
}

}  // namespace windrow::sim
