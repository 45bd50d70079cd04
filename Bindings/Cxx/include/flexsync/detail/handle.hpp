// SPDX-License-Identifier: Apache-2.0
/// @file Owned handles of the C interface. Not API.
#ifndef FLEXSYNC_DETAIL_HANDLE_HPP
#define FLEXSYNC_DETAIL_HANDLE_HPP

#include <flexsync/error.hpp>

#include <memory>

namespace flexsync::detail {

/// Releases a handle of any type, or memory that the library has allocated.
struct releaser {
  void operator()(flx_app_t *handle) const noexcept { flx_app_release(handle); }
  void operator()(flx_user_t *handle) const noexcept { flx_user_release(handle); }
  void operator()(flx_object_t *handle) const noexcept { flx_object_release(handle); }
  void operator()(flx_list_t *handle) const noexcept { flx_list_release(handle); }
  void operator()(flx_set_t *handle) const noexcept { flx_set_release(handle); }
  void operator()(flx_dictionary_t *handle) const noexcept { flx_dictionary_release(handle); }
  void operator()(flx_query_t *handle) const noexcept { flx_query_release(handle); }
  void operator()(flx_results_t *handle) const noexcept { flx_results_release(handle); }
  void operator()(flx_notification_token_t *handle) const noexcept { flx_notification_token_release(handle); }
  void operator()(flx_subscription_set_t *handle) const noexcept { flx_subscription_set_release(handle); }
  void operator()(flx_subscription_update_t *handle) const noexcept { flx_subscription_update_cancel(handle); }
  void operator()(flx_session_t *handle) const noexcept { flx_session_release(handle); }
  void operator()(flx_reference_t *handle) const noexcept { flx_reference_release(handle); }
  void operator()(flx_rejected_writes_t *handle) const noexcept { flx_rejected_writes_release(handle); }
  void operator()(void *memory) const noexcept { flx_free(memory); }
};

template <typename Type>
using handle = std::unique_ptr<Type, releaser>;

/// Calls a C function that returns an owned handle through the last parameter before the error.
template <typename Type, typename Function, typename... Arguments>
handle<Type> make(Function function, Arguments... arguments) {
  return handle<Type>(fetch<Type *>(function, arguments...));
}

/// Takes over zero-terminated text that the library has allocated; empty text for NULL.
inline std::string take_text(char *text) {
  handle<char> owner(text);
  return owner ? std::string(owner.get()) : std::string();
}

/// The userdata of a callback: a copy of `value` that `unbox` frees.
template <typename Type>
void *box(Type value) {
  return new Type(std::move(value));
}
template <typename Type>
void unbox(void *userdata) noexcept {
  delete static_cast<Type *>(userdata);
}

}  // namespace flexsync::detail

namespace flexsync {

/// An observation, which ends when its token is destroyed or `unregister` is called. Any thread.
///
/// Once `unregister` has returned, no further call begins; it does not wait for one that runs on another thread.
class notification_token {
 public:
  notification_token() = default;
  explicit notification_token(flx_notification_token_t *handle) noexcept : handle_(handle) {}
  /// Ends the observation.
  void unregister() noexcept { handle_.reset(); }
  explicit operator bool() const noexcept { return handle_ != nullptr; }
  flx_notification_token_t *native_handle() const noexcept { return handle_.get(); }

 private:
  detail::handle<flx_notification_token_t> handle_;
};

namespace detail {

/// Calls a C function that observes something. Exceptions of `callback` end the process: they cannot pass the library.
template <typename Callback, typename Function, typename Trampoline, typename... Arguments>
notification_token observe(Callback callback, Trampoline trampoline, Function function, Arguments... arguments) {
  return notification_token(
      fetch<flx_notification_token_t *>(function, arguments..., trampoline, box(std::move(callback)), unbox<Callback>));
}

}  // namespace detail
}  // namespace flexsync

#endif
