// SPDX-License-Identifier: Apache-2.0
/// @file How a realm is opened: files, classes, versions of the schema, initial subscriptions, client resets.
#ifndef FLEXSYNC_CONFIG_HPP
#define FLEXSYNC_CONFIG_HPP

#include <flexsync/session.hpp>
#include <flexsync/subscription.hpp>

namespace flexsync {

class db;
class migration;

/// How the classes of the program and those of the file are reconciled; see `flx_schema_mode_t`.
enum class schema_mode : int {
  /// The file gets the classes and properties that it lacks. For synced realms the only mode.
  additive = FLX_SCHEMA_ADDITIVE,
  /// The schema has a version, and a higher one migrates the file.
  versioned = FLX_SCHEMA_VERSIONED,
  /// Like `versioned`, but instead of migrating, all objects are deleted.
  versioned_or_reset = FLX_SCHEMA_VERSIONED_OR_RESET,
  /// The realm has the classes that the file has, for `dynamic_object`.
  from_file = FLX_SCHEMA_FROM_FILE,
};

/// When opening waits for the server; see `flx_open_mode_t`.
enum class open_mode : int {
  local = FLX_OPEN_LOCAL,
  /// Wait for the first download and the initial subscriptions if the file is new.
  download_once = FLX_OPEN_DOWNLOAD_ONCE,
  /// Wait for a download every time.
  download_always = FLX_OPEN_DOWNLOAD_ALWAYS,
};

enum class client_reset_mode : int {
  manual = FLX_CLIENT_RESET_MANUAL,
  discard_unsynced_changes = FLX_CLIENT_RESET_DISCARD_UNSYNCED,
  recover_unsynced_changes = FLX_CLIENT_RESET_RECOVER_UNSYNCED,
  recover_or_discard_unsynced_changes = FLX_CLIENT_RESET_RECOVER_OR_DISCARD_UNSYNCED,
};

/// How a client reset is handled. The realms that the functions get are valid until they return; `before` holds the
/// data that the device had and cannot be written. All are called on the loop thread of the app, and may be empty.
struct client_reset_handler {
  client_reset_mode mode = client_reset_mode::manual;
  /// Called once the fresh copy has been downloaded, before anything is changed.
  std::function<void(db before)> before;
  /// Called after the reset; `did_recover` is false if changes were discarded.
  std::function<void(db before, db after, bool did_recover)> after;
  /// Gets a client reset that is left to the program, instead of the app's error handler.
  std::function<void(sync_session, const sync_error &)> error;
};

namespace client_reset {
namespace detail {

/// Functions with and without `did_recover`.
template <typename Before, typename After>
client_reset_handler handler(client_reset_mode mode, Before before, After after) {
  client_reset_handler result;
  result.mode = mode;
  result.before = std::move(before);
  if constexpr (std::is_invocable_v<After, db, db, bool>) result.after = std::move(after);
  else result.after = [after](auto local, auto remote, bool) { after(std::move(local), std::move(remote)); };
  return result;
}

}  // namespace detail

/// The program handles the reset: `error` gets it, and opening the realm again downloads everything afresh.
inline client_reset_handler manual(std::function<void(sync_session, const sync_error &)> error = {}) {
  client_reset_handler result;
  result.error = std::move(error);
  return result;
}
/// Changes that the server has not acknowledged are discarded.
template <typename Before, typename After>
client_reset_handler discard_unsynced_changes(Before before, After after) {
  return detail::handler(client_reset_mode::discard_unsynced_changes, std::move(before), std::move(after));
}
/// Changes that the server has not acknowledged are made again; if that is impossible, the reset is left to the
/// program.
template <typename Before, typename After>
client_reset_handler recover_unsynced_changes(Before before, After after) {
  return detail::handler(client_reset_mode::recover_unsynced_changes, std::move(before), std::move(after));
}
/// Changes that the server has not acknowledged are made again or, if that is impossible, discarded.
template <typename Before, typename After>
client_reset_handler recover_or_discard_unsynced_changes(Before before, After after) {
  return detail::handler(client_reset_mode::recover_or_discard_unsynced_changes, std::move(before), std::move(after));
}

}  // namespace client_reset

/// Configuration of a realm. A synced one comes from `user::flexible_sync_configuration`. The setters return the
/// configuration, so that they can be chained. An exception that leaves one of its functions ends the process, but for
/// that of a migration, with which opening fails.
class db_config {
 public:
  db_config() = default;
  explicit db_config(std::string path) : path_(std::move(path)) {}
  /// A synced realm of a user. Not API: see `user::flexible_sync_configuration`.
  explicit db_config(std::shared_ptr<flx_user_t> user) : user_(std::move(user)) {}

  /// The path of the file, in a folder that exists. A synced realm has a default path.
  db_config &set_path(std::string path) {
    path_ = std::move(path);
    return *this;
  }
  /// Keeps the realm in memory, shared within the process under this name, until its last `db` is closed.
  db_config &set_in_memory_name(std::string name) {
    in_memory_name_ = std::move(name);
    return *this;
  }
  /// The classes of the realm, and with them those that they link to. Without this, all classes of the program.
  template <typename... Classes>
  db_config &set_schema() {
    classes_ = std::vector<detail::describe_function>{&detail::describe<Classes>...};
    return *this;
  }
  db_config &set_schema_mode(schema_mode mode) {
    schema_mode_ = mode;
    return *this;
  }
  /// Sets the version of the schema of a local realm; with it, the mode becomes `versioned`. For a synced realm, which is
  /// never migrated, the version that the app on the server has, if it has one.
  db_config &set_schema_version(uint64_t version) {
    if (schema_mode_ == schema_mode::additive && !user_) schema_mode_ = schema_mode::versioned;
    schema_version_ = version;
    return *this;
  }
  /// Converts the objects when the file has a lower version. Thread: the one that opens the realm; for `async_open`,
  /// one of the library.
  db_config &set_migration(std::function<void(migration &)> migrate) {
    migration_ = std::move(migrate);
    return *this;
  }
  /// Fills the first subscription set: called when the file is new or, with `rerun_on_open`, at the first open of each
  /// process. Thread: the one that opens the realm; for `async_open`, the loop thread.
  db_config &set_initial_subscriptions(std::function<void(db &, mutable_sync_subscription_set &)> fill,
                                       bool rerun_on_open = false) {
    initial_subscriptions_ = std::move(fill);
    reruns_initial_subscriptions_ = rerun_on_open;
    return *this;
  }
  db_config &set_client_reset_handler(client_reset_handler handler) {
    client_reset_ = std::move(handler);
    return *this;
  }
  /// Do not connect until `sync_session::resume`.
  db_config &set_starts_suspended(bool value = true) {
    starts_suspended_ = value;
    return *this;
  }
  /// Make commits throw write_rejected for objects that no subscription brings, since the server would revert them.
  db_config &set_refuse_unsubscribed_objects(bool value = true) {
    refuses_unsubscribed_objects_ = value;
    return *this;
  }
  /// How many rejected writes the file keeps; 0 means 1000.
  db_config &set_rejected_write_limit(uint32_t limit) {
    rejected_write_limit_ = limit;
    return *this;
  }
  /// Allow a write transaction to go on on another thread than the one that began it, though never on two at once.
  db_config &set_may_change_thread_in_write(bool value = true) {
    may_change_thread_in_write_ = value;
    return *this;
  }
  db_config &set_read_only(bool value = true) {
    read_only_ = value;
    return *this;
  }
  /// Decides whether the file is compacted when it is opened, from its size and the bytes of it that hold data.
  db_config &should_compact_on_launch(std::function<bool(uint64_t total_bytes, uint64_t used_bytes)> decide) {
    should_compact_ = std::move(decide);
    return *this;
  }
  /// The path of a realm file of which a new file becomes a copy.
  db_config &set_seed_path(std::string path) {
    seed_path_ = std::move(path);
    return *this;
  }
  /// How many versions of the data may be in use when a write transaction begins; 0 for any.
  db_config &set_maximum_active_versions(uint64_t count) {
    maximum_active_versions_ = count;
    return *this;
  }
  /// Make `async_open` fail with the first error of the session instead of waiting until it succeeds.
  db_config &set_fail_opening_at_first_error(bool value = true) {
    fails_opening_at_first_error_ = value;
    return *this;
  }
  /// Receives the progress of the download during `async_open`, on the loop thread.
  db_config &set_open_progress(std::function<void(const progress &)> handler) {
    open_progress_ = std::move(handler);
    return *this;
  }

  const std::string &path() const noexcept { return path_; }
  bool is_synced() const noexcept { return user_ != nullptr; }

 private:
  friend class native_config;

  std::string path_, in_memory_name_, seed_path_;
  std::shared_ptr<flx_user_t> user_;
  std::optional<std::vector<detail::describe_function>> classes_;
  flexsync::schema_mode schema_mode_ = flexsync::schema_mode::additive;
  uint64_t schema_version_ = 0, maximum_active_versions_ = 0;
  uint32_t rejected_write_limit_ = 0;
  std::function<void(migration &)> migration_;
  std::function<void(db &, mutable_sync_subscription_set &)> initial_subscriptions_;
  client_reset_handler client_reset_;
  std::function<bool(uint64_t, uint64_t)> should_compact_;
  std::function<void(const progress &)> open_progress_;
  bool reruns_initial_subscriptions_ = false, starts_suspended_ = false, refuses_unsubscribed_objects_ = false;
  bool may_change_thread_in_write_ = false, read_only_ = false, fails_opening_at_first_error_ = false;
};

}  // namespace flexsync

#endif
