// SPDX-License-Identifier: Apache-2.0
//
// What is worth telling about a listing.
//
// Thread: any; values in, text out.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace windrow {

struct ListingRemarks {
  std::uint64_t skipped = 0;  // entries that are neither file nor folder
  // Names of the folders that tools keep for themselves and whose files are items: .git
  std::set<std::string, std::less<>> tool_folders;

  void add(const ListingRemarks& other);
};

// Whether a tool keeps a folder of this name for itself, so that it is hardly meant as input.
bool is_tool_folder(std::string_view name);

// A line for the user about each, with what to do.
std::vector<std::string> remark_lines(const ListingRemarks& remarks);

}  // namespace windrow
