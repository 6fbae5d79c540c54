// SPDX-License-Identifier: Apache-2.0
#include "yaml_page.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"

namespace windrow::sim {
namespace {

// By bits, so that it is not the product's own.
std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bits;
  for (const char c : bytes) {
    for (int i = 7; i >= 0; --i) bits += (static_cast<unsigned char>(c) >> i & 1) != 0 ? '1' : '0';
  }
  while (bits.size() % 6 != 0) bits += '0';
  std::string out;
  for (std::size_t at = 0; at < bits.size(); at += 6) {
    out += kDigits[std::stoul(bits.substr(at, 6), nullptr, 2)];
  }
  while (out.size() % 4 != 0) out += '=';
  return out;
}

bool is_plain(std::string_view text) {
  constexpr std::string_view kSafe =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_/.";
  return !text.empty() && text.find_first_not_of(kSafe) == std::string_view::npos &&
         text != "null" && text != "Null" && text != "NULL";
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

std::string in_double_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (is_control(c)) {
      out += fmt::format("\\x{:02x}", static_cast<int>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace

std::string yaml_text(Random& random, std::string_view text) {
  const bool bytes = find_invalid_utf8(text) != std::string_view::npos;
  if (bytes || random.per_mille(30)) return "!!binary \"" + base64(text) + "\"";
  if (is_plain(text) && random.per_mille(700)) return std::string(text);
  if (std::ranges::any_of(text, is_control) || random.per_mille(500)) return in_double_quotes(text);
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

std::string yaml_list(Random& random, const std::vector<std::string>& texts) {
  std::vector<std::string> items;
  for (const std::string& text : texts) items.push_back(yaml_text(random, text));
  return fmt::format("[{}]", fmt::join(items, ", "));
}

YamlPage::Twig& YamlPage::child(Twig& twig, std::string_view key) {
  const auto found = std::ranges::find(twig.below, key, &Twig::key);
  if (found != twig.below.end()) return *found;
  return twig.below.emplace_back(Twig{.key = std::string(key), .yaml = ""});
}

void YamlPage::put(std::string_view path, std::string yaml) {
  const std::size_t point = path.rfind('.');
  if (point == std::string_view::npos) return put_below("", std::string(path), std::move(yaml));
  put_below(path.substr(0, point), std::string(path.substr(point + 1)), std::move(yaml));
}

void YamlPage::put_below(std::string_view map, const std::string& key, std::string yaml) {
  Twig* twig = &root_;
  while (!map.empty()) {
    const std::size_t end = std::min(map.find('.'), map.size());
    twig = &child(*twig, map.substr(0, end));
    map.remove_prefix(std::min(end + 1, map.size()));
  }
  Twig& leaf = child(*twig, key);
  if (leaf.yaml.empty()) leaf.yaml = std::move(yaml);
}

const YamlPage::Twig* YamlPage::find(std::string_view path) const {
  const Twig* twig = &root_;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('.'), path.size());
    const auto found = std::ranges::find(twig->below, path.substr(0, end), &Twig::key);
    if (found == twig->below.end()) return nullptr;
    twig = &*found;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return twig;
}

std::uint32_t YamlPage::line_of(std::string_view path) const {
  const Twig* twig = find(path);
  return twig->below.empty() ? twig->line : twig->below.front().line;
}

void YamlPage::end_line(std::string& out) {
  out += line_end_;
  ++line_;
}

void YamlPage::render(Twig& twig, std::uint32_t depth, std::string& out) {
  for (Twig& one : twig.below) {
    while (random_.per_mille(40)) {
      if (random_.per_mille(500)) out += "  # by hand";
      end_line(out);
    }
    one.line = line_;
    out.append(std::size_t{2} * depth, ' ');
    out += one.key + ":";
    if (!one.yaml.empty()) out += " " + one.yaml;
    if (random_.per_mille(40)) out += "  # said";
    end_line(out);
    render(one, depth + 1, out);
  }
}

std::string YamlPage::render() {
  line_ = 1;
  line_end_ = random_.per_mille(100) ? "\r\n" : "\n";
  std::string out;
  render(root_, 0, out);
  return out;
}

}  // namespace windrow::sim
