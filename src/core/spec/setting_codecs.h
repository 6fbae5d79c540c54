// SPDX-License-Identifier: Apache-2.0
//
// How the fields of a job are read from text and written as text again, by their types: the last
// column of the table in settings.cc.
//
// Thread: any; values in, values out. Failure: what is wrong with the text, and what is allowed.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/result.h"
#include "base/text.h"
#include "core/spec/job_spec.h"
#include "core/spec/settings.h"
#include "core/spec/values.h"

namespace windrow::codecs {

using Kind = SettingValue::Kind;

inline constexpr std::int64_t kWorkersMax = 65535;
inline constexpr std::int64_t kGpusMax = 1024;
inline constexpr Duration kIntervalMax = std::chrono::seconds(kIntMax);

// ---- How a field is read and written, by its type.

struct Codec {
  Status (*read)(JobSpec&, std::string_view);
  SettingValue (*write)(const JobSpec&);
};

// The field at the end of a path of members: field<&JobSpec::limits, &LimitSpec::run_timeout>.
template <auto... Path>
auto& field(auto& spec) {
  return (spec.*....*Path);
}

template <class T>
struct OptionalValue {
  using Type = T;
};
template <class T>
struct OptionalValue<std::optional<T>> {
  using Type = T;
};

// What a field of either kind holds; nothing when it is not set.
template <class T>
const T* content(const std::optional<T>& value) {
  return value ? &*value : nullptr;
}
template <class T>
const T* content(const T& value) {
  return &value;
}

template <auto... Path>
constexpr Codec flag() {
  return {[](JobSpec& spec, std::string_view said) -> Status {
            ASSIGN_OR_RETURN(field<Path...>(spec), parse_bool(said));
            return {};
          },
          [](const JobSpec& spec) -> SettingValue {
            return {Kind::kBare, field<Path...>(spec) ? "true" : "false", {}};
          }};
}

template <std::int64_t Min, std::int64_t Max, auto... Path>
constexpr Codec whole() {
  return {[](JobSpec& spec, std::string_view said) -> Status {
            ASSIGN_OR_RETURN(const std::int64_t number, parse_integer(said, {Min, Max}));
            using Field = std::remove_reference_t<decltype(field<Path...>(spec))>;
            field<Path...>(spec) = static_cast<typename OptionalValue<Field>::Type>(number);
            return {};
          },
          [](const JobSpec& spec) -> SettingValue {
            const auto* number = content(field<Path...>(spec));
            if (number == nullptr) return {};
            return {Kind::kBare, std::to_string(*number), {}};
          }};
}

template <SecondsRange (*Range)(), auto... Path>
constexpr Codec seconds() {
  return {[](JobSpec& spec, std::string_view said) -> Status {
            ASSIGN_OR_RETURN(field<Path...>(spec), parse_seconds(said, Range()));
            return {};
          },
          [](const JobSpec& spec) -> SettingValue {
            const Duration* duration = content(field<Path...>(spec));
            if (duration == nullptr) return {};
            return {Kind::kBare, seconds_text(*duration), {}};
          }};
}

constexpr SecondsRange timeouts() { return {}; }
constexpr SecondsRange from_zero() { return {.zero = true}; }
constexpr SecondsRange intervals() { return {.zero = true, .max = kIntervalMax}; }
constexpr SecondsRange any_timeouts() { return {.max = kIntervalMax}; }

template <std::uint64_t Min, auto... Path>
constexpr Codec bytes() {
  return {[](JobSpec& spec, std::string_view said) -> Status {
            ASSIGN_OR_RETURN(field<Path...>(spec), parse_bytes(said, {.min = Min}));
            return {};
          },
          [](const JobSpec& spec) -> SettingValue {
            return {Kind::kBare, bytes_text(field<Path...>(spec)), {}};
          }};
}

inline std::string names_text(std::span<const std::string_view> names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += i == 0 ? "" : i + 1 == names.size() ? " or " : ", ";
    out += names[i];
  }
  return out;
}

// The words of an enumeration, in the order of its values; `` is the one that is not set.
template <const auto& Names, auto... Path>
constexpr Codec choice() {
  return {[](JobSpec& spec, std::string_view said) -> Status {
            const auto* name = std::ranges::find(Names, trimmed(said));
            if (name == Names.end() || name->empty()) {
              std::vector<std::string_view> allowed(Names.begin(), Names.end());
              std::erase(allowed, "");
              return fail(ErrorCode::kInvalid,
                          "{} is not known; allowed is {}",
                          in_quotes(said),
                          names_text(allowed));
            }
            auto& value = field<Path...>(spec);
            value = static_cast<std::remove_reference_t<decltype(value)>>(name - Names.begin());
            return {};
          },
          [](const JobSpec& spec) -> SettingValue {
            const std::string_view name = Names.at(static_cast<std::size_t>(field<Path...>(spec)));
            if (name.empty()) return {};
            return {Kind::kBare, std::string(name), {}};
          }};
}

inline constexpr std::array<std::string_view, 3> kSurplus = {"auto", "unset", "hide"};
inline constexpr std::array<std::string_view, 3> kInputAs = {"files", "jsonl", "table"};
inline constexpr std::array<std::string_view, 2> kExists = {"refuse", "overwrite"};
inline constexpr std::array<std::string_view, 3> kProfilers = {"", "cProfile", "profile"};

inline bool is_dotted_name(std::string_view text) {
  return !text.empty() && !is_digit(text.front()) && text.front() != '.' && text.back() != '.' &&
         text.find("..") == std::string_view::npos && std::ranges::all_of(text, [](char c) {
           return is_letter_or_digit(c) || c == '_' || c == '.';
         });
}

// Names of exceptions, joined by commas.
template <auto... Path>
constexpr Codec exceptions() {
  return {[](JobSpec& spec, std::string_view said) -> Status {
            std::vector<std::string> names;
            for (std::size_t at = 0; at < said.size();) {
              const std::size_t end = std::min(said.find(',', at), said.size());
              const std::string_view name = trimmed(said.substr(at, end - at));
              if (!is_dotted_name(name)) {
                return fail(ErrorCode::kInvalid,
                            "{} is not the name of an exception; allowed is a list of names, as "
                            "in [OSError, requests.Timeout]",
                            in_quotes(name));
              }
              names.emplace_back(name);
              at = end + 1;
            }
            field<Path...>(spec) = std::move(names);
            return {};
          },
          [](const JobSpec& spec) -> SettingValue {
            const std::vector<std::string>& names = field<Path...>(spec);
            if (names.empty()) return {};
            return {Kind::kList, "", names};
          }};
}

// ---- The fields with rules of their own.

inline constexpr Codec kMiniBatchSize = {[](JobSpec& spec, std::string_view said) -> Status {
                                           const Result<BatchSize> size = parse_batch_size(said);
                                           // A size that nobody knows gets no further problem.
                                           spec.mini_batch_size =
                                               size.value_or(BatchSize{.files = kIntMax});
                                           if (!size) return std::unexpected(size.error());
                                           return {};
                                         },
                                         [](const JobSpec& spec) -> SettingValue {
                                           if (!spec.partition_keys.empty()) return {};
                                           return {Kind::kText, batch_size_text(spec), {}};
                                         }};

// Names of columns or keys: with commas between them, or as JSON text, because as a parameter of a
// pipeline a list is text.
inline Result<std::vector<std::string>> parse_names(std::string_view said) {
  std::string_view list = trimmed(said);
  const bool json = list.starts_with('[') && list.ends_with(']');
  if (json) list = list.substr(1, list.size() - 2);
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= list.size() && !trimmed(list).empty();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    std::string_view name = trimmed(list.substr(at, end - at));
    const bool quoted = json && name.size() > 1 && name.starts_with('"') && name.ends_with('"');
    if (quoted) name = name.substr(1, name.size() - 2);
    const bool twice = std::ranges::find(names, name) != names.end();
    const bool odd = std::ranges::any_of(
        name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"'; });
    if (name.empty() || odd || twice) {
      return fail(ErrorCode::kInvalid,
                  "{} has {}; allowed is a list of names, or its JSON text",
                  in_quotes(said),
                  twice          ? in_quotes(name) + " twice"
                  : name.empty() ? "an empty name"
                                 : "a name with control characters or quotes");
    }
    names.emplace_back(name);
    at = end + 1;
  }
  return names;
}

template <auto... Path>
constexpr Codec names() {
  return {[](JobSpec& spec, std::string_view said) -> Status {
            ASSIGN_OR_RETURN(field<Path...>(spec), parse_names(said));
            return {};
          },
          [](const JobSpec& spec) -> SettingValue {
            if (field<Path...>(spec).empty()) return {};
            return {Kind::kList, "", field<Path...>(spec)};
          }};
}

// Negative is 0, as the original has it.
inline constexpr Codec kRankCount = {
    [](JobSpec& spec, std::string_view said) -> Status {
      ASSIGN_OR_RETURN(const std::int64_t count, parse_integer(said, {-kIntMax - 1, kIntMax}));
      spec.rank_mini_batch_count = static_cast<std::uint32_t>(std::max<std::int64_t>(count, 0));
      return {};
    },
    whole<0, kIntMax, &JobSpec::rank_mini_batch_count>().write};

// A job has one node, whatever number it asks for.
inline constexpr Codec kNodes = {
    [](JobSpec&, std::string_view said) -> Status {
      const Result<std::int64_t> nodes = parse_integer(said, {1, kIntMax});
      if (!nodes && trimmed(said) != "-1") {
        return fail(ErrorCode::kInvalid, "{}, or -1 for all", nodes.error().message);
      }
      return {};
    },
    [](const JobSpec&) -> SettingValue { return {Kind::kBare, "1", {}}; }};

inline constexpr Codec kRetries = {
    [](JobSpec& spec, std::string_view said) -> Status {
      ASSIGN_OR_RETURN(const std::int64_t retries, parse_integer(said, {0, kIntMax}));
      spec.limits.tries_max = static_cast<std::uint32_t>(retries) + 1;
      return {};
    },
    [](const JobSpec& spec) -> SettingValue {
      return {Kind::kBare, std::to_string(std::int64_t{spec.limits.tries_max} - 1), {}};
    }};

inline constexpr Codec kPercent = {
    [](JobSpec& spec, std::string_view said) -> Status {
      ASSIGN_OR_RETURN(spec.limits.allowed_failed_percent, parse_number(said, {0, 100}));
      return {};
    },
    [](const JobSpec& spec) -> SettingValue {
      return {Kind::kBare, fmt::format("{}", spec.limits.allowed_failed_percent), {}};
    }};

inline constexpr Codec kGpuShare = {
    [](JobSpec& spec, std::string_view said) -> Status {
      constexpr std::string_view kAllowed = "allowed is 0.01 to 1, or a whole number up to 1024";
      const Result<double> share = parse_number(said, {0.01, kGpusMax});
      const bool whole = share && *share == static_cast<double>(static_cast<int>(*share));
      if (!share || (*share > 1 && !whole)) {
        return fail(
            ErrorCode::kInvalid, "{} is not a share of GPUs; {}", in_quotes(said), kAllowed);
      }
      spec.worker.gpus_per_worker = *share;
      return {};
    },
    [](const JobSpec& spec) -> SettingValue {
      return {Kind::kBare, fmt::format("{}", spec.worker.gpus_per_worker), {}};
    }};

inline constexpr Codec kLoggingLevel = {
    [](JobSpec& spec, std::string_view said) -> Status {
      ASSIGN_OR_RETURN(spec.record.logging_level, parse_logging_level(said));
      spec.record.logging_level_said = true;
      return {};
    },
    [](const JobSpec& spec) -> SettingValue {
      if (!spec.record.logging_level_said) return {};
      return {Kind::kBare, std::string(to_text(spec.record.logging_level)), {}};
    }};

inline constexpr Codec kPythonLevel = {
    [](JobSpec& spec, std::string_view said) -> Status {
      for (const std::string_view level : {"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"}) {
        if (lower_case(level) != lower_case(trimmed(said))) continue;
        spec.record.python_logging_level = level;
        return {};
      }
      return fail(ErrorCode::kInvalid,
                  "{} is not a level; allowed is DEBUG, INFO, WARNING, ERROR or CRITICAL",
                  in_quotes(said));
    },
    [](const JobSpec& spec) -> SettingValue {
      return {Kind::kBare, spec.record.python_logging_level, {}};
    }};

inline constexpr Codec kMetricsPrefix = {[](JobSpec& spec, std::string_view said) -> Status {
                                           spec.record.metrics_name_prefix = said;
                                           return {};
                                         },
                                         [](const JobSpec& spec) -> SettingValue {
                                           return {
                                               Kind::kText, spec.record.metrics_name_prefix, {}};
                                         }};

inline constexpr Codec kRowFormat = {
    [](JobSpec& spec, std::string_view said) -> Status {
      const auto* name = std::ranges::find(kRowFormats, lower_case(trimmed(said)));
      if (name == kRowFormats.end()) {
        return fail(ErrorCode::kInvalid,
                    "{} is not known; allowed is {}",
                    in_quotes(said),
                    names_text(kRowFormats));
      }
      spec.rows.format = static_cast<RowFormat>(name - kRowFormats.begin());
      return {};
    },
    choice<kRowFormats, &JobSpec::rows, &RowStyle::format>().write};

inline constexpr Codec kRowField = {[](JobSpec& spec, std::string_view said) -> Status {
                                      spec.rows.field = said;
                                      return {};
                                    },
                                    [](const JobSpec& spec) -> SettingValue {
                                      if (spec.rows.field.empty()) return {};
                                      return {Kind::kText, spec.rows.field, {}};
                                    }};

inline constexpr Codec kMemoryLimit = {
    [](JobSpec& spec, std::string_view said) -> Status {
      ASSIGN_OR_RETURN(spec.worker.memory_limit, parse_bytes(said, {.min = 0}));
      return {};
    },
    [](const JobSpec& spec) -> SettingValue {
      if (!spec.worker.memory_limit) return {};
      return {Kind::kBare, bytes_text(*spec.worker.memory_limit), {}};
    }};

// What marks something in delimited text.
template <auto... Path>
constexpr Codec character() {
  return {[](JobSpec& spec, std::string_view said) -> Status {
            if (said == "\\t") said = "\t";  // as a shell gives it
            const bool one = said.size() == 1 && said != "\n" && said != "\r" && said != "\"";
            if (!one || static_cast<unsigned char>(said[0]) >= 0x80) {
              return fail(ErrorCode::kInvalid,
                          "{} is not understood; allowed is one ASCII character, no quote or line "
                          "break",
                          in_quotes(said));
            }
            field<Path...>(spec) = said;
            return {};
          },
          [](const JobSpec& spec) -> SettingValue {
            const std::string* mark = content(field<Path...>(spec));
            if (mark == nullptr || mark->empty()) return {};
            return {Kind::kText, *mark, {}};
          }};
}

}  // namespace windrow::codecs
