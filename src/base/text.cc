// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

namespace windrow {
namespace {

constexpr std::size_t kQuotedMax = 80;
constexpr std::size_t kNameMax = 64;  // longer names are not misspellings

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

void append_escaped(std::string& out, char c) {
  switch (c) {
    case '\n':
      out += "\\n";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\r':
      out += "\\r";
      return;
    default:
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(c));
  }
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  // By length: the lead bytes that announce it, and the smallest character that needs it.
  struct Form {
    std::uint32_t lead_min;
    std::uint32_t lead_max;
    std::uint32_t smallest;
  };
  constexpr std::array<Form, 5> kForms = {
      {{1, 0, 0}, {0x00, 0x7f, 0}, {0xc0, 0xdf, 0x80}, {0xe0, 0xef, 0x800}, {0xf0, 0xf7, 0x10000}}};
  if (text.empty()) return 0;
  const std::uint32_t lead = static_cast<unsigned char>(text[0]);
  const auto form = std::ranges::find_if(
      kForms, [lead](const Form& f) { return lead >= f.lead_min && lead <= f.lead_max; });
  const auto length = static_cast<std::size_t>(form - kForms.begin());
  if (length > text.size() || form == kForms.end()) return 0;
  std::uint32_t character = lead - form->lead_min;
  for (const char c : text.substr(1, length - 1)) {
    const std::uint32_t bits = static_cast<unsigned char>(c) ^ 0x80U;
    if (bits > 0x3f) return 0;
    character = character << 6U | bits;
  }
  const bool surrogate = character >= 0xd800 && character <= 0xdfff;
  return character >= form->smallest && character <= 0x10ffff && !surrogate ? length : 0;
}

std::size_t find_invalid_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = utf8_length(text.substr(at, 4));
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

std::string escape_bytes(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text.substr(at, 4));
    if (length == 0 || is_control(text[at])) {
      append_escaped(out, text[at]);
      at += 1;
      continue;
    }
    if (text[at] == '\\') out += '\\';
    out += text.substr(at, length);
    at += length;
  }
  return out;
}

std::string path_in_quotes(std::string_view path) { return "'" + escape_bytes(path) + "'"; }

std::string in_quotes(std::string_view text) {
  if (text.size() <= kQuotedMax) return path_in_quotes(text);
  std::size_t cut = kQuotedMax;  // not inside a character
  while (cut > kQuotedMax - 3 && (static_cast<unsigned char>(text[cut]) & 0xc0U) == 0x80U) --cut;
  return "'" + escape_bytes(text.substr(0, cut)) + "...'";
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::optional<std::string_view> nearest_name(std::string_view name,
                                             std::span<const std::string_view> candidates) {
  if (name.empty() || name.size() > kNameMax) return std::nullopt;
  const std::string wanted = lower_case(name);
  // A third of the letters wrong still reads as the same word; more is another word.
  std::size_t best = std::clamp<std::size_t>(name.size() / 3, 1, 3) + 1;
  std::optional<std::string_view> found;
  for (const std::string_view candidate : candidates) {
    const std::size_t shorter = std::min(wanted.size(), candidate.size());
    if (std::max(wanted.size(), candidate.size()) - shorter >= best) continue;
    const std::size_t distance = edit_distance(wanted, lower_case(candidate));
    if (distance >= best) continue;
    best = distance;
    found = candidate;
  }
  return found;
}

std::string human_duration(Duration duration) {
  using std::chrono::duration_cast;
  using std::chrono::microseconds;
  using std::chrono::milliseconds;
  if (duration < Duration::zero()) {
    return "-" + human_duration(duration == Duration::min() ? Duration::max() : -duration);
  }
  if (duration < milliseconds(1))
    return fmt::format("{} us", duration_cast<microseconds>(duration).count());
  if (duration < milliseconds(1000))
    return fmt::format("{} ms", duration_cast<milliseconds>(duration).count());
  const std::int64_t tenths = duration_cast<milliseconds>(duration).count() / 100;
  if (tenths < 100) return fmt::format("{}.{} s", tenths / 10, tenths % 10);
  const std::int64_t total = tenths / 10;
  if (total < 60) return fmt::format("{} s", total);
  if (total < 3600) return fmt::format("{} min {} s", total / 60, total % 60);
  if (total < 86400) return fmt::format("{} h {} min", total / 3600, total % 3600 / 60);
  return fmt::format("{} d {} h", total / 86400, total % 86400 / 3600);
}

std::string in_seconds(Duration duration) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
  return ms % 1000 == 0 ? fmt::format("{} s", ms / 1000)
                        : fmt::format("{:.10g} s", static_cast<double>(ms) / 1000);
}

std::string human_count(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string human_bytes(std::uint64_t bytes) {
  constexpr std::array kUnits = {"KB", "MB", "GB", "TB", "PB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1023.95 && unit + 1 < kUnits.size()) {  // would print as 1024.0
    value /= 1024;
    unit += 1;
  }
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_letter_or_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

}  // namespace windrow
