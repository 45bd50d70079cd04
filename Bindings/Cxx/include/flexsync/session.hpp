// SPDX-License-Identifier: Apache-2.0
/// @file Sync sessions: state, waiting, progress and errors. Any thread.
///
/// A future of a session must not be waited for on the loop thread of the app, which makes it ready.
#ifndef FLEXSYNC_SESSION_HPP
#define FLEXSYNC_SESSION_HPP

#include <flexsync/detail/completion.hpp>
#include <flexsync/values.hpp>

namespace flexsync {

class user;

/// Whether a session syncs; see `flx_session_state_t`.
enum class session_state : int {
  active = FLX_SESSION_ACTIVE,
  /// Suspended, logged out, or ended by a fatal error.
  inactive = FLX_SESSION_INACTIVE,
  closed = FLX_SESSION_CLOSED,
};

enum class connection_state : int {
  disconnected = FLX_CONNECTION_DISCONNECTED,
  connecting = FLX_CONNECTION_CONNECTING,
  connected = FLX_CONNECTION_CONNECTED,
};

enum class direction : int { upload = FLX_DIRECTION_UPLOAD, download = FLX_DIRECTION_DOWNLOAD };

/// The progress of a transfer.
struct progress {
  explicit progress(const flx_progress_t &native)
      : estimate(native.estimate),
        transferred_bytes(native.transferred_bytes),
        transferrable_bytes(native.transferrable_bytes) {}

  /// From 0 to 1, where 1 means done. For downloads, it is the server's estimate.
  double estimate;
  uint64_t transferred_bytes, transferrable_bytes;
};

/// A write that the server reverted. The realm keeps what was written: `db::rejected_writes`.
struct compensating_write {
  std::string object_class_name;
  mixed primary_key;
  std::string reason;
};

/// An error of a sync session.
struct sync_error {
  explicit sync_error(const flx_sync_error_t &native)
      : status(static_cast<flexsync::status>(native.status)),
        protocol_code(native.protocol_code),
        is_fatal(native.is_fatal),
        message(detail::string(native.message)),
        server_log_url(detail::string(native.server_log_url)),
        recovery_path(detail::string(native.recovery_path)) {
    for (size_t i = 0; i < native.compensating_write_count; i++) {
      const flx_compensating_write_t &write = native.compensating_writes[i];
      compensating_writes.push_back(
          {detail::string(write.class_name), detail::from_c(write.primary_key), detail::string(write.reason)});
    }
  }

  flexsync::status status;
  /// The code of the sync protocol, or 0.
  int protocol_code;
  /// Whether the session has ended and will not resume by itself.
  bool is_fatal;
  std::string message, server_log_url;
  std::vector<compensating_write> compensating_writes;
  /// For a client reset that is left to the program, the path to which the file is backed up before it is deleted. For
  /// invalid_session, the path of the file, which stays, with what was not uploaded: `db_config(path).set_read_only()`
  /// opens it.
  std::string recovery_path;
};

namespace detail {

struct connection_observer {
  std::function<void(connection_state, connection_state)> handler;

  static void call(void *userdata, flx_connection_state_t before, flx_connection_state_t after) noexcept {
    static_cast<connection_observer *>(userdata)->handler(static_cast<connection_state>(before),
                                                          static_cast<connection_state>(after));
  }
};

struct progress_observer {
  std::function<void(const progress &)> handler;

  static void call(void *userdata, const flx_progress_t *native) noexcept {
    static_cast<progress_observer *>(userdata)->handler(progress(*native));
  }
};

}  // namespace detail

/// The sync session of a realm, shared by all its handles. Copies are the same session.
class sync_session {
 public:
  /// Takes over what the library has returned. Not API.
  explicit sync_session(detail::handle<flx_session_t> handle) : handle_(std::move(handle)) {}

  /// Whether this process syncs the file, or tries to, or waits to become its sync agent.
  session_state state() const { return static_cast<session_state>(flx_session_get_state(native_handle())); }
  /// The state of this process's own connection, which only the sync agent has.
  flexsync::connection_state connection_state() const {
    return static_cast<flexsync::connection_state>(flx_session_get_connection_state(native_handle()));
  }
  /// Whether this process is the sync agent of the file: of the processes that have the realm open, the one that connects to
  /// the server, for all of them. If it closes the realm, suspends its session or ends, another process becomes the sync
  /// agent.
  bool is_sync_agent() const { return flx_session_is_sync_agent(native_handle()); }
  /// The path of the file that the session syncs.
  std::string path() const { return detail::string(flx_session_path(native_handle())); }
  /// The user whose data the session syncs.
  flexsync::user user() const;

  /// Stops syncing in this process until `resume`; local writes are kept. If other processes have the realm open, one of
  /// them syncs it meanwhile.
  void suspend() { flx_session_suspend(native_handle()); }
  void pause() { suspend(); }
  void resume() { flx_session_resume(native_handle()); }
  /// Reconnects now instead of waiting for the back-off to end.
  void reconnect() { flx_session_reconnect(native_handle()); }

  /// Ready when everything committed before this call is on the server. Fails with session_inactive, session_failed,
  /// timed_out.
  /// @param timeout 0 waits indefinitely.
  std::future<void> wait_for_upload_completion(std::chrono::milliseconds timeout = {}) const {
    return wait(FLX_DIRECTION_UPLOAD, timeout);
  }
  /// Ready when everything that the server had when it received the request is on the device: refresh the realm then.
  std::future<void> wait_for_download_completion(std::chrono::milliseconds timeout = {}) const {
    return wait(FLX_DIRECTION_DOWNLOAD, timeout);
  }
  /// The same, calling a function on the loop thread.
  void wait_for_upload_completion(completion done, std::chrono::milliseconds timeout = {}) const {
    detail::start(std::move(done), flx_session_wait, native_handle(), FLX_DIRECTION_UPLOAD,
                  detail::milliseconds(timeout));
  }
  void wait_for_download_completion(completion done, std::chrono::milliseconds timeout = {}) const {
    detail::start(std::move(done), flx_session_wait, native_handle(), FLX_DIRECTION_DOWNLOAD,
                  detail::milliseconds(timeout));
  }

  /// Calls `handler` with the old and the new state on the loop thread, until the token is destroyed.
  notification_token observe_connection_change(
      std::function<void(flexsync::connection_state, flexsync::connection_state)> handler) const {
    return detail::observe(detail::connection_observer{std::move(handler)}, detail::connection_observer::call,
                           flx_session_observe_connection, native_handle());
  }
  /// Calls `handler` with the progress of transfers on the loop thread, until the token is destroyed or, with
  /// `only_outstanding`, the work that is now outstanding is done.
  notification_token observe_progress(flexsync::direction direction, std::function<void(const progress &)> handler,
                                      bool only_outstanding = false) const {
    return detail::observe(detail::progress_observer{std::move(handler)}, detail::progress_observer::call,
                           flx_session_observe_progress, native_handle(), static_cast<flx_direction_t>(direction),
                           only_outstanding);
  }

  /// Backs up and deletes the file if a client reset is due that is left to the program; returns whether one was.
  /// Throws already_open while the realm or anything obtained from it exists or another process has the file open, and
  /// multiple_sync_agents if another process syncs it.
  bool perform_client_reset() { return detail::fetch<bool>(flx_session_perform_client_reset, native_handle()); }
  flx_session_t *native_handle() const noexcept { return handle_.get(); }

 private:
  std::future<void> wait(flx_direction_t direction, std::chrono::milliseconds timeout) const {
    return detail::start_future(flx_session_wait, native_handle(), direction, detail::milliseconds(timeout));
  }

  std::shared_ptr<flx_session_t> handle_;
};

namespace detail {

/// The userdata of a handler of session errors.
struct sync_error_handler {
  std::function<void(sync_session, const sync_error &)> handler;

  static void call(void *userdata, flx_session_t *session, const flx_sync_error_t *error) noexcept {
    handle<flx_session_t> owned(flx_session_retain(session));
    static_cast<sync_error_handler *>(userdata)->handler(sync_session(std::move(owned)), sync_error(*error));
  }
};

}  // namespace detail
}  // namespace flexsync

#endif
