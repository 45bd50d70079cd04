// SPDX-License-Identifier: Apache-2.0
/// @file Completions of the C interface as functions and futures. Not API.
#ifndef FLEXSYNC_DETAIL_COMPLETION_HPP
#define FLEXSYNC_DETAIL_COMPLETION_HPP

#include <flexsync/detail/handle.hpp>

#include <chrono>
#include <functional>
#include <future>
#include <optional>

namespace flexsync {

/// Called when a background operation has ended, with an error if it failed. Thread: the loop thread of the app, or for
/// a local realm a thread of the library. An exception that leaves it ends the process.
using completion = std::function<void(std::optional<error>)>;

namespace detail {

inline uint64_t milliseconds(std::chrono::milliseconds time) noexcept {
  return time.count() > 0 ? static_cast<uint64_t>(time.count()) : 0;
}

inline std::optional<error> failure(const flx_error_t *failed) {
  if (!failed) return std::nullopt;
  return error(*failed);
}

inline void call_completion(void *userdata, const flx_error_t *failed) noexcept {
  (*static_cast<completion *>(userdata))(failure(failed));
}

/// Sets a promise to a value or to an error. A promise that is dropped instead breaks its future.
template <typename Result>
struct promised {
  std::shared_ptr<std::promise<Result>> promise = std::make_shared<std::promise<Result>>();

  void fail(const error &error) const { promise->set_exception(std::make_exception_ptr(error)); }
};

/// A future, and the completion that makes it ready with `value`.
template <typename Result, typename... Value>
std::pair<std::future<Result>, completion> future_completion(Value... value) {
  promised<Result> result;
  auto future = result.promise->get_future();
  return {std::move(future), [result, value...](std::optional<error> failed) {
            if (failed) result.fail(*failed);
            else result.promise->set_value(value...);
          }};
}

/// Calls a C function that takes a completion, and returns nothing, after `arguments`.
template <typename Function, typename... Arguments>
void start(completion done, Function function, Arguments... arguments) {
  function(arguments..., call_completion, box(std::move(done)), unbox<completion>);
}

/// The same with a future for the completion.
template <typename Function, typename... Arguments>
std::future<void> start_future(Function function, Arguments... arguments) {
  auto [future, done] = future_completion<void>();
  start(std::move(done), function, arguments...);
  return std::move(future);
}

}  // namespace detail
}  // namespace flexsync

#endif
