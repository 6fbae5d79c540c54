// SPDX-License-Identifier: Apache-2.0
//
// What this machine and this process's environment offer.
//
// Thread: any. Failure: a question without an answer gets the harmless one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace windrow {

std::string host_name();

int process_id();
int thread_id();

std::uint64_t random_number();

// The variable's value when it is set and not empty.
std::optional<std::string> environment_value(const char* name);

// The same, also when it is set and empty.
std::optional<std::string> environment_text(const char* name);

// Adds `increment` to the niceness of this thread and of those it starts, at most up to the
// highest there is. REQUIRES: increment >= 0.
void be_nice(std::uint32_t increment);

std::string current_folder();

// Without links, `.` and `..`; kNotFound when there is nothing.
Result<std::string> real_path(const std::string& path);

// Where `program` is found in PATH, or itself when it holds a slash and can be executed.
std::optional<std::string> find_program(const std::string& program);

// Becomes another program, with these variables beside the inherited ones and `folder` as its
// working directory; descriptors 0 to 2 stay. Returns only when that cannot be done.
Error become_program(const std::vector<std::string>& argv,
                     const std::vector<std::pair<std::string, std::string>>& environment,
                     const std::string& folder);

// Ends this process as the signal does by itself.
[[noreturn]] void end_by_signal(int signal);

// May this process write files into the folder?
bool can_write_folder(const std::string& path);

// Opens /dev/null on those of the descriptors 0 to 2 that are closed, so that no file of ours is
// ever taken for one of them. Call first in main.
void keep_standard_descriptors();

// Standard output or standard error is a terminal; its width in columns.
bool is_terminal(int descriptor);
std::uint32_t terminal_width(int descriptor);

// Reads from standard input; 0 at its end.
Result<std::size_t> read_standard_input(std::span<char> into);

// Writes all of it to a standard descriptor; what cannot be written is dropped.
void write_out(int descriptor, std::string_view text);

// Whole content of a small file; at most `max` bytes, else kInvalid.
Result<std::string> read_whole_file(const std::string& path, std::uint64_t max);

// Makes everything durable that was written to the disk of this folder, by whomever.
Status sync_disk(const std::string& folder);

// Puts `text` in place of what the file holds, in one step and durably.
Status write_whole_file(const std::string& path, std::string_view text);

}  // namespace windrow
