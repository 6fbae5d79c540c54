// SPDX-License-Identifier: Apache-2.0
#include "seeds.h"

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include "world.h"

namespace windrow::sim {
namespace {

// Where the handler of an abort finds what to say.
volatile std::uint64_t current_seed = 0;

void say_seed_and_die(int signal) {
  std::array<char, 200> text{};
  const std::uint64_t seed = current_seed;
  const auto end = fmt::format_to_n(
      text.data(), text.size(), "seed {}: aborted\n  {}\n", seed, command_for(seed));
  [[maybe_unused]] const ssize_t written = ::write(2, text.data(), end.size);
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

}  // namespace

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

std::string command_for(std::uint64_t seed) {
  return fmt::format(
      "WINDROW_SIM_SEED={} build/dev/tests/sim/sim_tests --gtest_filter=Simulation.OneSeed", seed);
}

bool run_seeds(std::uint64_t first, std::uint64_t end, std::uint64_t step, bool quiet) {
  if (!quiet) ::signal(SIGABRT, say_seed_and_die);
  for (std::uint64_t seed = first; seed < end; seed += step) {
    current_seed = seed;
    const WorldEnd ended = World(seed, false).run();
    if (!ended.failure) continue;
    if (!quiet) {
      fmt::print(stderr, "seed {}: {}\n  {}\n", seed, *ended.failure, command_for(seed));
    }
    return false;
  }
  return true;
}

int run_child(const std::function<bool()>& body) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) std::exit(body() ? 0 : 1);  // not _exit: coverage is written by exit
  return child;
}

bool ended_well(int child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool run_seeds_on_two_cores(std::uint64_t end) {
  const int even = run_child([&] { return run_seeds(0, end, 2, false); });
  const int odd = run_child([&] { return run_seeds(1, end, 2, false); });
  const bool even_right = ended_well(even);
  return ended_well(odd) && even_right;
}

}  // namespace windrow::sim
