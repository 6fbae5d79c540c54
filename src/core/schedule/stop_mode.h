// SPDX-License-Identifier: Apache-2.0
//
// How an agent is told to end; a later mode may follow an earlier one, never the other way.
#pragma once

#include <cstdint>

namespace windrow {

enum class StopMode : std::uint8_t {
  kFinish = 0,  // no more work: shutdown() in every worker, then end
  kDrain = 1,   // hand back what is not running, let the rest end within a short grace
  kNow = 2,     // kill
};

}  // namespace windrow
