// SPDX-License-Identifier: Apache-2.0
//
// Everything that happens in a simulated world, as one number, and as text when somebody looks.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string_view>

#include <fmt/core.h>

#include "os/fake_loop.h"

namespace windrow::sim {

class Trace {
 public:
  Trace(const VirtualClock& clock, bool print) : clock_(clock), print_(print) {}

  void note(std::string_view what, std::uint64_t a = 0, std::uint64_t b = 0, std::uint64_t c = 0) {
    for (const char letter : what) mix(static_cast<unsigned char>(letter));
    mix(static_cast<std::uint64_t>(clock_.now().time_since_epoch().count()));
    mix(a);
    mix(b);
    mix(c);
    if (!print_) return;
    const Duration since = clock_.now() - TimePoint(std::chrono::seconds(1000));
    fmt::print(stderr,
               "{:12.6f}  {} {} {} {}\n",
               std::chrono::duration<double>(since).count(),
               what,
               a,
               b,
               c);
  }

  [[nodiscard]] std::uint64_t hash() const { return hash_; }

 private:
  void mix(std::uint64_t value) { hash_ = (hash_ ^ value) * 0x100000001b3U + (hash_ >> 29U); }

  const VirtualClock& clock_;
  bool print_;
  std::uint64_t hash_ = 0xcbf29ce484222325U;
};

}  // namespace windrow::sim
