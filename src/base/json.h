// SPDX-License-Identifier: Apache-2.0
//
// JSON: a streaming writer, and a value read from text.
//
// Strings here are bytes. A byte that is not UTF-8 is written as the lone surrogate \udc80 to
// \udcff and read back from it, which is what Python's surrogateescape makes of file names.
//
// Thread: one object, one thread. Failure: reading returns an Error that names line and column.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace windrow {

// Adds `text` with its quotes. The result is ASCII or UTF-8 on one line.
void append_json_string(std::string& out, std::string_view text);

// Writes one value on one line: begin_object(), key("a"), value(1), end_object(), text().
// REQUIRES: calls in an order that makes a JSON value; commas and colons come by themselves.
class JsonWriter {
 public:
  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
  JsonWriter& value(double number);  // null when it is not finite: JSON has no word for it
  JsonWriter& value(bool flag);
  template <std::integral T>
  JsonWriter& value(T number) {
    separate();
    out_ += std::to_string(number);
    return *this;
  }
  JsonWriter& null();
  // The members of an object that is text already. REQUIRES: another writer has made it.
  JsonWriter& members(std::string_view object);

  // key() and value() in one.
  template <class T>
  JsonWriter& field(std::string_view name, const T& content) {
    key(name);
    return value(content);
  }

  const std::string& text() const { return out_; }

 private:
  void separate();  // a comma when something stands before

  std::string out_;
};

class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;  // in the order of the text
  using Value =
      std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, Array, Object>;

  Json() = default;
  explicit Json(Value content) : value(std::move(content)) {}

  // The member of that name, the last one when there are several; nullptr when there is none or
  // this is not an object.
  const Json* find(std::string_view name) const;

  // nullptr when the value is of another kind.
  template <class T>
  const T* get() const {
    return std::get_if<T>(&value);
  }

  Value value;
};

// The one value in `text`. Refused: anything after it, over 64 levels, text that is not UTF-8,
// surrogates that mean neither a character nor a byte, numbers that no double can hold.
Result<Json> parse_json(std::string_view text);

}  // namespace windrow
