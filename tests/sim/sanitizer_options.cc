// SPDX-License-Identifier: Apache-2.0
//
// Ten thousand worlds allocate a lot: short stacks of allocations and a small quarantine make
// AddressSanitizer twice as fast, and a failing seed can be run again with better settings.

// NOLINTNEXTLINE(bugprone-reserved-identifier): the name is AddressSanitizer's
extern "C" const char* __asan_default_options() {
  return "malloc_context_size=2:quarantine_size_mb=4";
}
