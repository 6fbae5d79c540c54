// SPDX-License-Identifier: Apache-2.0
//
// Result<T>: a value, or an Error that a person can act on.
//
// For what the user, the network or the disk can cause. Our own bugs are CHECKs; a failing user
// script is an event, not an error.
#pragma once

#include <expected>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace windrow {

enum class ErrorCode {
  kInvalid,      // the request can never work as it is: exit 2, HTTP 400
  kNotFound,     // the named thing does not exist: exit 3, HTTP 404
  kConflict,     // something stands in the way: exit 2, HTTP 409
  kUnavailable,  // may work later (disk full, no permission now): exit 1, HTTP 503
  kInternal,     // data that contradicts itself: exit 1, HTTP 500
};

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;  // one sentence, lower case, no full stop, names the thing at fault
};

template <class T>
struct [[nodiscard]] Result : std::expected<T, Error> {
  using std::expected<T, Error>::expected;
};

using Status = Result<void>;

template <class... Args>
std::unexpected<Error> fail(ErrorCode code, fmt::format_string<Args...> text, Args&&... args) {
  return std::unexpected(Error{code, fmt::format(text, std::forward<Args>(args)...)});
}

}  // namespace windrow

#define WINDROW_JOIN_INNER(a, b) a##b
#define WINDROW_JOIN(a, b) WINDROW_JOIN_INNER(a, b)

// ASSIGN_OR_RETURN(const auto value, function_that_returns_a_result());
#define ASSIGN_OR_RETURN(declaration, expression)                               \
  auto WINDROW_JOIN(result_, __LINE__) = (expression);                          \
  if (!WINDROW_JOIN(result_, __LINE__)) {                                       \
    return std::unexpected(std::move(WINDROW_JOIN(result_, __LINE__)).error()); \
  }                                                                             \
  declaration = *std::move(WINDROW_JOIN(result_, __LINE__))  // NOLINT(bugprone-macro-parentheses)

#define RETURN_IF_ERROR(expression)                       \
  do {                                                    \
    if (auto status_ = (expression); !status_) {          \
      return std::unexpected(std::move(status_).error()); \
    }                                                     \
  } while (false)
