// SPDX-License-Identifier: Apache-2.0
//
// The single values of a job: text -> number, duration, size, level. One reading for files, --set
// and flags. A refusal says what was given and what is allowed; the caller puts the key in front.
//
// Thread: any; values in, values out.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "core/spec/job_spec.h"

namespace windrow {

struct IntegerRange {
  std::int64_t min = 0;
  std::int64_t max = kIntMax;
};

// Decimal digits, perhaps with a sign; spaces around it do not matter.
Result<std::int64_t> parse_integer(std::string_view text, IntegerRange range);

// A number with a point, no exponent: `0.5`, `100`. REQUIRES: both ends have few decimals.
struct NumberRange {
  double min = 0;
  double max = 0;
};
Result<double> parse_number(std::string_view text, NumberRange range);

// Any number that a double holds, with or without exponent.
bool is_number(std::string_view text);

struct SecondsRange {
  bool zero = false;  // whether 0 is allowed
  Duration max = kRunTimeoutMax;
};

// Seconds with up to nine decimals: more than 0 (or from 0 on), at most kRunTimeoutMax unless the
// range says otherwise.
Result<Duration> parse_seconds(std::string_view text, SecondsRange range = {});

// true, false, 1, 0; the words in any letter case.
Result<bool> parse_bool(std::string_view text);

// `1024`, `64KB`, `2 gb`: bytes, within the range.
struct BytesRange {
  std::uint64_t min = 0;
  std::uint64_t max = std::uint64_t{1} << 62U;
};
Result<std::uint64_t> parse_bytes(std::string_view text, BytesRange range = {});

// The shortest text that parse_bytes reads as the same number.
std::string bytes_text(std::uint64_t bytes);

// The shortest text that parse_seconds reads as the same duration. REQUIRES: not negative.
std::string seconds_text(Duration duration);

// When a mini-batch closes: as soon as one of the caps is reached. A bare number is `plain`,
// because what it counts depends on the input: files, or bytes of a table.
struct SizeCaps {
  std::optional<std::uint64_t> plain = std::nullopt;
  std::optional<std::uint64_t> files = std::nullopt;
  std::optional<std::uint64_t> bytes = std::nullopt;
  std::optional<std::uint64_t> rows = std::nullopt;
  friend bool operator==(const SizeCaps&, const SizeCaps&) = default;
};

// `10`, `1024KB`, `100 kb`, `500 rows`, `10 files, 1MB`; each unit once, nothing is 0.
Result<SizeCaps> parse_size(std::string_view text);

// The size of mini-batches of files: a count of files, bytes, or both.
Result<BatchSize> parse_batch_size(std::string_view text);

// Whether an MLTable file decides what the items are.
bool has_mltable(const JobSpec& spec);

// Fills in what depends on the items of the job: their usual size, and what a bare number counts.
void settle_batch_size(JobSpec& spec);

// The text that parse_batch_size reads as the same size.
std::string batch_size_text(const BatchSize& size);
// That of a job. Where an MLTable file decides what the items are, a count of files has its unit: a
// bare number might be one of bytes.
std::string batch_size_text(const JobSpec& spec);

// WARNING, INFO or DEBUG in any letter case.
Result<LoggingLevel> parse_logging_level(std::string_view text);
std::string_view to_text(LoggingLevel level);

// uri_folder, uri_file. REQUIRES: no literal.
std::string_view to_text(InputType type);
// The words of enumerations, in the order of their values.
inline constexpr std::array<std::string_view, 4> kFrames = {"pandas", "pyarrow", "polars", "numpy"};
inline constexpr std::array<std::string_view, 5> kRowFormats = {
    "text", "csv", "jsonl", "parquet", "arrow"};
std::string_view to_text(RowFormat format);
std::string_view to_text(Frame frame);
std::string_view to_text(OutputType type);
std::string_view to_text(CommandMode mode);

// Names of inputs and outputs: letters, digits and '_', not starting with a digit.
Status check_binding_name(std::string_view name);

}  // namespace windrow
