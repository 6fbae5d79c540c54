// SPDX-License-Identifier: Apache-2.0
//
// names.py as a worker in C++: what is left is the engine and the header. Stamps as in stamp.py.
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>

#include <unistd.h>
#include <windrow/worker.h>

namespace {

using windrow::worker::MiniBatch;
using windrow::worker::Rows;

long first_ns = 0;
long last_ns = 0;

long now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

Rows run(MiniBatch& batch) {
  last_ns = now_ns();
  if (first_ns == 0) first_ns = last_ns;
  return {batch.items().begin(), batch.items().end()};
}

void write_stamp(const char* name, long value) {
  const std::string folder = std::getenv("BENCH_STAMPS");
  std::ofstream(folder + "/" + name + "." + std::to_string(getpid())) << value;
}

}  // namespace

int main() {
  return windrow::worker::serve({.run = run, .shutdown = [] {
                                   if (first_ns == 0) return;
                                   write_stamp("first", first_ns);
                                   write_stamp("last", last_ns);
                                 }});
}
