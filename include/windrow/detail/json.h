// SPDX-License-Identifier: Apache-2.0
//
// As much JSON as a worker needs: it reads the start object and writes error objects.
//
// Thread: values. Failure: Broken for a text that is not what the protocol says.
#pragma once

#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace windrow::worker::detail {

// The descriptors, or what comes over them, are not what the protocol says.
class Broken : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The start object, as far as a worker needs it: texts, and lists of texts. Everything else is
// stepped over.
class StartObject {
 public:
  explicit StartObject(std::string_view text) : rest_(text) {
    expect('{');
    if (accept('}')) return;
    do {
      const std::string name = string();
      expect(':');
      value(&members_[name]);
    } while (accept(','));
    expect('}');
  }

  [[nodiscard]] std::string text(const std::string& name) const {
    const auto found = members_.find(name);
    return found == members_.end() || found->second.empty() ? "" : found->second.front();
  }
  [[nodiscard]] std::vector<std::string> list(const std::string& name) const {
    const auto found = members_.find(name);
    return found == members_.end() ? std::vector<std::string>() : found->second;
  }

 private:
  [[noreturn]] static void refuse() { throw Broken("the payload of start is not a JSON object"); }
  char next() {
    while (!rest_.empty() && std::strchr(" \t\r\n", rest_.front()) != nullptr) {
      rest_.remove_prefix(1);
    }
    if (rest_.empty()) refuse();
    return rest_.front();
  }
  bool accept(char wanted) {
    if (next() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) refuse();
  }
  char take() {
    if (rest_.empty()) refuse();
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  void value(std::vector<std::string>* into) {
    const char first = next();
    if (first == '"') {
      std::string text = string();
      if (into != nullptr) into->push_back(std::move(text));
    } else if (first == '[' || first == '{') {
      const char close = first == '[' ? ']' : '}';
      take();
      if (accept(close)) return;
      do {
        if (first == '{') string(), expect(':');
        value(first == '[' ? into : nullptr);
      } while (accept(','));
      expect(close);
    } else {  // a number, true, false or null
      const std::size_t size = rest_.find_first_of(",]} \t\r\n");
      if (size == std::string_view::npos || size == 0) refuse();
      if (into != nullptr) into->emplace_back(rest_.substr(0, size));
      rest_.remove_prefix(size);
    }
  }

  std::string string() {
    expect('"');
    std::string out;
    for (char c = take(); c != '"'; c = take()) {
      if (c != '\\') {
        out += c;
        continue;
      }
      static constexpr std::string_view kEscapes = "bfnrt\"\\/";
      static constexpr std::string_view kMeanings = "\b\f\n\r\t\"\\/";
      const char escape = take();
      const std::size_t known = kEscapes.find(escape);
      if (escape == 'u') {
        append_character(out);
      } else if (known != std::string_view::npos) {
        out += kMeanings[known];
      } else {
        refuse();
      }
    }
    return out;
  }

  std::uint32_t hexadecimal() {
    std::uint32_t number = 0;
    for (int i = 0; i < 4; ++i) {
      static constexpr std::string_view kDigits = "0123456789abcdef";
      const std::size_t digit = kDigits.find(static_cast<char>(std::tolower(take())));
      if (digit == std::string_view::npos) refuse();
      number = number * 16 + static_cast<std::uint32_t>(digit);
    }
    return number;
  }

  // U+DC80 to U+DCFF alone stand for bytes of names that are not UTF-8.
  void append_character(std::string& out) {
    std::uint32_t code = hexadecimal();
    if (code >= 0xDC80 && code <= 0xDCFF) {
      out += static_cast<char>(code - 0xDC00);
      return;
    }
    if (code >= 0xD800 && code < 0xDC00) {
      if (take() != '\\' || take() != 'u') refuse();
      const std::uint32_t low = hexadecimal();
      if (low < 0xDC00 || low > 0xDFFF) refuse();
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    const auto tail = [&out, code](int shift) {
      out += static_cast<char>(0x80 | (code >> shift & 0x3F));
    };
    if (code < 0x80) {
      out += static_cast<char>(code);
    } else if (code < 0x800) {
      out += static_cast<char>(0xC0 | code >> 6);
    } else if (code < 0x10000) {
      out += static_cast<char>(0xE0 | code >> 12);
      tail(6);
    } else {
      out += static_cast<char>(0xF0 | code >> 18);
      tail(12);
      tail(6);
    }
    if (code >= 0x80) tail(0);
  }

  std::string_view rest_;
  std::map<std::string, std::vector<std::string>> members_;
};

// A JSON string in ASCII. What is not UTF-8 is spelled out, as \xff.
inline std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const int size = byte < 0x80 ? 1 : byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC2 ? 2 : 0;
    std::uint32_t code = size <= 1 ? byte : byte & (0xFFU >> (size + 1));
    bool valid = size > 0 && byte < 0xF5 && at + static_cast<std::size_t>(size) <= text.size();
    for (int i = 1; valid && i < size; ++i) {
      const auto more = static_cast<unsigned char>(text[at + static_cast<std::size_t>(i)]);
      valid = (more & 0xC0) == 0x80;
      code = code << 6 | (more & 0x3F);
    }
    valid = valid && (code < 0xD800 || code > 0xDFFF);
    char buffer[16];
    if (!valid) {
      std::snprintf(buffer, sizeof buffer, "\\\\x%02x", byte);
    } else if (code >= 0x10000) {
      std::snprintf(
          buffer, sizeof buffer, "\\u%04x\\u%04x", 0xD7C0 + (code >> 10), 0xDC00 + (code & 0x3FF));
    } else if (code < 0x20 || code >= 0x7F || code == '"' || code == '\\') {
      std::snprintf(buffer, sizeof buffer, "\\u%04x", code);
    } else {
      std::snprintf(buffer, sizeof buffer, "%c", static_cast<char>(code));
    }
    out += buffer;
    at += valid ? static_cast<std::size_t>(size) : 1;
  }
  return out + "\"";
}

}  // namespace windrow::worker::detail
