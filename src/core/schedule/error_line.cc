// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/error_line.h"

#include <fmt/format.h>

#include "base/text.h"

namespace windrow {

std::string error_line(std::string_view type, std::string_view message) {
  message = trimmed(message);
  message = trimmed(message.substr(0, message.find('\n')));
  if (type == "ProcessDied" && !message.empty()) return std::string(message);
  return fmt::format("{}{}{}", type, type.empty() || message.empty() ? "" : ": ", message);
}

}  // namespace windrow
