// SPDX-License-Identifier: Apache-2.0
#include "drawn_size.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace windrow::sim {
namespace {

constexpr std::int64_t kInt = 2147483647;

}  // namespace

std::int64_t draw_between(Random& random, std::int64_t min, std::int64_t max) {
  const auto range = static_cast<std::uint64_t>(max - min);
  const std::uint64_t near = std::min<std::uint64_t>(range, 3);
  switch (random.below(3)) {
    case 0:
      return min + static_cast<std::int64_t>(random.below(near + 1));
    case 1:
      return max - static_cast<std::int64_t>(random.below(near + 1));
    default:
      return min + static_cast<std::int64_t>(random.below(range + 1));
  }
}

std::string in_other_case(Random& random, std::string text) {
  for (char& c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (letter && random.per_mille(400)) c = static_cast<char>(c ^ 0x20);
  }
  return text;
}

std::string bytes_text(std::uint64_t bytes) {
  for (const auto& [shift, name] : {std::pair(30U, "GB"), {20U, "MB"}, {10U, "KB"}}) {
    if (bytes % (std::uint64_t{1} << shift) == 0) return std::to_string(bytes >> shift) + name;
  }
  return std::to_string(bytes);
}

DrawnBytes draw_bytes(Random& random, std::uint64_t min) {
  static const std::vector<std::string> kUnits = {"b", "kb", "mb", "gb"};
  const std::uint64_t unit = random.below(4);
  std::uint64_t count = 1 + random.below(random.per_mille(500) ? 5 : 2500);
  if (count << (10 * unit) < min) count = min;
  return {std::to_string(count) + (random.per_mille(300) ? " " : "") +
              in_other_case(random, kUnits[unit]),
          count << (10 * unit)};
}

DrawnValue draw_size(Random& random) {
  const auto count = static_cast<std::uint64_t>(draw_between(random, 1, kInt));
  const DrawnBytes bytes = draw_bytes(random, 1);
  const std::string unit = random.per_mille(500) ? " Files" : "files";
  DrawnValue out;
  switch (random.below(7)) {
    case 0:
      out = {.said = std::to_string(count), .size = {.files = count, .bare = true}};
      break;
    case 1:
      out = {.said = std::to_string(count) + unit, .size = {.files = count}};
      break;
    case 2:
      out = {.said = bytes.said, .size = {.bytes = bytes.bytes}};
      break;
    case 3:
      out = {.said = fmt::format("{}, {} files", bytes.said, count),
             .size = {.files = count, .bytes = bytes.bytes}};
      break;
    case 4:
      out = {.said = fmt::format("{}, {}", count, bytes.said),
             .size = {.files = count, .bare = true, .bytes = bytes.bytes}};
      break;
    case 5:
      out = {.said = std::to_string(count) + " rows", .size = {.rows = count}};
      break;
    default:
      out = {.said = fmt::format("{}ROWS ,{}", count, bytes.said),
             .size = {.rows = count, .bytes = bytes.bytes}};
      break;
  }
  out.means = size_text(out.size);
  return out;
}

DrawnValue draw_keys(Random& random) {
  DrawnValue out{.list = true};
  std::vector<std::string> names = {"Region", "a b", "x-1", "\xc3\xa9", "[k"};
  const std::uint32_t count = random.per_mille(50) ? 0 : random.between(1, 3);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t at = random.below(names.size());
    out.items.push_back(names[at]);
    names.erase(names.begin() + static_cast<std::ptrdiff_t>(at));
  }
  const bool json = random.per_mille(500);
  const std::string quote = json && random.per_mille(500) ? "\"" : "";
  const std::string comma = quote + (random.per_mille(500) ? "," : " , ") + quote;
  out.said = fmt::format("{}", fmt::join(out.items, comma));
  if (count > 0) out.said = quote + out.said + quote;
  if (json) out.said = "[" + out.said + "]";
  return out;
}

std::string size_text(const DrawnSize& size) {
  if (size.rows == 0 && size.bytes == 0) return std::to_string(size.files);
  std::vector<std::string> limits;
  if (size.files > 0 && size.files != kInt) {
    limits.push_back(std::to_string(size.files) + (size.bare ? "" : " files"));
  }
  if (size.rows > 0) limits.push_back(std::to_string(size.rows) + " rows");
  if (size.bytes > 0) {
    const std::string text = bytes_text(size.bytes);
    limits.push_back(text.ends_with('B') ? text : text + "B");
  }
  return fmt::format("{}", fmt::join(limits, ", "));
}

}  // namespace windrow::sim
