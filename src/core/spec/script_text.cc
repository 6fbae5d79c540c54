// SPDX-License-Identifier: Apache-2.0
#include "core/spec/script_text.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/text.h"

namespace windrow {
namespace {

// Words by which a module may get names that do not stand in its text.
constexpr auto kDynamic = std::to_array<std::string_view>({"exec",
                                                           "eval",
                                                           "globals",
                                                           "locals",
                                                           "vars",
                                                           "setattr",
                                                           "modules",
                                                           "__dict__",
                                                           "__getattr__",
                                                           "__class__"});

bool is_word(char c) {
  return is_letter_or_digit(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

// Goes through the words and signs of Python, without comments and what stands in quotes.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : rest_(text) {}

  // Empty at the end, and when the text is not understood.
  std::string_view next() {
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (c == '#') {
        rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
      } else if (c == '"' || c == '\'') {
        if (!skip_quoted()) return fail();
      } else if (is_word(c)) {
        const auto* end = std::ranges::find_if_not(rest_, is_word);
        return take(static_cast<std::size_t>(end - rest_.begin()));
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\\') {
        rest_.remove_prefix(1);
      } else {
        return take(1);
      }
    }
    return {};
  }

  [[nodiscard]] bool understood() const { return understood_; }

 private:
  std::string_view take(std::size_t count) {
    const std::string_view token = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return token;
  }

  std::string_view fail() {
    understood_ = false;
    rest_ = {};
    return {};
  }

  // False when the quote does not end where it should.
  bool skip_quoted() {
    const char quote = rest_.front();
    const bool three = rest_.size() >= 3 && rest_[1] == quote && rest_[2] == quote;
    const std::string_view end = rest_.substr(0, three ? 3 : 1);
    rest_.remove_prefix(end.size());
    while (!rest_.starts_with(end)) {
      if (rest_.empty() || (!three && rest_.front() == '\n')) return false;
      rest_.remove_prefix(std::min<std::size_t>(rest_.front() == '\\' ? 2 : 1, rest_.size()));
    }
    rest_.remove_prefix(end.size());
    return true;
  }

  std::string_view rest_;
  bool understood_ = true;
};

}  // namespace

bool lacks_run(std::string_view python) {
  if (python.find('\0') != std::string_view::npos) return false;
  Tokens tokens(python);
  std::string_view before;
  for (std::string_view token = tokens.next(); !token.empty();) {
    const std::string_view after = tokens.next();
    const bool defined = before == "def" || before == "class";
    // `x.run` and `run(...)` use a name and give none.
    if (token == "run" && before != "." && (defined || after != "(")) return false;
    if (token == "*" && before == "import") return false;
    if (std::ranges::find(kDynamic, token) != kDynamic.end()) return false;
    before = token;
    token = after;
  }
  return tokens.understood();
}

}  // namespace windrow
