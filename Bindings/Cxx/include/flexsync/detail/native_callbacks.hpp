// SPDX-License-Identifier: Apache-2.0
/// @file The callbacks of a configuration. Included by realm.hpp, which declares what they get. Not API.
#ifndef FLEXSYNC_DETAIL_NATIVE_CALLBACKS_HPP
#define FLEXSYNC_DETAIL_NATIVE_CALLBACKS_HPP

#include <flexsync/realm.hpp>

namespace flexsync {
namespace detail {

/// A realm that a callback has received: what the program keeps of it is closed when the callback returns.
class borrowed_realm {
 public:
  explicit borrowed_realm(flx_realm_t *handle) : state_(std::make_shared<realm_state>(handle, true)) {}
  borrowed_realm(const borrowed_realm &) = delete;
  borrowed_realm &operator=(const borrowed_realm &) = delete;
  ~borrowed_realm() { state_->close(); }
  const shared_realm &state() const noexcept { return state_; }
  db realm() const { return db(state_); }

 private:
  shared_realm state_;
};

inline flx_status_t fail(flx_error_t *failure, flx_status_t status, const char *message) noexcept {
  failure->status = status;
  std::snprintf(failure->message, sizeof failure->message, "%s", message);
  return status;
}

/** Calls a function of the program, and tells the library what it throws, with which opening then fails. */
template <typename Body>
flx_status_t or_failure(flx_error_t *failure, const char *unknown, Body &&body) noexcept {
  try {
    body();
    return FLX_STATUS_OK;
  } catch (const error &thrown) {
    return fail(failure, static_cast<flx_status_t>(thrown.status()), thrown.what());
  } catch (const std::exception &thrown) {
    return fail(failure, FLX_STATUS_CANCELED, thrown.what());
  } catch (...) {
    return fail(failure, FLX_STATUS_CANCELED, unknown);
  }
}

struct initial_subscriptions_callback {
  std::function<void(db &, mutable_sync_subscription_set &)> fill;

  static flx_status_t call(void *userdata, flx_realm_t *native, flx_subscription_update_t *update,
                           flx_error_t *failure) noexcept {
    return or_failure(failure, "The function for the initial subscriptions threw an exception.", [&] {
      borrowed_realm borrowed(native);
      db realm = borrowed.realm();
      mutable_sync_subscription_set subscriptions(borrowed.state(), update);
      static_cast<initial_subscriptions_callback *>(userdata)->fill(realm, subscriptions);
    });
  }
};

struct client_reset_callbacks {
  client_reset_handler handler;

  static void before(void *userdata, flx_realm_t *native) noexcept {
    borrowed_realm borrowed(native);
    static_cast<client_reset_callbacks *>(userdata)->handler.before(borrowed.realm());
  }
  static void after(void *userdata, flx_realm_t *native_before, flx_realm_t *native_after, bool did_recover) noexcept {
    borrowed_realm before(native_before), after(native_after);
    static_cast<client_reset_callbacks *>(userdata)->handler.after(before.realm(), after.realm(), did_recover);
  }
  static void fail(void *userdata, flx_session_t *session, const flx_sync_error_t *error) noexcept {
    handle<flx_session_t> owned(flx_session_retain(session));
    static_cast<client_reset_callbacks *>(userdata)->handler.error(sync_session(std::move(owned)), sync_error(*error));
  }
};

struct migration_callback {
  std::function<void(migration &)> migrate;

  static flx_status_t call(void *userdata, flx_realm_t *native_before, flx_realm_t *native_after, uint64_t old_version,
                           flx_error_t *failure) noexcept {
    return or_failure(failure, "The migration threw an exception.", [&] {
      borrowed_realm before(native_before), after(native_after);
      migration context(before.realm(), after.realm(), old_version);
      static_cast<migration_callback *>(userdata)->migrate(context);
    });
  }
};

struct should_compact_callback {
  std::function<bool(uint64_t, uint64_t)> decide;

  static bool call(void *userdata, uint64_t total_bytes, uint64_t used_bytes) noexcept {
    return static_cast<should_compact_callback *>(userdata)->decide(total_bytes, used_bytes);
  }
};

}  // namespace detail

inline void native_config::set_callbacks(const db_config &config) {
  using namespace detail;
  if (config.initial_subscriptions_) {
    native_.initial_subscriptions = initial_subscriptions_callback::call;
    native_.initial_subscriptions_userdata = box(initial_subscriptions_callback{config.initial_subscriptions_});
    native_.free_initial_subscriptions_userdata = unbox<initial_subscriptions_callback>;
  }
  const client_reset_handler &reset = config.client_reset_;
  if (reset.before || reset.after || reset.error) {
    if (reset.before) native_.before_client_reset = client_reset_callbacks::before;
    if (reset.after) native_.after_client_reset = client_reset_callbacks::after;
    if (reset.error) native_.client_reset_error = client_reset_callbacks::fail;
    native_.client_reset_userdata = box(client_reset_callbacks{reset});
    native_.free_client_reset_userdata = unbox<client_reset_callbacks>;
  }
  if (config.migration_) {
    native_.migration = migration_callback::call;
    native_.migration_userdata = box(migration_callback{config.migration_});
    native_.free_migration_userdata = unbox<migration_callback>;
  }
  if (config.should_compact_) {
    native_.should_compact = should_compact_callback::call;
    native_.should_compact_userdata = box(should_compact_callback{config.should_compact_});
    native_.free_should_compact_userdata = unbox<should_compact_callback>;
  }
  if (config.open_progress_) {
    native_.open_progress = progress_observer::call;
    native_.open_progress_userdata = box(progress_observer{config.open_progress_});
    native_.free_open_progress_userdata = unbox<progress_observer>;
  }
}

}  // namespace flexsync

#endif
