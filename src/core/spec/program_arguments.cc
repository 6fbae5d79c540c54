// SPDX-License-Identifier: Apache-2.0
#include "core/spec/program_arguments.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "core/spec/values.h"

namespace windrow {
namespace {

constexpr std::string_view kOpen = "${{";
constexpr std::string_view kClose = "}}";

// Cuts words one after another; `at_` stands behind what was read.
class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}

  Result<std::vector<std::string>> run() {
    while (at_ < text_.size()) RETURN_IF_ERROR(step());
    end_word();
    return std::move(words_);
  }

 private:
  Status step() {
    switch (text_[at_]) {
      case ' ':
      case '\t':
      case '\n':
      case '\r':
        end_word();
        return {};
      case '\'':
        return closed(single_quotes(), "a ' that is never closed");
      case '"':
        return closed(double_quotes(), "a \" that is never closed");
      case '\\':
        return closed(backslash(), "a \\ at the end");
      default:
        break;
    }
    if (text_.substr(at_).starts_with(kOpen)) {
      reference();
    } else {
      word() += text_[at_];
      at_ += 1;
    }
    return {};
  }

  static Status closed(bool closed, std::string_view otherwise) {
    if (closed) return {};
    return fail(ErrorCode::kInvalid, "{}", otherwise);
  }

  std::string& word() {
    if (!word_) word_.emplace();
    return *word_;
  }

  void end_word() {
    if (word_) words_.push_back(*std::move(word_));
    word_.reset();
    at_ += 1;
  }

  bool single_quotes() {
    const std::size_t end = text_.find('\'', at_ + 1);
    if (end == std::string_view::npos) return false;
    word() += text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return true;
  }

  bool double_quotes() {
    word();
    for (at_ += 1; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        at_ += 1;
        return true;
      }
      const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
      if (c == '\\' && (next == '"' || next == '\\' || next == '$' || next == '`')) {
        at_ += 1;
        word() += next;
      } else if (c == '\\' && next == '\n') {
        at_ += 1;
      } else {
        word() += c;
      }
    }
    return false;
  }

  bool backslash() {
    if (at_ + 1 == text_.size()) return false;
    if (text_[at_ + 1] != '\n') word() += text_[at_ + 1];  // a line that continues
    at_ += 2;
    return true;
  }

  void reference() {
    const std::size_t close = text_.find(kClose, at_);
    const std::size_t end = close == std::string_view::npos ? text_.size() : close + kClose.size();
    word() += text_.substr(at_, end - at_);
    at_ = end;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::optional<std::string> word_;  // none between words; "" is a word
  std::vector<std::string> words_;
};

bool is_plain(char c) {
  return is_letter_or_digit(c) || std::string_view("-_./:=,+@%").find(c) != std::string_view::npos;
}

}  // namespace

Result<std::vector<std::string>> split_arguments(std::string_view text) {
  return Splitter(text).run();
}

std::string join_arguments(const std::vector<std::string>& arguments) {
  std::string out;
  for (const std::string& argument : arguments) {
    if (!out.empty()) out += ' ';
    const bool plain = !argument.empty() && std::ranges::all_of(argument, is_plain);
    const bool reference =
        argument.starts_with(kOpen) && argument.ends_with(kClose) && parse_lone_reference(argument);
    if (plain || reference) {
      out += argument;
      continue;
    }
    out += '\'';
    for (const char c : argument) out += c == '\'' ? "'\\''" : std::string(1, c);
    out += '\'';
  }
  return out;
}

Status refuse_parent(std::string_view text) {
  std::string_view inside = trimmed(text);
  if (!inside.starts_with(kOpen)) return {};
  inside = trimmed(inside.substr(kOpen.size()));
  if (!inside.starts_with("parent.")) return {};
  return fail(ErrorCode::kInvalid,
              "{} belongs to the pipeline that this step was part of; write {{path: ...}} for a "
              "folder or file, or the value itself",
              in_quotes(trimmed(text)));
}

Result<Reference> parse_reference(std::string_view inside) {
  RETURN_IF_ERROR(refuse_parent(fmt::format("{}{}{}", kOpen, inside, kClose)));
  const std::string_view path = trimmed(inside);
  Reference reference;
  std::string_view prefix = "inputs.";
  if (path.starts_with("outputs.")) {
    reference.kind = Reference::Kind::kOutput;
    prefix = "outputs.";
  }
  if (!path.starts_with(prefix) || !check_binding_name(path.substr(prefix.size()))) {
    return fail(ErrorCode::kInvalid,
                "'${{{{{}}}}}' is not a reference; allowed are ${{{{inputs.NAME}}}} and "
                "${{{{outputs.NAME}}}}",
                escape_bytes(inside.substr(0, 80)));
  }
  reference.name = path.substr(prefix.size());
  return reference;
}

Result<Reference> parse_lone_reference(std::string_view text) {
  const std::string_view all = trimmed(text);
  const bool framed = all.starts_with(kOpen) && all.find(kClose) + kClose.size() == all.size();
  if (!framed) {
    return fail(ErrorCode::kInvalid, "{} is not a reference; write ${{{{...}}}}", in_quotes(text));
  }
  return parse_reference(all.substr(kOpen.size(), all.size() - kOpen.size() - kClose.size()));
}

Result<std::string> resolve_optional_parts(std::string_view text,
                                           const std::function<bool(const Reference&)>& given) {
  constexpr std::string_view kOpenPart = "$[[";
  constexpr std::string_view kClosePart = "]]";
  std::string out;
  while (true) {
    const std::size_t open = text.find(kOpenPart);
    out += text.substr(0, open);
    if (open == std::string_view::npos) return out;
    text.remove_prefix(open + kOpenPart.size());
    const std::size_t close = text.find(kClosePart);
    const std::string_view part = text.substr(0, close);
    if (close == std::string_view::npos || part.find(kOpenPart) != std::string_view::npos) {
      return fail(ErrorCode::kInvalid, "{}: '$[[' without its ']]'", in_quotes(part));
    }
    ASSIGN_OR_RETURN(const std::vector<Reference> references, find_references(part));
    if (std::ranges::all_of(references, given)) out += part;
    text.remove_prefix(close + kClosePart.size());
  }
}

Result<std::vector<Reference>> find_references(std::string_view text) {
  std::vector<Reference> found;
  std::size_t open = 0;
  while ((open = text.find(kOpen, open)) != std::string_view::npos) {
    const std::size_t close = text.find(kClose, open);
    if (close == std::string_view::npos) {
      return fail(ErrorCode::kInvalid, "{}: '${{{{' without '}}}}'", in_quotes(text));
    }
    const std::size_t first = open + kOpen.size();
    ASSIGN_OR_RETURN(Reference reference, parse_reference(text.substr(first, close - first)));
    found.push_back(std::move(reference));
    open = close + kClose.size();
  }
  return found;
}

std::string replace_references(std::string_view text,
                               const std::function<std::string(const Reference&)>& path) {
  std::string out;
  while (true) {
    const std::size_t open = text.find(kOpen);
    const std::size_t close = text.find(kClose, open == std::string_view::npos ? open : open + 3);
    if (close == std::string_view::npos) return out += text;
    const std::size_t end = close + kClose.size();
    const Result<Reference> reference = parse_reference(text.substr(open + 3, close - open - 3));
    out += text.substr(0, reference ? open : end);
    if (reference) out += path(*reference);
    text.remove_prefix(end);
  }
}

}  // namespace windrow
