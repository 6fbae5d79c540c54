// SPDX-License-Identifier: Apache-2.0
//
// How much memory is left here: of the machine, and of each control group around this process that
// has a limit, version 1 or 2.
//
// Thread: any, one at a time. Ownership: none. Failure: what the kernel does not say is left out.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/memory_room.h"

namespace windrow {

class MemoryRooms {
 public:
  // The content of a file of the kernel, nothing when there is none.
  using ReadFile = std::function<std::optional<std::string>(const std::string& path)>;

  // Groups without a limit now are not looked at later: a sample should cost as little as it can.
  explicit MemoryRooms(ReadFile read = read_kernel_file);

  // Takes some tens of microseconds.
  [[nodiscard]] std::vector<MemoryRoom> read() const;

 private:
  // Where a group says what it has. Dropped when need be: these lines of `stat`, and `kernel`.
  struct Group {
    std::string limit;
    std::string usage;
    std::string kernel;  // may be empty
    std::string stat;
    std::vector<std::string> droppable;
  };

  static std::optional<std::string> read_kernel_file(const std::string& path);
  [[nodiscard]] MemoryRoom machine() const;
  [[nodiscard]] std::optional<MemoryRoom> room_of(const Group& group) const;

  ReadFile read_;
  std::vector<Group> groups_;
};

}  // namespace windrow
