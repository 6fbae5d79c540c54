// SPDX-License-Identifier: Apache-2.0
#include "core/spec/yaml.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <sstream>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "base/text.h"

namespace windrow {
namespace {

constexpr std::size_t kDepthMax = 64;
constexpr std::size_t kProblemsMax = 100;

constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::optional<std::string> from_base64(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (std::string_view(" \n\t\r").find(c) == std::string_view::npos) digits += c;
  }
  if (digits.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = digits.ends_with("==") ? 2 : digits.ends_with('=') ? 1 : 0;
  std::fill_n(digits.rbegin(), padding, 'A');
  std::string out;
  for (std::size_t at = 0; at < digits.size(); at += 4) {
    std::uint32_t bits = 0;
    for (const char c : digits.substr(at, 4)) {
      const std::size_t value = kBase64.find(c);
      if (value == std::string_view::npos) return std::nullopt;
      bits = bits << 6U | static_cast<std::uint32_t>(value);
    }
    for (const unsigned shift : {16U, 8U, 0U}) out += static_cast<char>(bits >> shift);
  }
  out.resize(out.size() - padding);
  return out;
}

Mark to_mark(const YAML::Mark& mark) {
  return {
      static_cast<std::uint32_t>(mark.line + 1), static_cast<std::uint32_t>(mark.column + 1), {}};
}

struct Size {
  std::size_t nodes = 0;
  std::size_t bytes = 0;
};

Size size_of(const Node& node) {
  Size size{1, node.text.size()};
  const auto add = [&size](const Node& below) {
    const Size more = size_of(below);
    size.nodes += more.nodes;
    size.bytes += more.bytes;
  };
  for (const Node& item : node.items) add(item);
  for (const Entry& entry : node.entries) {
    size.bytes += entry.key.size();
    add(entry.value);
  }
  return size;
}

// Turns the parser's events into a tree. A problem that would let the tree grow without end stops
// it: the events that follow are ignored, because an event handler has no other way to say no.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view file, const YamlBounds& bounds) : file_(file), bounds_(bounds) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    documents_ += 1;
    if (documents_ > 1) stop(to_mark(mark), "a second document; one file is one job");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Node node;
    node.mark = to_mark(mark);
    complete(std::move(node), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (stopped_) return;
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) return stop(to_mark(mark), "an alias refers to what it stands in");
    if (!pay(found->second, to_mark(mark))) return;
    Node copy = found->second;
    copy.mark = to_mark(mark);
    add(std::move(copy));
  }

  void OnScalar(const YAML::Mark& mark,
                const std::string& tag,
                YAML::anchor_t anchor,
                const std::string& value) override {
    if (stopped_) return;
    last_scalar_ = to_mark(mark);
    Node node = Node::scalar(value, last_scalar_);
    if (tag == "tag:yaml.org,2002:binary") {
      std::optional<std::string> bytes = from_base64(value);
      if (!bytes) return stop(node.mark, "not valid base64");
      node.text = *std::move(bytes);
    } else if (!known_tag(tag)) {
      return stop(node.mark, "unknown tag " + in_quotes(tag));
    }
    if (node.text.find('\0') != std::string::npos) {
      return stop(node.mark, "contains a NUL character");
    }
    complete(std::move(node), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark,
                       const std::string& tag,
                       YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(Node::Kind::kSequence, to_mark(mark), tag, anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark,
                  const std::string& tag,
                  YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(Node::Kind::kMap, to_mark(mark), tag, anchor);
  }
  void OnMapEnd() override { close(); }

  void stop(const Mark& mark, std::string_view message) {
    if (!stopped_) report(mark, message);
    stopped_ = true;
  }

  bool stopped() const { return stopped_; }
  const Mark& last_scalar() const { return last_scalar_; }
  Node take_root() { return std::move(root_); }
  std::vector<Problem> take_problems() { return std::move(problems_); }

 private:
  struct Open {
    Node node;
    YAML::anchor_t anchor = YAML::NullAnchor;
    std::optional<Entry> pending;                          // a key that waits for its value
    std::unordered_map<std::string, std::uint32_t> lines;  // of the keys so far
  };

  static bool known_tag(const std::string& tag) {
    constexpr std::array<std::string_view, 7> kCore = {
        "str", "int", "float", "bool", "null", "map", "seq"};
    constexpr std::string_view kPrefix = "tag:yaml.org,2002:";
    if (tag.empty() || tag == "?" || tag == "!") return true;
    return tag.starts_with(kPrefix) &&
           std::ranges::find(kCore, tag.substr(kPrefix.size())) != kCore.end();
  }

  void report(const Mark& mark, std::string_view message) {
    if (problems_.size() == kProblemsMax) return;
    problems_.push_back({where(file_, mark), std::string(message)});
  }

  // Counts what a node costs; false, and stopped, when the file is too large by it.
  bool pay(const Node& node, const Mark& mark) {
    const Size size = size_of(node);
    nodes_ += size.nodes;
    bytes_ += size.bytes;
    if (nodes_ <= bounds_.nodes_max && bytes_ <= 4 * bounds_.text_max) return true;
    stop(mark,
         fmt::format("the file is too large: over {} values or {} of text, aliases counted",
                     human_count(bounds_.nodes_max),
                     human_bytes(4 * bounds_.text_max)));
    return false;
  }

  void open(Node::Kind kind, Mark mark, const std::string& tag, YAML::anchor_t anchor) {
    if (stopped_) return;
    if (!known_tag(tag)) return stop(mark, "unknown tag " + in_quotes(tag));
    if (open_.size() == kDepthMax) {
      return stop(mark, fmt::format("over {} levels deep", kDepthMax));
    }
    Open opened;
    opened.node.kind = kind;
    opened.node.mark = std::move(mark);
    opened.anchor = anchor;
    open_.push_back(std::move(opened));
  }

  void close() {
    if (stopped_) return;
    Open closed = std::move(open_.back());
    open_.pop_back();
    // What is below has been paid for; the container itself has not.
    nodes_ += 1;
    if (closed.anchor != YAML::NullAnchor) {
      if (!pay(closed.node, closed.node.mark)) return;
      anchors_[closed.anchor] = closed.node;
    }
    add(std::move(closed.node));
  }

  void complete(Node node, YAML::anchor_t anchor) {
    if (stopped_ || !pay(node, node.mark)) return;
    if (anchor != YAML::NullAnchor) anchors_[anchor] = node;
    add(std::move(node));
  }

  void add(Node node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& top = open_.back();
    if (top.node.kind == Node::Kind::kSequence) {
      top.node.items.push_back(std::move(node));
    } else if (top.pending) {
      Entry entry = *std::move(top.pending);
      top.pending.reset();
      entry.value = std::move(node);
      add_entry(top, std::move(entry));
    } else if (node.kind != Node::Kind::kScalar) {
      stop(node.mark, "a key must be a text");
    } else {
      top.pending = Entry{std::move(node.text), std::move(node.mark), {}};
    }
  }

  void add_entry(Open& top, Entry entry) {
    const auto [first, is_new] = top.lines.emplace(entry.key, entry.mark.line);
    if (!is_new) {
      report(entry.mark,
             fmt::format("duplicate key {}; it stands on line {} already",
                         in_quotes(entry.key),
                         first->second));
      return;
    }
    // The library marks an empty value where the next thing stands, lines below.
    if (entry.value.kind == Node::Kind::kNull) entry.value.mark = entry.mark;
    top.node.entries.push_back(std::move(entry));
  }

  std::string_view file_;
  YamlBounds bounds_;
  int documents_ = 0;
  bool stopped_ = false;
  Mark last_scalar_;  // where it begins
  Node root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Node> anchors_;
  std::size_t nodes_ = 0;
  std::size_t bytes_ = 0;
  std::vector<Problem> problems_;
};

// What the library must not see: it takes some control characters for the end of the text.
std::optional<Problem> refuse_text(std::string_view file,
                                   std::string_view text,
                                   std::size_t text_max) {
  if (text.size() > text_max) {
    return Problem{std::string(file),
                   fmt::format("the file is too large: {}; allowed is {}",
                               human_bytes(text.size()),
                               human_bytes(text_max))};
  }
  std::size_t at = find_invalid_utf8(text);
  std::string_view message = "not UTF-8";
  const auto control = std::ranges::find_if(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n' && c != '\r' && c != '\t') || byte == 0x7f;
  });
  const auto control_at = static_cast<std::size_t>(control - text.begin());
  if (control != text.end() && control_at < at) {
    at = control_at;
    message = "a control character";
  }
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view before = text.substr(0, at);
  Mark mark;
  mark.line = static_cast<std::uint32_t>(1 + std::ranges::count(before, '\n'));
  mark.column = static_cast<std::uint32_t>(at - (before.rfind('\n') + 1) + 1);
  return Problem{where(file, mark),
                 fmt::format("{}: byte {:#04x}", message, static_cast<unsigned char>(text[at]))};
}

// The library takes a line break at the end of the file for the end of a quoted text, but not the
// mark that ends a document. REQUIRES: the text by itself is valid.
bool ends_in_quotes(std::string_view text, const YamlBounds& bounds) {
  TreeBuilder builder("", bounds);
  try {
    std::istringstream stream{std::string(text) + "\n...\n"};
    YAML::Parser(stream).HandleNextDocument(builder);
  } catch (const YAML::Exception& error) {
    return error.msg == YAML::ErrorMsg::DOC_IN_SCALAR;
  }
  return false;
}

}  // namespace

std::expected<Node, std::vector<Problem>> parse_yaml(std::string_view file,
                                                     std::string_view text,
                                                     const YamlBounds& bounds) {
  if (std::optional<Problem> problem = refuse_text(file, text, bounds.text_max)) {
    return std::unexpected(std::vector{*std::move(problem)});
  }
  TreeBuilder builder(file, bounds);
  bool any = false;
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (!builder.stopped() && parser.HandleNextDocument(builder)) any = true;
  } catch (const YAML::Exception& error) {
    builder.stop(to_mark(error.mark), "not valid YAML: " + error.msg);
  } catch (const std::exception& error) {
    builder.stop({1, 1, {}}, fmt::format("not valid YAML: {}", error.what()));
  }
  if (!builder.stopped() && ends_in_quotes(text, bounds)) {
    builder.stop(builder.last_scalar(), "the quoted text that begins here has no end");
  }
  std::vector<Problem> problems = builder.take_problems();
  if (problems.empty() && !any) problems.push_back({std::string(file), "the file is empty"});
  if (!problems.empty()) return std::unexpected(std::move(problems));
  return builder.take_root();
}

std::string where(std::string_view file, const Mark& mark) {
  if (mark.line == 0) return mark.flag;
  return fmt::format("{}:{}:{}", file, mark.line, mark.column);
}

std::string to_base64(std::string_view bytes) {
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view three = bytes.substr(at, 3);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits = bits << 8U | (i < three.size() ? static_cast<unsigned char>(three[i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      out += i > three.size() ? '=' : kBase64[bits >> (18 - 6 * i) & 0x3fU];
    }
  }
  return out;
}

}  // namespace windrow
