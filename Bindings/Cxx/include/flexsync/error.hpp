// SPDX-License-Identifier: Apache-2.0
/// @file Statuses and the exception that all functions of this interface throw.
#ifndef FLEXSYNC_ERROR_HPP
#define FLEXSYNC_ERROR_HPP

#include <flexsync.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace flexsync {

/// The kind of failure that an `error` reports. The meaning of each is in `FLX_STATUS_MAP` (flexsync/error.h). A later
/// version may have more.
enum class status : int {
  ok = FLX_STATUS_OK,
  invalid_argument = FLX_STATUS_INVALID_ARGUMENT,
  unsupported = FLX_STATUS_UNSUPPORTED,
  internal = FLX_STATUS_INTERNAL,
  canceled = FLX_STATUS_CANCELED,
  timed_out = FLX_STATUS_TIMED_OUT,

  io = FLX_STATUS_IO,
  disk_full = FLX_STATUS_DISK_FULL,
  busy = FLX_STATUS_BUSY,
  not_a_database = FLX_STATUS_NOT_A_DATABASE,
  corrupt = FLX_STATUS_CORRUPT,
  permission_denied = FLX_STATUS_PERMISSION_DENIED,
  already_open = FLX_STATUS_ALREADY_OPEN,
  multiple_sync_agents = FLX_STATUS_MULTIPLE_SYNC_AGENTS,
  incompatible_file = FLX_STATUS_INCOMPATIBLE_FILE,
  file_exists = FLX_STATUS_FILE_EXISTS,

  schema_mismatch = FLX_STATUS_SCHEMA_MISMATCH,
  no_such_class = FLX_STATUS_NO_SUCH_CLASS,
  no_such_property = FLX_STATUS_NO_SUCH_PROPERTY,
  type_mismatch = FLX_STATUS_TYPE_MISMATCH,
  null_not_allowed = FLX_STATUS_NULL_NOT_ALLOWED,
  duplicate_primary_key = FLX_STATUS_DUPLICATE_PRIMARY_KEY,
  object_invalidated = FLX_STATUS_OBJECT_INVALIDATED,
  index_out_of_bounds = FLX_STATUS_INDEX_OUT_OF_BOUNDS,
  not_in_write_transaction = FLX_STATUS_NOT_IN_WRITE_TRANSACTION,
  in_write_transaction = FLX_STATUS_IN_WRITE_TRANSACTION,
  value_too_large = FLX_STATUS_VALUE_TOO_LARGE,
  wrong_thread = FLX_STATUS_WRONG_THREAD,
  invalid_schema_version = FLX_STATUS_INVALID_SCHEMA_VERSION,

  query_syntax = FLX_STATUS_QUERY_SYNTAX,
  query_invalid = FLX_STATUS_QUERY_INVALID,
  query_argument = FLX_STATUS_QUERY_ARGUMENT,

  not_synced = FLX_STATUS_NOT_SYNCED,
  no_subscription_for_write = FLX_STATUS_NO_SUBSCRIPTION_FOR_WRITE,
  subscription_exists = FLX_STATUS_SUBSCRIPTION_EXISTS,
  subscription_not_found = FLX_STATUS_SUBSCRIPTION_NOT_FOUND,
  subscription_class_mismatch = FLX_STATUS_SUBSCRIPTION_CLASS_MISMATCH,
  subscription_failed = FLX_STATUS_SUBSCRIPTION_FAILED,
  subscription_superseded = FLX_STATUS_SUBSCRIPTION_SUPERSEDED,
  subscription_update_open = FLX_STATUS_SUBSCRIPTION_UPDATE_OPEN,

  connection_failed = FLX_STATUS_CONNECTION_FAILED,
  tls_failed = FLX_STATUS_TLS_FAILED,
  bad_response = FLX_STATUS_BAD_RESPONSE,
  service_error = FLX_STATUS_SERVICE_ERROR,
  invalid_password = FLX_STATUS_INVALID_PASSWORD,
  account_name_in_use = FLX_STATUS_ACCOUNT_NAME_IN_USE,
  user_not_found = FLX_STATUS_USER_NOT_FOUND,
  invalid_session = FLX_STATUS_INVALID_SESSION,
  user_logged_out = FLX_STATUS_USER_LOGGED_OUT,
  app_not_found = FLX_STATUS_APP_NOT_FOUND,
  auth_provider_not_found = FLX_STATUS_AUTH_PROVIDER_NOT_FOUND,
  user_disabled = FLX_STATUS_USER_DISABLED,
  user_already_confirmed = FLX_STATUS_USER_ALREADY_CONFIRMED,
  api_key_not_found = FLX_STATUS_API_KEY_NOT_FOUND,
  api_key_exists = FLX_STATUS_API_KEY_EXISTS,

  session_inactive = FLX_STATUS_SESSION_INACTIVE,
  session_failed = FLX_STATUS_SESSION_FAILED,
  write_rejected = FLX_STATUS_WRITE_REJECTED,
  client_reset = FLX_STATUS_CLIENT_RESET,
  server_warning = FLX_STATUS_SERVER_WARNING,
  protocol_error = FLX_STATUS_PROTOCOL_ERROR,
  client_reset_failed = FLX_STATUS_CLIENT_RESET_FAILED,
};

/// The name of a status, such as "DISK_FULL". Any thread.
inline std::string_view to_string(status status) { return flx_status_name(static_cast<flx_status_t>(status)); }

/// A failed operation. `what()` says what happened, to what, and what to do about it. Decide by `status()`: the texts
/// may change.
class error : public std::runtime_error {
 public:
  error(flexsync::status status, const std::string &message) : std::runtime_error(message), status_(status) {}
  explicit error(const flx_error_t &native)
      : std::runtime_error(native.message),
        status_(static_cast<flexsync::status>(native.status)),
        code_(native.code),
        server_code_(native.server_code),
        server_log_url_(native.server_log_url) {}

  flexsync::status status() const noexcept { return status_; }
  /// A more specific code, or 0: from SQLite for files, HTTP for apps, the sync protocol for sessions.
  int code() const noexcept { return code_; }
  /// The server's name for the error of an app's request, such as "AuthProviderNotFound"; empty if there is none.
  const std::string &server_code() const noexcept { return server_code_; }
  /// The URL of the server's log of an app's failed request; empty if there is none.
  const std::string &server_log_url() const noexcept { return server_log_url_; }

 private:
  flexsync::status status_;
  int code_ = 0;
  std::string server_code_, server_log_url_;
};

namespace detail {

/// Calls a C function, whose last parameter receives the error, and throws that error if the function fails.
template <typename Function, typename... Arguments>
void call(Function function, Arguments... arguments) {
  flx_error_t failure;
  if (function(arguments..., &failure) != FLX_STATUS_OK) throw error(failure);
}

/// Calls a C function and returns what it writes to the last parameter before the error.
template <typename Result, typename Function, typename... Arguments>
Result fetch(Function function, Arguments... arguments) {
  Result result{};
  call(function, arguments..., &result);
  return result;
}

inline flx_string_t to_c(std::string_view text) noexcept { return {text.data(), text.size()}; }
inline std::string_view view(flx_string_t text) noexcept { return {text.size ? text.data : "", text.size}; }
inline std::string string(flx_string_t text) { return std::string(view(text)); }

}  // namespace detail
}  // namespace flexsync

#endif
