// SPDX-License-Identifier: Apache-2.0
#include "core/spec/local_path.h"

#include <charconv>

namespace windrow {

std::string local_path(std::string_view said) {
  constexpr std::string_view kScheme = "file://";
  if (!said.starts_with(kScheme) || said.substr(kScheme.size(), 1) != "/") return std::string(said);
  said.remove_prefix(kScheme.size());
  std::string out;
  while (!said.empty()) {
    unsigned char byte = 0;
    const std::string_view digits = said.substr(1, 2);
    const bool coded =
        said.front() == '%' && digits.size() == 2 &&
        std::from_chars(digits.data(), digits.data() + 2, byte, 16).ptr == digits.data() + 2;
    out += coded ? static_cast<char>(byte) : said.front();
    said.remove_prefix(coded ? 3 : 1);
  }
  return out;
}

std::string with_home(std::string_view said, std::string_view home) {
  const bool list = said.starts_with('@');
  const std::string_view path = said.substr(list ? 1 : 0);
  const bool in_home = path == "~" || path.starts_with("~/");
  if (!in_home || home.empty()) return std::string(said);
  return (list ? "@" : "") + std::string(home) + std::string(path.substr(1));
}

}  // namespace windrow
