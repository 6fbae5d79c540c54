// SPDX-License-Identifier: Apache-2.0
#include "core/spec/values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/text.h"

namespace windrow {
namespace {

constexpr std::int64_t kNanoseconds = 1000000000;
constexpr std::string_view kSizesAllowed =
    "allowed is a number with b, kb, mb, gb, files, rows or nothing, as in 10 or 10 files, 1MB";

struct Unit {
  std::string_view name;
  std::optional<std::uint64_t> SizeCaps::* cap;
  std::uint64_t scale;
};

constexpr std::array<Unit, 9> kUnits = {{
    {"", &SizeCaps::plain, 1},
    {"file", &SizeCaps::files, 1},
    {"files", &SizeCaps::files, 1},
    {"row", &SizeCaps::rows, 1},
    {"rows", &SizeCaps::rows, 1},
    {"b", &SizeCaps::bytes, 1},
    {"kb", &SizeCaps::bytes, 1ULL << 10U},
    {"mb", &SizeCaps::bytes, 1ULL << 20U},
    {"gb", &SizeCaps::bytes, 1ULL << 30U},
}};

// A number as it was given; something long in quotes, cut.
std::string bare_or_quoted(std::string_view said) {
  return said.size() > 40 ? in_quotes(said) : escape_bytes(said);
}

bool all_digits(std::string_view text) { return std::ranges::all_of(text, is_digit); }

// One cap of a size: adds it to `caps`. `whole` is for the message.
Status add_cap(SizeCaps& caps, std::string_view part, std::string_view whole) {
  part = trimmed(part);
  std::uint64_t count = 0;
  const auto [rest, error] = std::from_chars(part.data(), part.data() + part.size(), count);
  if (error == std::errc::result_out_of_range) {
    return fail(ErrorCode::kInvalid, "{} is too large", in_quotes(whole));
  }
  const std::string name =
      lower_case(trimmed(part.substr(static_cast<std::size_t>(rest - part.data()))));
  const auto* unit = std::ranges::find(kUnits, name, &Unit::name);
  if (error != std::errc() || unit == kUnits.end()) {
    return fail(ErrorCode::kInvalid, "{} is not a size; {}", in_quotes(whole), kSizesAllowed);
  }
  if (count == 0) {
    return fail(ErrorCode::kInvalid, "{} is out of range; at least 1", in_quotes(whole));
  }
  if (count > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) / unit->scale) {
    return fail(ErrorCode::kInvalid, "{} is too large", in_quotes(whole));
  }
  std::optional<std::uint64_t>& cap = caps.*(unit->cap);
  if (cap) return fail(ErrorCode::kInvalid, "{} sets one limit twice", in_quotes(whole));
  cap = count * unit->scale;
  return {};
}

}  // namespace

Result<std::int64_t> parse_integer(std::string_view text, IntegerRange range) {
  std::string_view digits = trimmed(text);
  const std::string said(digits);
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const std::string_view unsigned_part =
      digits.substr(digits.starts_with('-') && said == digits ? 1 : 0);
  if (unsigned_part.empty() || !all_digits(unsigned_part)) {
    return fail(ErrorCode::kInvalid,
                "{} is not a whole number; allowed is {} to {}",
                in_quotes(text),
                range.min,
                range.max);
  }
  std::int64_t value = 0;
  const bool fits =
      std::from_chars(digits.data(), digits.data() + digits.size(), value).ec == std::errc();
  if (!fits || value < range.min || value > range.max) {
    return fail(ErrorCode::kInvalid,
                "{} is out of range; allowed is {} to {}",
                bare_or_quoted(said),
                range.min,
                range.max);
  }
  return value;
}

Result<double> parse_number(std::string_view text, NumberRange range) {
  const std::string_view said = trimmed(text);
  const std::string_view digits = said.substr(said.starts_with('-') ? 1 : 0);
  const bool spelled = !digits.empty() && is_digit(digits.front()) && is_digit(digits.back()) &&
                       std::ranges::count(digits, '.') <= 1 &&
                       std::ranges::all_of(digits, [](char c) { return is_digit(c) || c == '.'; });
  if (!spelled) {
    return fail(ErrorCode::kInvalid,
                "{} is not a number; allowed is {} to {}",
                in_quotes(text),
                range.min,
                range.max);
  }
  double value = 0;
  const bool fits =
      std::from_chars(said.data(), said.data() + said.size(), value).ec == std::errc();
  if (!fits || value < range.min || value > range.max) {
    return fail(ErrorCode::kInvalid,
                "{} is out of range; allowed is {} to {}",
                bare_or_quoted(said),
                range.min,
                range.max);
  }
  return value;
}

bool is_number(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && rest == end && std::isfinite(value);
}

Result<Duration> parse_seconds(std::string_view text, SecondsRange range) {
  const std::string allowed = fmt::format("allowed is {} up to {} seconds",
                                          range.zero ? "0" : "more than 0",
                                          range.max.count() / kNanoseconds);
  std::string_view digits = trimmed(text);
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::string_view whole = digits.substr(0, point);
  std::string decimals(digits.substr(std::min(point + 1, digits.size())));
  const bool has_digits = !whole.empty() && (point == digits.size() || !decimals.empty());
  if (!has_digits || !all_digits(whole) || !all_digits(decimals)) {
    return fail(ErrorCode::kInvalid, "{} is not a number of seconds; {}", in_quotes(text), allowed);
  }
  if (decimals.size() > 9) {
    return fail(ErrorCode::kInvalid, "{} has more than nine decimals", in_quotes(text));
  }
  decimals.resize(9, '0');
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
  const bool fits =
      std::from_chars(whole.data(), whole.data() + whole.size(), seconds).ec == std::errc();
  std::from_chars(decimals.data(), decimals.data() + decimals.size(), nanoseconds);
  const bool small = fits && seconds <= range.max.count() / kNanoseconds;
  const Duration duration(small ? seconds * kNanoseconds + nanoseconds : 0);
  const bool zero = fits && seconds == 0 && nanoseconds == 0;
  const bool in_range = zero ? range.zero : small && duration <= range.max;
  if (negative || !in_range) {
    return fail(
        ErrorCode::kInvalid, "{} is out of range; {}", bare_or_quoted(trimmed(text)), allowed);
  }
  return duration;
}

Result<bool> parse_bool(std::string_view text) {
  const std::string word = lower_case(trimmed(text));
  if (word == "true" || word == "1") return true;
  if (word == "false" || word == "0") return false;
  return fail(ErrorCode::kInvalid, "{} is not known; allowed is true or false", in_quotes(text));
}

Result<std::uint64_t> parse_bytes(std::string_view text, BytesRange range) {
  const std::string allowed = fmt::format(
      "allowed is {}, as in {}",
      range.min == 0 ? std::string("0 or a number of bytes") : "at least " + bytes_text(range.min),
      "512MB, 2GB");
  std::uint64_t bytes = 0;
  if (trimmed(text).find_first_not_of('0') != std::string_view::npos) {
    const Result<SizeCaps> caps = parse_size(text);
    const bool counts = caps && !caps->files && !caps->rows && !(caps->bytes && caps->plain);
    if (!counts) {
      return fail(ErrorCode::kInvalid, "{} is not a number of bytes; {}", in_quotes(text), allowed);
    }
    bytes = caps->bytes.value_or(caps->plain.value_or(0));
  } else if (trimmed(text).empty()) {
    return fail(ErrorCode::kInvalid, "{} is not a number of bytes; {}", in_quotes(text), allowed);
  }
  if (bytes < range.min || bytes > range.max) {
    return fail(
        ErrorCode::kInvalid, "{} is out of range; {}", bare_or_quoted(trimmed(text)), allowed);
  }
  return bytes;
}

std::string bytes_text(std::uint64_t bytes) {
  for (auto unit = kUnits.rbegin(); unit != kUnits.rend(); ++unit) {
    if (unit->cap != &SizeCaps::bytes || bytes == 0 || bytes % unit->scale != 0) continue;
    std::string name(unit->name);
    std::ranges::transform(name, name.begin(), [](char c) { return static_cast<char>(c - 32); });
    return fmt::format("{}{}", bytes / unit->scale, unit->scale == 1 ? "" : name);
  }
  return "0";
}

std::string seconds_text(Duration duration) {
  std::string text = fmt::format("{}", duration.count() / kNanoseconds);
  const std::int64_t rest = duration.count() % kNanoseconds;
  if (rest == 0) return text;
  text += fmt::format(".{:09}", rest);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

Result<SizeCaps> parse_size(std::string_view text) {
  SizeCaps caps;
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    RETURN_IF_ERROR(add_cap(caps, rest.substr(0, comma), trimmed(text)));
    if (comma == std::string_view::npos) return caps;
    rest.remove_prefix(comma + 1);
  }
}

Result<BatchSize> parse_batch_size(std::string_view text) {
  ASSIGN_OR_RETURN(const SizeCaps caps, parse_size(text));
  if (caps.rows && *caps.rows > kIntMax) {
    return fail(ErrorCode::kInvalid, "{}: allowed is 1 to {} rows", in_quotes(text), kIntMax);
  }
  if (caps.plain && caps.files) {
    return fail(ErrorCode::kInvalid, "{} counts files twice", in_quotes(text));
  }
  const std::uint64_t files = caps.plain.value_or(caps.files.value_or(kIntMax));
  if (files > kIntMax) {
    return fail(ErrorCode::kInvalid,
                "{} is out of range; allowed is 1 to {}",
                bare_or_quoted(trimmed(text)),
                kIntMax);
  }
  BatchSize size{.files = static_cast<std::uint32_t>(files), .bytes = caps.bytes};
  size.bare = caps.plain.has_value();
  if (caps.rows) size.rows = static_cast<std::uint32_t>(*caps.rows);
  return size;
}

bool has_mltable(const JobSpec& spec) {
  return std::ranges::find(spec.inputs, InputType::kMlTable, &InputSpec::type) != spec.inputs.end();
}

void settle_batch_size(JobSpec& spec) {
  BatchSize& size = spec.mini_batch_size;
  const bool bare = std::exchange(size.bare, false);
  if (spec.input_as == InputAs::kJsonLines && size.rows) {
    size.files = *size.rows;
    size.rows.reset();
  }
  if (spec.input_as != InputAs::kTable) return;
  if (!size.bytes && bare) size.bytes = size.files;
  if (!size.bytes && !size.rows) size.bytes = kTableBytes;
  size.files = kIntMax;
}

std::string batch_size_text(const BatchSize& size) {
  if (!size.bytes && !size.rows) return std::to_string(size.files);
  // A unit always stands there, unless there was none.
  std::vector<std::string> caps;
  if (size.files != kIntMax) {
    caps.push_back(fmt::format("{}{}", size.files, size.bare ? "" : " files"));
  }
  if (size.rows) caps.push_back(fmt::format("{} rows", *size.rows));
  if (size.bytes) {
    caps.push_back(bytes_text(*size.bytes));
    if (is_digit(caps.back().back())) caps.back() += "B";
  }
  return fmt::format("{}", fmt::join(caps, ", "));
}

std::string batch_size_text(const JobSpec& spec) {
  const BatchSize& size = spec.mini_batch_size;
  const bool open = spec.input_as == InputAs::kFiles && has_mltable(spec);
  const bool unit = open && !size.bare && !size.bytes && !size.rows;
  return batch_size_text(size) + (unit ? " files" : "");
}

Result<LoggingLevel> parse_logging_level(std::string_view text) {
  const std::string level = lower_case(trimmed(text));
  if (level == "warning") return LoggingLevel::kWarning;
  if (level == "info") return LoggingLevel::kInfo;
  if (level == "debug") return LoggingLevel::kDebug;
  return fail(
      ErrorCode::kInvalid, "{} is not a level; allowed is WARNING, INFO or DEBUG", in_quotes(text));
}

std::string_view to_text(LoggingLevel level) {
  switch (level) {
    case LoggingLevel::kWarning:
      return "WARNING";
    case LoggingLevel::kInfo:
      return "INFO";
    case LoggingLevel::kDebug:
      return "DEBUG";
  }
  return "";
}

std::string_view to_text(InputType type) {
  if (type == InputType::kMlTable) return "mltable";
  if (type == InputType::kSql) return "sql";
  return type == InputType::kFile ? "uri_file" : "uri_folder";
}

std::string_view to_text(Frame frame) { return kFrames.at(static_cast<std::size_t>(frame)); }

std::string_view to_text(RowFormat format) {
  return kRowFormats.at(static_cast<std::size_t>(format));
}

std::string_view to_text(CommandMode mode) {
  switch (mode) {
    case CommandMode::kProtocol:
      return "protocol";
    case CommandMode::kLines:
      return "lines";
    case CommandMode::kFilter:
      return "filter";
  }
  return "";
}

std::string_view to_text(OutputType type) {
  return type == OutputType::kFile ? "uri_file" : "uri_folder";
}

Status check_binding_name(std::string_view name) {
  const bool valid =
      !name.empty() && name.size() <= 255 && !is_digit(name.front()) &&
      std::ranges::all_of(name, [](char c) { return is_letter_or_digit(c) || c == '_'; });
  if (valid) return {};
  return fail(ErrorCode::kInvalid,
              "{} is not a name; allowed are letters, digits and '_', not starting with a digit",
              in_quotes(name));
}

}  // namespace windrow
