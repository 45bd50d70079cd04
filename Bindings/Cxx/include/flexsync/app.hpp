// SPDX-License-Identifier: Apache-2.0
/// @file Apps, users, ways to log in, API keys. Any thread.
///
/// Futures and completions are made ready and called on the loop thread of the app; waiting for a future there blocks
/// forever. They can fail with service_error, connection_failed, tls_failed, bad_response and timed_out, and those of a
/// user also with user_logged_out, user_not_found and invalid_session. `error::server_code` is the server's name for
/// it.
#ifndef FLEXSYNC_APP_HPP
#define FLEXSYNC_APP_HPP

#include <flexsync/realm.hpp>

namespace flexsync {

/// Whether a user can sync; see `flx_user_state_t`.
enum class user_state : int {
  logged_out = FLX_USER_LOGGED_OUT,
  logged_in = FLX_USER_LOGGED_IN,
  removed = FLX_USER_REMOVED,
};

/// Proof of a user's identity. What the server does not allow for the app fails with auth_provider_not_found.
class credentials {
 public:
  static credentials anonymous() { return {FLX_CREDENTIALS_ANONYMOUS, "", ""}; }
  /// A new anonymous user, even if one is already logged in.
  static credentials new_anonymous() { return {FLX_CREDENTIALS_NEW_ANONYMOUS, "", ""}; }
  static credentials username_password(std::string email, std::string password) {
    return {FLX_CREDENTIALS_EMAIL_PASSWORD, std::move(email), std::move(password)};
  }
  static credentials api_key(std::string key) { return {FLX_CREDENTIALS_API_KEY, "", std::move(key)}; }
  /// A JSON Web Token.
  static credentials custom(std::string token) { return {FLX_CREDENTIALS_JWT, "", std::move(token)}; }
  /// A JSON object, whose members are passed to a function of the app.
  static credentials function(std::string payload) { return {FLX_CREDENTIALS_FUNCTION, "", std::move(payload)}; }
  static credentials google_auth_code(std::string code) {
    return {FLX_CREDENTIALS_GOOGLE_AUTH_CODE, "", std::move(code)};
  }
  static credentials google_id_token(std::string token) {
    return {FLX_CREDENTIALS_GOOGLE_ID_TOKEN, "", std::move(token)};
  }
  static credentials apple(std::string token) { return {FLX_CREDENTIALS_APPLE, "", std::move(token)}; }
  static credentials facebook(std::string token) { return {FLX_CREDENTIALS_FACEBOOK, "", std::move(token)}; }

  /// The same for C, which borrows the texts.
  flx_credentials_t native() const {
    flx_credentials_t native{};
    native.kind = kind_;
    native.name = detail::to_c(std::string_view(name_));
    native.secret = detail::to_c(std::string_view(secret_));
    return native;
  }

 private:
  credentials(flx_credentials_kind_t kind, std::string name, std::string secret)
      : kind_(kind), name_(std::move(name)), secret_(std::move(secret)) {}

  flx_credentials_kind_t kind_;
  std::string name_, secret_;
};

/// One identity of a user.
struct user_identity {
  /// The user's id with the provider.
  std::string id;
  /// "anon-user", "local-userpass", "api-key", "custom-token" …
  std::string provider;
};

/// An API key, with which a program can log in as the user.
struct api_key {
  explicit api_key(const flx_api_key_t &native)
      : id(native.id),
        name(detail::string(native.name)),
        key(detail::string(native.key)),
        is_disabled(native.is_disabled) {}

  object_id id;
  std::string name;
  /// The secret; empty except in the result of `create_api_key`.
  std::string key;
  bool is_disabled;
};

/// An event of a stream of changes; see `flx_watch_event_t`.
enum class watch_event : int {
  opened = FLX_WATCH_OPENED,
  changed = FLX_WATCH_CHANGED,
  failed = FLX_WATCH_FAILED,
  closed = FLX_WATCH_CLOSED,
};

class App;

namespace detail {

/// The userdata of a call whose result goes to a promise.
template <typename Result>
struct result_promise : promised<Result> {
  template <typename Make>
  void finish(const flx_error_t *failed, Make make) const noexcept {
    if (failed) this->fail(error(*failed));
    else this->promise->set_value(make());
  }
};

using api_keys_promise = result_promise<std::vector<api_key>>;
inline void finish_api_keys(void *userdata, const flx_api_key_t *keys, size_t count,
                            const flx_error_t *failed) noexcept {
  static_cast<api_keys_promise *>(userdata)->finish(failed, [&] { return std::vector<api_key>(keys, keys + count); });
}

using api_key_promise = result_promise<api_key>;
inline void finish_api_key(void *userdata, const flx_api_key_t *keys, size_t, const flx_error_t *failed) noexcept {
  static_cast<api_key_promise *>(userdata)->finish(failed, [&] { return api_key(*keys); });
}

using text_promise = result_promise<std::string>;
inline void finish_text(void *userdata, flx_string_t text, const flx_error_t *failed) noexcept {
  static_cast<text_promise *>(userdata)->finish(failed, [&] { return string(text); });
}

/// Calls a C function whose completion gives a result to a promise.
template <typename Promise, typename Trampoline, typename Function, typename... Arguments>
auto start_result(Trampoline trampoline, Function function, Arguments... arguments) {
  Promise result;
  auto future = result.promise->get_future();
  function(arguments..., trampoline, box(std::move(result)), unbox<Promise>);
  return future;
}

struct watch_observer {
  std::function<void(watch_event, const std::string &, std::optional<error>)> handler;

  static void call(void *userdata, flx_watch_event_t event, flx_string_t change, const flx_error_t *failed) noexcept {
    static_cast<watch_observer *>(userdata)->handler(static_cast<watch_event>(event), string(change), failure(failed));
  }
};

}  // namespace detail

/// A user of an app. Copies are the same user.
class user {
 public:
  /// Takes over what the library has returned. Not API.
  explicit user(detail::handle<flx_user_t> handle) : handle_(std::move(handle)) {}

  /// The user's id on the server.
  std::string identifier() const { return detail::string(flx_user_id(native_handle())); }
  /// The provider of the identity used at the last login.
  std::string provider() const { return detail::string(flx_user_provider(native_handle())); }
  user_state state() const { return static_cast<user_state>(flx_user_get_state(native_handle())); }
  bool is_logged_in() const { return state() == user_state::logged_in; }
  App app() const;
  /// Empty if the user is logged out.
  std::string access_token() const { return detail::take_text(flx_user_access_token_copy(native_handle())); }
  std::string refresh_token() const { return detail::take_text(flx_user_refresh_token_copy(native_handle())); }

  /// The configuration of a realm with this user's data.
  db_config flexible_sync_configuration() const { return db_config(handle_); }
  /// The sessions of the user's open realms.
  std::vector<sync_session> all_sessions() const {
    std::vector<sync_session> result;
    for (size_t i = 0; i < flx_user_session_count(native_handle()); i++) {
      detail::handle<flx_session_t> session(flx_user_get_session_at(native_handle(), i));
      if (session) result.emplace_back(std::move(session));
    }
    return result;
  }

  /// Logs the user out on this device, and on the server if it can be reached. Files are kept, except an anonymous
  /// user's.
  std::future<void> log_out() const { return detail::start_future(flx_user_log_out, native_handle()); }
  void log_out(completion done) const { detail::start(std::move(done), flx_user_log_out, native_handle()); }
  /// Logs the user out and removes the user and the default realm files from this device. Fails with already_open.
  std::future<void> remove() const { return detail::start_future(flx_user_remove, native_handle()); }
  /// Deletes the account on the server, and removes the user from this device.
  std::future<void> delete_account() const { return detail::start_future(flx_user_delete, native_handle()); }

  /// Adds an identity, with which the user can log in from then on. Fails with invalid_password,
  /// auth_provider_not_found, and invalid_session if the identity belongs to another user.
  std::future<user> link(const credentials &credentials) const;
  std::vector<user_identity> identities() const {
    size_t count = 0;
    detail::handle<flx_user_identity_t> found(flx_user_identities_copy(native_handle(), &count));
    std::vector<user_identity> result;
    for (size_t i = 0; i < count; i++)
      result.push_back({detail::string(found.get()[i].id), detail::string(found.get()[i].provider)});
    return result;
  }
  /// The user's profile as the login providers report it, a JSON object.
  std::string profile() const { return detail::take_text(flx_user_profile_copy(native_handle())); }
  /// The custom data as of the last login or refresh, as a JSON object; nothing if the user has none.
  std::optional<std::string> get_custom_data() const {
    detail::handle<char> text(flx_user_custom_data_copy(native_handle()));
    if (!text) return std::nullopt;
    return std::string(text.get());
  }
  std::future<void> refresh_custom_user_data() const {
    return detail::start_future(flx_user_refresh_custom_data, native_handle());
  }

  /// Creates an API key; only this result has its secret. Fails with api_key_exists.
  std::future<api_key> create_api_key(const std::string &name) const {
    return detail::start_result<detail::api_key_promise>(detail::finish_api_key, flx_user_create_api_key,
                                                         native_handle(), detail::to_c(std::string_view(name)));
  }
  /// Fails, like those below, with api_key_not_found.
  std::future<api_key> fetch_api_key(const object_id &id) const {
    return detail::start_result<detail::api_key_promise>(detail::finish_api_key, flx_user_fetch_api_key,
                                                         native_handle(), &id.native());
  }
  std::future<std::vector<api_key>> fetch_api_keys() const {
    return detail::start_result<detail::api_keys_promise>(detail::finish_api_keys, flx_user_fetch_api_keys,
                                                          native_handle());
  }
  std::future<void> enable_api_key(const object_id &id) const {
    return detail::start_future(flx_user_enable_api_key, native_handle(), &id.native());
  }
  std::future<void> disable_api_key(const object_id &id) const {
    return detail::start_future(flx_user_disable_api_key, native_handle(), &id.native());
  }
  std::future<void> delete_api_key(const object_id &id) const {
    return detail::start_future(flx_user_delete_api_key, native_handle(), &id.native());
  }

  /// Calls a function of the app, or of a service such as "mongodb-atlas". Arguments, a JSON array, and the result are
  /// Extended JSON. Fails with service_error; `flexsyncd` has no functions.
  std::future<std::string> call_function(const std::string &name, const std::string &arguments = "",
                                         const std::string &service = "") const {
    return detail::start_result<detail::text_promise>(
        detail::finish_text, flx_user_call_function, native_handle(), detail::to_c(std::string_view(name)),
        detail::to_c(std::string_view(arguments)), detail::to_c(std::string_view(service)));
  }
  /// Watches a collection of a service until the token is destroyed; see `flx_user_watch`. Thread of the handler: the
  /// loop thread.
  notification_token watch(
      const std::string &arguments, const std::string &service,
      std::function<void(watch_event, const std::string &change, std::optional<error>)> handler) const {
    return detail::observe(detail::watch_observer{std::move(handler)}, detail::watch_observer::call, flx_user_watch,
                           native_handle(), detail::to_c(std::string_view(arguments)),
                           detail::to_c(std::string_view(service)));
  }
  /// Registers this device for push messages of a service, or with an empty token ends its registration.
  std::future<void> register_push(const std::string &service, const std::string &token) const {
    return detail::start_future(flx_user_register_push, native_handle(), detail::to_c(std::string_view(service)),
                                detail::to_c(std::string_view(token)));
  }

  friend bool operator==(const user &left, const user &right) { return left.native_handle() == right.native_handle(); }
  friend bool operator!=(const user &left, const user &right) { return !(left == right); }
  flx_user_t *native_handle() const noexcept { return handle_.get(); }

 private:
  std::shared_ptr<flx_user_t> handle_;
};

namespace detail {

using user_promise = result_promise<user>;
inline void finish_user(void *userdata, flx_user_t *native, const flx_error_t *failed) noexcept {
  static_cast<user_promise *>(userdata)->finish(failed, [&] { return user(handle<flx_user_t>(native)); });
}

inline std::optional<user> take_user(flx_user_t *native) {
  handle<flx_user_t> owned(native);
  if (!owned) return std::nullopt;
  return user(std::move(owned));
}

}  // namespace detail

inline std::future<user> user::link(const credentials &credentials) const {
  flx_credentials_t native = credentials.native();
  return detail::start_result<detail::user_promise>(detail::finish_user, flx_user_link, native_handle(), &native);
}

inline user sync_session::user() const {
  return flexsync::user(detail::handle<flx_user_t>(flx_session_get_user(native_handle())));
}

/// The owner of an app's event loop: the library or the program. See `flx_loop_mode_t`.
enum class loop_mode : int {
  /// The library, on a thread of its own.
  own_thread = FLX_LOOP_OWN_THREAD,
  /// The program, which passes its `uv_loop_t`.
  host_uv = FLX_LOOP_HOST_UV,
  /// The program, which calls `App::pump`. There, waiting for a future needs a loop that pumps until it is ready.
  poll = FLX_LOOP_POLL,
};

/// The times of sync connections; 0 means the default. See `flx_sync_timeouts_t`.
struct sync_timeouts {
  std::chrono::milliseconds connect{}, connection_linger{}, ping_period{}, pong_timeout{}, fast_reconnect{};
};

using http_headers = std::vector<std::pair<std::string, std::string>>;

/// An HTTP request of the library, for a transport of the program.
struct http_request {
  std::string method, url, body;
  http_headers headers;
  /// The time for the entire request.
  std::chrono::milliseconds timeout{};
};

struct http_response {
  int status = 0;
  http_headers headers;
  std::string body;
};

/// Receives the response to a request or, if there is none, an error.
using http_completion = std::function<void(const http_response &, std::optional<error>)>;

/// An app on a server. Copies are the same app, and so are those of the same id, base URL and storage folder.
class App {
 public:
  struct configuration {
    /// The app id as known to the server. Required.
    std::string app_id;
    /// The URL of the server. Required.
    std::string base_url;
    /// A folder for credentials and default realm files; created if missing. Required.
    std::string path;
    /// A PEM file with the certificates to trust instead of the system's.
    std::string trusted_certificates_file;
    /// 0 means 60 s and 120 s.
    std::chrono::milliseconds request_timeout{}, connect_timeout{};
    flexsync::loop_mode loop_mode = flexsync::loop_mode::own_thread;
    /// The `uv_loop_t *` for `loop_mode::host_uv`.
    void *uv_loop = nullptr;
  };
  using credentials = flexsync::credentials;

  /// Opens the app and reads the cached users, without using the network. Throws invalid_argument, io,
  /// permission_denied.
  explicit App(const configuration &settings) {
    flx_app_config_t native{};
    native.struct_size = sizeof native;
    native.app_id = detail::to_c(std::string_view(settings.app_id));
    native.base_url = detail::to_c(std::string_view(settings.base_url));
    native.storage_directory = detail::to_c(std::string_view(settings.path));
    native.trusted_certificates_file = detail::to_c(std::string_view(settings.trusted_certificates_file));
    native.request_timeout_ms = detail::milliseconds(settings.request_timeout);
    native.connect_timeout_ms = detail::milliseconds(settings.connect_timeout);
    native.loop_mode = static_cast<flx_loop_mode_t>(settings.loop_mode);
    native.uv_loop = settings.uv_loop;
    handle_ = detail::make<flx_app_t>(flx_app_create, &native);
  }
  /// Takes over what the library has returned. Not API.
  explicit App(detail::handle<flx_app_t> handle) : handle_(std::move(handle)) {}

  std::string app_id() const { return detail::string(flx_app_id(native_handle())); }

  // Users

  /// Registers an account, without logging in. Fails with account_name_in_use.
  std::future<void> register_user(const std::string &email, const std::string &password) const {
    return detail::start_future(flx_app_register_email, native_handle(), text(email), text(password));
  }
  /// Logs in and makes the user the current one. Fails with invalid_password, auth_provider_not_found, user_disabled.
  std::future<user> login(const credentials &proof) const {
    flx_credentials_t native = proof.native();
    return detail::start_result<detail::user_promise>(detail::finish_user, flx_app_log_in, native_handle(), &native);
  }
  /// The user who last logged in or was switched to.
  std::optional<user> get_current_user() const { return detail::take_user(flx_app_get_current_user(native_handle())); }
  /// The users stored on this device, logged in or not.
  std::vector<user> all_users() const {
    std::vector<user> result;
    for (size_t i = 0; i < flx_app_user_count(native_handle()); i++) {
      auto user = detail::take_user(flx_app_get_user_at(native_handle(), i));
      if (user) result.push_back(std::move(*user));
    }
    return result;
  }
  /// Makes a logged-in user the current one. Throws user_logged_out, user_not_found.
  void switch_user(const user &user) const { detail::call(flx_app_switch_user, native_handle(), user.native_handle()); }

  // Accounts with email and password

  std::future<void> confirm_user(const std::string &token, const std::string &token_id) const {
    return detail::start_future(flx_app_confirm_email, native_handle(), text(token), text(token_id));
  }
  std::future<void> resend_confirmation_email(const std::string &email) const {
    return detail::start_future(flx_app_resend_confirmation, native_handle(), text(email));
  }
  std::future<void> retry_custom_confirmation(const std::string &email) const {
    return detail::start_future(flx_app_retry_confirmation_function, native_handle(), text(email));
  }
  std::future<void> send_reset_password_email(const std::string &email) const {
    return detail::start_future(flx_app_send_password_reset, native_handle(), text(email));
  }
  std::future<void> reset_password(const std::string &password, const std::string &token,
                                   const std::string &token_id) const {
    return detail::start_future(flx_app_reset_password, native_handle(), text(password), text(token), text(token_id));
  }
  /// `arguments` is a JSON array of further arguments for the function.
  std::future<void> call_reset_password_function(const std::string &email, const std::string &password,
                                                 const std::string &arguments = "") const {
    return detail::start_future(flx_app_call_password_reset_function, native_handle(), text(email), text(password),
                                text(arguments));
  }

  // Sync and HTTP

  /// Sets the handler for the errors of all sessions; an empty one removes it. Set it before opening the first realm.
  /// Thread: the loop thread.
  void set_error_handler(std::function<void(sync_session, const sync_error &)> handler) const {
    if (!handler) return flx_app_set_error_handler(native_handle(), nullptr, nullptr, nullptr);
    flx_app_set_error_handler(native_handle(), detail::sync_error_handler::call,
                              detail::box(detail::sync_error_handler{std::move(handler)}),
                              detail::unbox<detail::sync_error_handler>);
  }
  void set_sync_timeouts(const sync_timeouts &timeouts) const {
    flx_sync_timeouts_t native{};
    native.struct_size = sizeof native;
    native.connect_ms = detail::milliseconds(timeouts.connect);
    native.connection_linger_ms = detail::milliseconds(timeouts.connection_linger);
    native.ping_period_ms = detail::milliseconds(timeouts.ping_period);
    native.pong_timeout_ms = detail::milliseconds(timeouts.pong_timeout);
    native.fast_reconnect_ms = detail::milliseconds(timeouts.fast_reconnect);
    detail::call(flx_app_set_sync_timeouts, native_handle(), &native);
  }
  /// Sets headers for all requests to the server. Open sessions connect again.
  void set_request_headers(const http_headers &headers) const {
    auto native = native_headers(headers);
    detail::call(flx_app_set_request_headers, native_handle(), native.data(), native.size());
  }
  /// Sets the name of the header with the user's token; empty for `Authorization`.
  void set_authorization_header(const std::string &name) const {
    detail::call(flx_app_set_authorization_header, native_handle(), text(name));
  }
  /// Sets what is appended to the `User-Agent` header of sync connections.
  void set_user_agent(const std::string &agent) const {
    detail::call(flx_app_set_user_agent, native_handle(), text(agent));
  }
  std::string get_base_url() const { return detail::take_text(flx_app_base_url_copy(native_handle())); }
  /// Moves the app to a server at another URL. Fails with invalid_argument, app_not_found.
  std::future<void> update_base_url(const std::string &base_url) const {
    return detail::start_future(flx_app_update_base_url, native_handle(), text(base_url));
  }
  /// Makes the library pass its HTTP requests to `transport`, which must call the completion exactly once, on any
  /// thread; an empty one makes the library perform them itself. Thread of the transport: the loop thread.
  void set_http_transport(std::function<void(const App &, const http_request &, http_completion)> transport) const;
  /// Performs a request with the library's HTTP client, for such a transport. Any HTTP status is a success.
  void perform_http_request(const http_request &request, http_completion done) const;

  // The event loop

  /// With `loop_mode::poll`, a descriptor that becomes readable when `pump` has work to do; otherwise -1.
  int poll_descriptor() const { return flx_app_poll_descriptor(native_handle()); }
  /// With `loop_mode::poll`, does the work that is due, and returns the time until the next timer, if there is one.
  /// Throws unsupported in the other modes.
  std::optional<std::chrono::milliseconds> pump() const {
    auto next = detail::fetch<int64_t>(flx_app_pump, native_handle());
    if (next < 0) return std::nullopt;
    return std::chrono::milliseconds(next);
  }
  flx_app_t *native_handle() const noexcept { return handle_.get(); }

 private:
  static flx_string_t text(const std::string &text) { return detail::to_c(std::string_view(text)); }
  static std::vector<flx_http_header_t> native_headers(const http_headers &headers) {
    std::vector<flx_http_header_t> result;
    for (auto &[name, value] : headers) result.push_back({text(name), text(value)});
    return result;
  }
  static http_headers copy_headers(const flx_http_header_t *headers, size_t count) {
    http_headers result;
    for (size_t i = 0; i < count; i++)
      result.emplace_back(detail::string(headers[i].name), detail::string(headers[i].value));
    return result;
  }
  static void finish_request(void *userdata, const flx_http_response_t *native, const flx_error_t *failed) noexcept;

  struct http_transport {
    std::function<void(const App &, const http_request &, http_completion)> perform;

    static void call(void *userdata, flx_app_t *app, const flx_http_request_t *request, flx_http_completion_t done,
                     void *completion_userdata) noexcept;
  };

  std::shared_ptr<flx_app_t> handle_;
};

inline App user::app() const { return App(detail::handle<flx_app_t>(flx_app_retain(flx_user_app(native_handle())))); }

inline void App::http_transport::call(void *userdata, flx_app_t *app, const flx_http_request_t *request,
                                      flx_http_completion_t done, void *completion_userdata) noexcept {
  http_request copy;
  copy.method = detail::string(request->method);
  copy.url = detail::string(request->url);
  copy.body = detail::string(request->body);
  copy.headers = copy_headers(request->headers, request->header_count);
  copy.timeout = std::chrono::milliseconds(request->timeout_ms);
  auto finish = [done, completion_userdata](const http_response &response, std::optional<error> failed) {
    if (failed) {
      flx_error_t native{};
      native.status = static_cast<flx_status_t>(failed->status());
      std::snprintf(native.message, sizeof native.message, "%s", failed->what());
      return done(completion_userdata, nullptr, &native);
    }
    auto headers = native_headers(response.headers);
    flx_http_response_t native{};
    native.status = response.status;
    native.headers = headers.data();
    native.header_count = headers.size();
    native.body = text(response.body);
    done(completion_userdata, &native, nullptr);
  };
  App owned(detail::handle<flx_app_t>(flx_app_retain(app)));
  static_cast<http_transport *>(userdata)->perform(owned, copy, finish);
}

inline void App::set_http_transport(
    std::function<void(const App &, const http_request &, http_completion)> transport) const {
  if (!transport) return flx_app_set_http_transport(native_handle(), nullptr, nullptr, nullptr);
  flx_app_set_http_transport(native_handle(), http_transport::call, detail::box(http_transport{std::move(transport)}),
                             detail::unbox<http_transport>);
}

inline void App::finish_request(void *userdata, const flx_http_response_t *native, const flx_error_t *failed) noexcept {
  http_response response;
  if (native) {
    response.status = native->status;
    response.headers = copy_headers(native->headers, native->header_count);
    response.body = detail::string(native->body);
  }
  (*static_cast<http_completion *>(userdata))(response, detail::failure(failed));
}

inline void App::perform_http_request(const http_request &request, http_completion done) const {
  auto headers = native_headers(request.headers);
  flx_http_request_t native{};
  native.method = text(request.method);
  native.url = text(request.url);
  native.headers = headers.data();
  native.header_count = headers.size();
  native.body = text(request.body);
  native.timeout_ms = detail::milliseconds(request.timeout);
  flx_app_perform_http_request(native_handle(), &native, finish_request, detail::box(std::move(done)),
                               detail::unbox<http_completion>);
}

/// The severity of a log line. A threshold lets through lines that are at least as severe.
enum class log_level : int {
  all = FLX_LOG_ALL,
  trace = FLX_LOG_TRACE,
  debug = FLX_LOG_DEBUG,
  detail = FLX_LOG_DETAIL,
  info = FLX_LOG_INFO,
  warn = FLX_LOG_WARN,
  error = FLX_LOG_ERROR,
  fatal = FLX_LOG_FATAL,
  off = FLX_LOG_OFF,
};

namespace detail {

struct logger {
  std::function<void(log_level, std::string_view)> write;

  static void call(void *userdata, flx_log_level_t level, flx_string_t message) noexcept {
    static_cast<logger *>(userdata)->write(static_cast<log_level>(level), view(message));
  }
};

}  // namespace detail

/// Sends the log of the process to `write`; an empty function sends it to standard error again. Thread of `write`: any,
/// possibly several at once.
inline void set_logger(log_level threshold, std::function<void(log_level, std::string_view message)> write = {}) {
  auto level = static_cast<flx_log_level_t>(threshold);
  if (!write) return flx_set_logger(level, nullptr, nullptr, nullptr);
  flx_set_logger(level, detail::logger::call, detail::box(detail::logger{std::move(write)}),
                 detail::unbox<detail::logger>);
}

/// The version of the loaded library, such as "0.1.0".
inline std::string_view version() { return flx_version(); }

}  // namespace flexsync

#endif
