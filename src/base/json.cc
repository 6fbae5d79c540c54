// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <ranges>

#include "base/check.h"
#include "base/text.h"

namespace windrow {
namespace {

constexpr int kDepthMax = 64;

void append_utf8(std::string& out, std::uint32_t c) {
  const auto tail = [&out](std::uint32_t bits) {
    out += static_cast<char>(0x80U | (bits & 0x3fU));
  };
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0U | c >> 6U);
    tail(c);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0U | c >> 12U);
    tail(c >> 6U);
    tail(c);
  } else {
    out += static_cast<char>(0xf0U | c >> 18U);
    tail(c >> 12U);
    tail(c >> 6U);
    tail(c);
  }
}

// A recursive descent over the grammar of RFC 8259. The first failure wins; `at_` then stands on
// it.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Json> run() {
    std::optional<Json> json = value(0);
    if (json) {
      skip_space();
      if (at_ < text_.size()) json = refuse<Json>("something follows the value");
    }
    if (json) return *std::move(json);
    const std::string_view before = text_.substr(0, at_);
    const auto line = 1 + std::ranges::count(before, '\n');
    const std::size_t column = at_ - (before.rfind('\n') + 1) + 1;
    return fail(ErrorCode::kInvalid, "line {}, column {}: {}", line, column, why_);
  }

 private:
  template <class T>
  std::optional<T> refuse(const char* why) {
    why_ = why;
    return std::nullopt;
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    at_ += 1;
    return true;
  }

  bool take_word(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  void skip_space() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

  std::optional<Json> value(int depth) {
    skip_space();
    if (depth > kDepthMax) return refuse<Json>("over 64 levels deep");
    if (take('{')) return object(depth);
    if (take('[')) return array(depth);
    if (take('"')) {
      std::optional<std::string> content = string();
      if (!content) return std::nullopt;
      return Json(*std::move(content));
    }
    if (take_word("true")) return Json(true);
    if (take_word("false")) return Json(false);
    if (take_word("null")) return Json(nullptr);
    return number();
  }

  std::optional<Json> object(int depth) {
    Json::Object members;
    skip_space();
    if (take('}')) return Json(std::move(members));
    while (true) {
      skip_space();
      if (!take('"')) return refuse<Json>("expected a name in double quotes");
      std::optional<std::string> name = string();
      if (!name) return std::nullopt;
      skip_space();
      if (!take(':')) return refuse<Json>("expected ':'");
      std::optional<Json> member = value(depth + 1);
      if (!member) return std::nullopt;
      members.emplace_back(*std::move(name), *std::move(member));
      skip_space();
      if (take('}')) return Json(std::move(members));
      if (!take(',')) return refuse<Json>("expected ',' or '}'");
    }
  }

  std::optional<Json> array(int depth) {
    Json::Array items;
    skip_space();
    if (take(']')) return Json(std::move(items));
    while (true) {
      std::optional<Json> item = value(depth + 1);
      if (!item) return std::nullopt;
      items.push_back(*std::move(item));
      skip_space();
      if (take(']')) return Json(std::move(items));
      if (!take(',')) return refuse<Json>("expected ',' or ']'");
    }
  }

  // After the opening quote.
  std::optional<std::string> string() {
    std::string out;
    while (at_ < text_.size()) {
      if (take('"')) return out;
      if (static_cast<unsigned char>(peek()) < 0x20) {
        return refuse<std::string>("control character in a string");
      }
      if (take('\\')) {
        if (!escape(out)) return std::nullopt;
        continue;
      }
      const std::size_t length = utf8_length(text_.substr(at_, 4));
      if (length == 0) return refuse<std::string>("not UTF-8");
      out += text_.substr(at_, length);
      at_ += length;
    }
    return refuse<std::string>("a string without an end");
  }

  // After the backslash.
  bool escape(std::string& out) {
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
    if (take('u')) return unicode_escape(out);
    const std::size_t which = at_ < text_.size() ? kNames.find(peek()) : std::string_view::npos;
    if (which == std::string_view::npos) return refuse<bool>("unknown escape").has_value();
    at_ += 1;
    out += kMeant[which];
    return true;
  }

  bool unicode_escape(std::string& out) {
    const std::optional<std::uint32_t> first = hex4();
    if (!first) return refuse<bool>("expected four hexadecimal digits").has_value();
    if (*first >= 0xdc80 && *first <= 0xdcff) {  // a byte that is not UTF-8
      out += static_cast<char>(*first - 0xdc00);
      return true;
    }
    if (*first < 0xd800 || *first > 0xdfff) {
      append_utf8(out, *first);
      return true;
    }
    if (*first >= 0xdc00 || !take_word("\\u")) return refuse<bool>("lone surrogate").has_value();
    const std::optional<std::uint32_t> second = hex4();
    if (!second || *second < 0xdc00 || *second > 0xdfff) {
      return refuse<bool>("lone surrogate").has_value();
    }
    append_utf8(out, 0x10000 + ((*first - 0xd800) << 10U) + (*second - 0xdc00));
    return true;
  }

  std::optional<std::uint32_t> hex4() {
    std::uint32_t code = 0;
    const std::string_view digits = text_.substr(at_, 4);
    const bool all_hex = std::ranges::all_of(
        digits, [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; });
    if (digits.size() < 4 || !all_hex) return std::nullopt;
    std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    at_ += 4;
    return code;
  }

  std::size_t skip_digits() {
    const std::size_t first = at_;
    while (peek() >= '0' && peek() <= '9') at_ += 1;
    return at_ - first;
  }

  std::optional<Json> number() {
    const std::size_t first = at_;
    take('-');
    const bool zero = peek() == '0';
    const std::size_t digits = skip_digits();
    if (digits == 0) return refuse<Json>("expected a value");
    if (zero && digits > 1) return refuse<Json>("a number must not start with 0");
    bool whole = true;
    if (take('.')) {
      whole = false;
      if (skip_digits() == 0) return refuse<Json>("expected digits after '.'");
    }
    if (take('e') || take('E')) {
      whole = false;
      if (!take('+')) take('-');
      if (skip_digits() == 0) return refuse<Json>("expected digits of an exponent");
    }
    const char* begin = text_.data() + first;
    const char* end = text_.data() + at_;
    std::int64_t integer = 0;
    if (whole && std::from_chars(begin, end, integer).ec == std::errc()) return Json(integer);
    double real = 0;
    if (std::from_chars(begin, end, real).ec != std::errc()) {
      return refuse<Json>("the number is out of range");
    }
    return Json(real);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  const char* why_ = "";
};

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto escape = [&](const char* prefix, unsigned char byte) {
    out += prefix;
    out += kHex[byte >> 4U];
    out += kHex[byte & 0x0fU];
  };
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const std::size_t length = byte < 0x80 ? 1 : utf8_length(text.substr(at, 4));
    if (length == 0) {
      escape("\\udc", byte);
    } else if (byte == '"' || byte == '\\') {
      out += '\\';
      out += text[at];
    } else if (byte == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      escape("\\u00", byte);
    } else {
      out += text.substr(at, length);
    }
    at += std::max<std::size_t>(length, 1);
  }
  out += '"';
}

void JsonWriter::separate() {
  if (out_.empty()) return;
  const char last = out_.back();
  // The colon of key() is followed by a space; a bracket or nothing needs no comma either.
  if (last != '{' && last != '[' && last != ' ') out_ += ", ";
}

JsonWriter& JsonWriter::begin_object() {
  separate();
  out_ += '{';
  return *this;
}

JsonWriter& JsonWriter::end_object() {
  out_ += '}';
  return *this;
}

JsonWriter& JsonWriter::begin_array() {
  separate();
  out_ += '[';
  return *this;
}

JsonWriter& JsonWriter::end_array() {
  out_ += ']';
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  append_json_string(out_, name);
  out_ += ": ";
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  append_json_string(out_, text);
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  separate();
  out_ += fmt::format("{}", number);
  return *this;
}

JsonWriter& JsonWriter::value(bool flag) {
  separate();
  out_ += flag ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::members(std::string_view object) {
  CHECK(object.starts_with('{') && object.ends_with('}'));
  if (object.size() == 2) return *this;
  separate();
  out_ += object.substr(1, object.size() - 2);
  return *this;
}

JsonWriter& JsonWriter::null() {
  separate();
  out_ += "null";
  return *this;
}

const Json* Json::find(std::string_view name) const {
  const auto* members = get<Object>();
  if (members == nullptr) return nullptr;
  for (const auto& member : *members | std::views::reverse) {
    if (member.first == name) return &member.second;
  }
  return nullptr;
}

Result<Json> parse_json(std::string_view text) { return Parser(text).run(); }

}  // namespace windrow
