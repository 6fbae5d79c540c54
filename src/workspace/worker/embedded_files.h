// SPDX-License-Identifier: Apache-2.0
//
// The Python files that travel inside the binary; the data is made by cmake/embed_files.cmake.
#pragma once

#include <span>
#include <string_view>

namespace windrow {

struct EmbeddedFile {
  std::string_view path;  // windrow/worker/loop.py
  std::string_view content;
};

std::span<const EmbeddedFile> embedded_files();

}  // namespace windrow
