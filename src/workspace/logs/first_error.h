// SPDX-License-Identifier: Apache-2.0
//
// The error that a run ends with: the first of the script, or failing that the first of all.
//
// Thread: any; values in, values out. Failure: none.
#pragma once

#include <optional>
#include <string>

#include "core/schedule/facts.h"
#include "journal/job_folder.h"

namespace windrow {

struct FirstError {
  std::string where;    // the file with the whole story
  std::string text;     // traceback, or type and message
  std::string line;     // of error_line()
  bool script = false;  // it came from the user's code
};

// Takes the error, if there is one, unless what is there came before it and is as good.
void note_first_error(const JobFolder& folder,
                      const AttemptRecord& record,
                      std::optional<FirstError>& first);
void note_first_error(const JobFolder& folder,
                      const fact::LoadEnded& load,
                      std::optional<FirstError>& first);

// Of an earlier run and of this one, each if there is one.
std::optional<FirstError> first_of(std::optional<FirstError> earlier,
                                   std::optional<FirstError> later);

}  // namespace windrow
