// SPDX-License-Identifier: Apache-2.0
//
// The file that an item of the plan is, or lies in, by what the items of the job are.
#pragma once

#include <string_view>

#include "core/plan/row_name.h"
#include "core/plan/stretch_name.h"
#include "core/spec/job_spec.h"

namespace windrow {

inline std::string_view file_of_item(std::string_view name, InputAs items) {
  switch (items) {
    case InputAs::kFiles:
      return name;
    case InputAs::kJsonLines:
      return file_of_row(name);
    case InputAs::kTable:
      return file_of_stretch(name);
  }
  return name;
}

}  // namespace windrow
