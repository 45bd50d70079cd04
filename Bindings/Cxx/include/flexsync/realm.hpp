// SPDX-License-Identifier: Apache-2.0
/// @file Realms: opening, transactions, objects, refreshing and notifications.
#ifndef FLEXSYNC_REALM_HPP
#define FLEXSYNC_REALM_HPP

#include <flexsync/config.hpp>
#include <flexsync/detail/native_config.hpp>
#include <flexsync/dynamic.hpp>
#include <flexsync/reference.hpp>
#include <flexsync/rejected_write.hpp>

namespace flexsync {

/// An open realm. Copies are the same realm, which is closed when the last copy and everything obtained from it are
/// gone, or by `close`.
///
/// Thread: a realm and everything obtained from it are confined to one thread at a time, except for frozen ones. Using
/// it while another thread is in a call or has a write transaction open throws wrong_thread. Observers are called
/// within `refresh`, `notify`, `begin_write`, `commit_write`, `write`, `invalidate` and `resolve`; an exception that
/// leaves one ends the process. Besides what their comments list, all functions throw object_invalidated once the realm
/// is closed, and io, disk_full, busy, corrupt or permission_denied if the file cannot be read or written.
class db {
 public:
  /// Opens a realm with the data on the device. With a synced configuration, sync starts in the background.
  ///
  /// Throws invalid_argument, not_a_database, schema_mismatch, invalid_schema_version, incompatible_file, already_open (with
  /// other settings), user_logged_out, and what a migration throws.
  explicit db(const db_config &config) : config_(std::make_shared<db_config>(config)) {
    native_config native(config, native_config::with_callbacks);
    realm_ = std::make_shared<detail::realm_state>(detail::fetch<flx_realm_t *>(flx_realm_open, native.get()));
  }
  /// The same once the realm has the data that `mode` asks for. Not on the loop thread of the app.
  ///
  /// Throws in addition subscription_failed, timed_out, session_failed, canceled.
  /// @param timeout 0 waits indefinitely.
  db(const db_config &config, open_mode mode, std::chrono::milliseconds timeout = {})
      : config_(std::make_shared<db_config>(config)) {
    native_config native(config, native_config::with_callbacks);
    realm_ = std::make_shared<detail::realm_state>(detail::fetch<flx_realm_t *>(
        flx_realm_open_blocking, native.get(), static_cast<flx_open_mode_t>(mode), detail::milliseconds(timeout)));
  }
  /// Borrows or takes over a realm. Not API.
  explicit db(detail::shared_realm realm, std::shared_ptr<db_config> config = nullptr)
      : realm_(std::move(realm)), config_(std::move(config)) {}

  // Transactions

  /// Begins a write transaction on the newest data; waits for other writers. Throws in_write_transaction, busy.
  void begin_write() const { detail::call(flx_realm_begin_write, native_handle()); }
  /// Commits it. Once this returns, the writes survive the end of the process; they are uploaded in the background.
  /// Throws not_in_write_transaction, write_rejected; then nothing of the transaction takes effect.
  void commit_write() const { detail::call(flx_realm_commit_write, native_handle()); }
  /// Commits it without telling some observers of this realm.
  void commit_write(const std::vector<std::reference_wrapper<const notification_token>> &silenced) const {
    std::vector<flx_notification_token_t *> tokens;
    for (const notification_token &token : silenced) tokens.push_back(token.native_handle());
    detail::call(flx_realm_commit_write_silently, native_handle(), tokens.data(), tokens.size());
  }
  /// Reverts everything since `begin_write`. Throws not_in_write_transaction.
  void cancel_write() const { detail::call(flx_realm_cancel_write, native_handle()); }
  bool is_in_write() const { return flx_realm_is_in_write(native_handle()); }
  /// Calls `function` in a write transaction, commits it and returns what the function returns. If it throws, or the
  /// commit fails, the transaction is canceled, and this throws the same.
  template <typename Function>
  std::invoke_result_t<Function> write(Function &&function) const {
    return write(std::forward<Function>(function), {});
  }
  /// The same without telling some observers of this realm.
  template <typename Function>
  std::invoke_result_t<Function> write(
      Function &&function, const std::vector<std::reference_wrapper<const notification_token>> &silenced) const {
    begin_write();
    transaction_guard guard{*this};
    if constexpr (std::is_void_v<std::invoke_result_t<Function>>) {
      function();
      guard.commit(silenced);
    } else {
      decltype(auto) result = function();
      guard.commit(silenced);
      return static_cast<std::invoke_result_t<Function> &&>(result);
    }
  }
  /// Asks for the turn to write without waiting; `ready` is called when it is there, on any thread, and must not use
  /// the realm. Destroying the token gives the turn up, unless a transaction has begun with it.
  notification_token request_write(std::function<void()> ready) const {
    return detail::observe(std::move(ready), call_plain, flx_realm_request_write, native_handle());
  }

  // Objects

  /// Adds a plain object and those that it leads to, and returns the object of the realm. Throws
  /// not_in_write_transaction, duplicate_primary_key, no_subscription_for_write.
  template <typename Class>
  managed<std::decay_t<Class>> add(Class &&object, update_policy policy = update_policy::error) const {
    return managed<std::decay_t<Class>>(detail::object_writer(realm_, policy).add(object));
  }
  /// Adds several, as `add`. If one cannot be added, those before it have been, until the transaction is canceled.
  /// Objects that have only scalars are inserted at once, which is faster.
  template <typename Class>
  void insert(const std::vector<Class> &objects, update_policy policy = update_policy::error) const {
    detail::scalar_checker checker;
    detail::schema_of<Class>::visit(checker);
    if (checker.has_only_scalars && policy == update_policy::error) {
      detail::column_inserter<Class> inserter(objects, realm_->keys<Class>());
      detail::schema_of<Class>::visit(inserter);
      return inserter.insert(native_handle());
    }
    detail::object_writer writer(realm_, policy);
    for (const Class &object : objects) writer.add(object);
  }
  /// Deletes an object; links to it become null.
  template <typename Class>
  void remove(const managed<Class> &object) const {
    detail::call(flx_object_delete, detail::base_of(object).native_handle());
  }
  /// Deletes all objects of a class.
  template <typename Class>
  void remove_all() const {
    objects<Class>().remove_all();
  }
  /// The object with a primary key.
  template <typename Class, typename Key>
  std::optional<managed<Class>> find(const Key &key) const {
    const mixed value(key);
    flx_value_t native = detail::to_c(value);
    auto object = detail::make<flx_object_t>(flx_object_find, native_handle(), realm_->keys<Class>().key, &native);
    if (!object) return std::nullopt;
    return managed<Class>(detail::share_object<Class>(realm_, std::move(object)));
  }
  /// The object that a link leads to. Throws type_mismatch if it has another class.
  template <typename Class>
  std::optional<managed<Class>> object(const object_link &link) const {
    if (link.native().target_class != realm_->keys<Class>().key)
      throw error(status::type_mismatch, "The link leads to an object of another class.");
    auto object = detail::linked_object<Class>(realm_, detail::link_value(link.native()));
    if (!object) return std::nullopt;
    return managed<Class>(std::move(object));
  }
  /// All objects of a class, live, in the order of insertion.
  template <typename Class>
  results<Class> objects() const {
    return {realm_, detail::class_results<Class>(realm_)};
  }

  /// Checks whether a server would accept a query for a subscription to a class, and returns its canonical text.
  /// Without `queryable_fields`, all properties count as queryable. Throws query_syntax, query_invalid with the
  /// server's message.
  template <typename Class>
  std::string validate_for_sync(const std::string &query, const std::vector<mixed> &arguments = {},
                                const std::optional<std::vector<std::string>> &queryable_fields = std::nullopt) const {
    detail::query_arguments converted(arguments);
    auto native = detail::make<flx_query_t>(flx_query_create, native_handle(), realm_->keys<Class>().key,
                                            detail::to_c(std::string_view(query)), converted.data(), converted.size());
    detail::key_path_list fields(queryable_fields.value_or(std::vector<std::string>()));
    static constexpr flx_string_t none{};
    const flx_string_t *names = fields.size() ? fields.data() : &none;
    detail::call(flx_query_validate_for_sync, native.get(), queryable_fields ? names : nullptr, fields.size());
    return detail::string(flx_query_canonical(native.get()));
  }

  /// The same by names, for classes that the program does not declare.
  dynamic_results dynamic_objects(std::string_view class_name) const {
    return {realm_, detail::make<flx_results_t>(flx_results_create, native_handle(), class_key(class_name))};
  }
  /// Creates an object with default values. For a class without a primary key, the key is null.
  dynamic_object create_dynamic(std::string_view class_name, const mixed &key) const {
    flx_value_t native = detail::to_c(key);
    return {realm_, detail::make<flx_object_t>(flx_object_create, native_handle(), class_key(class_name), &native)};
  }
  std::optional<dynamic_object> find_dynamic(std::string_view class_name, const mixed &key) const {
    flx_value_t native = detail::to_c(key);
    auto object = detail::make<flx_object_t>(flx_object_find, native_handle(), class_key(class_name), &native);
    if (!object) return std::nullopt;
    return dynamic_object(realm_, std::move(object));
  }
  std::optional<dynamic_object> find_dynamic(const object_link &link) const {
    auto object = detail::make<flx_object_t>(flx_object_get_linked, native_handle(), link.native());
    if (!object) return std::nullopt;
    return dynamic_object(realm_, std::move(object));
  }
  /// Adds classes of the program to the open realm, or a class of the file that it was opened without. Throws
  /// schema_mismatch, no_such_class.
  template <typename... Classes>
  void add_classes() const {
    detail::class_list classes({&detail::describe<Classes>...}, is_synced());
    detail::call(flx_realm_add_classes, native_handle(), classes.data(), classes.size());
  }
  void adopt_class(std::string_view name) const {
    detail::fetch<flx_class_info_t>(flx_realm_adopt_class, native_handle(), detail::to_c(name));
  }

  // Refreshing and observing

  /// Advances to the newest data and calls observers. Returns whether the data has changed.
  bool refresh() const { return detail::fetch<bool>(flx_realm_refresh, native_handle()); }
  /// Makes the first calls of observers that are due, without advancing. Returns whether there is newer data.
  bool notify() const { return detail::fetch<bool>(flx_realm_notify, native_handle()); }
  /// Blocks until there is newer data, and returns false if there is none in time. Does not refresh.
  /// @param timeout 0 waits indefinitely.
  bool wait_for_change(std::chrono::milliseconds timeout = {}) const {
    return detail::fetch<bool>(flx_realm_wait_for_change, native_handle(), detail::milliseconds(timeout));
  }
  /// Sets the function that is called when `refresh` has something to do, to make the realm's thread call it; an empty
  /// one removes it. Thread: any, and it must not use the realm.
  void set_changed_callback(std::function<void()> changed) const {
    if (!changed) return flx_realm_set_changed_callback(native_handle(), nullptr, nullptr, nullptr);
    flx_realm_set_changed_callback(native_handle(), call_plain, detail::box(std::move(changed)),
                                   detail::unbox<std::function<void()>>);
  }
  /// Calls `handler` for each change of the realm until the token is destroyed. Thread: that of the realm.
  notification_token observe(std::function<void()> handler) const {
    return detail::observe(std::move(handler), call_with_realm, flx_realm_observe, native_handle());
  }

  // Sync

  /// The newest subscription set. Throws not_synced.
  sync_subscription_set subscriptions() const {
    return {realm_, detail::make<flx_subscription_set_t>(flx_subscription_set_get_latest, native_handle())};
  }
  /// The set whose data is on the device.
  sync_subscription_set active_subscriptions() const {
    return {realm_, detail::make<flx_subscription_set_t>(flx_subscription_set_get_active, native_handle())};
  }
  /// The sync session; nothing for a local realm.
  std::optional<sync_session> get_sync_session() const {
    detail::handle<flx_session_t> session(flx_realm_get_session(native_handle()));
    if (!session) return std::nullopt;
    return sync_session(std::move(session));
  }
  /// The rejected writes, oldest first. Throws not_synced.
  std::vector<rejected_write> rejected_writes() const {
    auto writes = detail::make<flx_rejected_writes_t>(flx_rejected_writes_get, native_handle());
    std::vector<rejected_write> result;
    for (size_t i = 0; i < flx_rejected_writes_count(writes.get()); i++)
      result.emplace_back(detail::fetch<flx_rejected_write_t>(flx_rejected_writes_at, writes.get(), i));
    return result;
  }
  /// Calls `handler` with the indexes in the list of rejected writes, as for results. Thread: that of the realm.
  notification_token observe_rejected_writes(detail::collection_handler handler) const {
    using observer = detail::collection_observer<collection_change>;
    void (*trampoline)(void *, const flx_collection_changes_t *) = observer::call;
    return detail::observe(observer{std::move(handler), realm_}, trampoline, flx_rejected_writes_observe,
                           native_handle());
  }
  /// Applies a rejected write again, as part of the write transaction, which may change the object further. Throws
  /// invalid_argument if there is none, object_invalidated if nothing of it has a place any longer.
  void resubmit(const rejected_write &write) const {
    detail::call(flx_rejected_write_resubmit, native_handle(), write.id);
  }
  /// Discards a rejected write. Returns false if there is none.
  bool discard(const rejected_write &write) const {
    return detail::fetch<bool>(flx_rejected_write_discard, native_handle(), write.id);
  }

  // Versions of the data

  /// A realm that stays on the data that this one shows, and that several threads may use at once.
  db freeze() const { return db(detail::frozen_realm(realm_), config_); }
  bool is_frozen() const noexcept { return realm_->is_frozen(); }
  /// A live realm with the configuration of this one.
  db thaw() const {
    if (!config_) throw error(status::unsupported, "A realm that a callback has received cannot be thawed.");
    return db(*config_);
  }
  /// Finds what a reference leads to; nothing if it was deleted. Throws invalid_argument for a realm of another file.
  template <typename Target>
  std::optional<typename thread_safe_reference<Target>::value> resolve(
      const thread_safe_reference<Target> &reference) const {
    return detail::reference_traits<Target>::resolve(realm_, reference.native_handle());
  }
  /// Invalidates all objects and collections obtained from the realm, and cancels a write transaction.
  void invalidate() const { detail::call(flx_realm_invalidate, native_handle()); }
  /// Increases with each change that this realm sees.
  uint64_t version() const { return flx_realm_version(native_handle()); }
  /// The version of the schema in the file; nothing if it was never opened with one.
  std::optional<uint64_t> schema_version() const {
    auto version = detail::fetch<uint64_t>(flx_realm_schema_version, native_handle());
    if (version == FLX_NOT_VERSIONED) return std::nullopt;
    return version;
  }

  // Files

  std::string path() const { return detail::string(flx_realm_path(native_handle())); }
  bool is_synced() const { return flx_realm_is_synced(native_handle()); }
  /// Closes the realm for all copies. What was obtained from it becomes invalid. No thread may be in a call with it.
  void close() const noexcept { realm_->close(); }
  bool is_closed() const noexcept { return !realm_->is_open(); }
  /// Writes a compact copy of the committed data to a new file; see `flx_realm_write_copy`. Throws file_exists,
  /// unsupported.
  void write_copy(const db_config &destination) const {
    native_config native(destination, native_config::without_callbacks);
    detail::call(flx_realm_write_copy, native_handle(), native.get());
  }
  /// Deletes the files of a realm. Returns false if there are none. Throws not_a_database, already_open.
  static bool delete_files(const db_config &config) {
    native_config native(config, native_config::without_callbacks);
    return detail::fetch<bool>(flx_realm_delete_files, native.get());
  }
  static bool exists(const db_config &config) {
    native_config native(config, native_config::without_callbacks);
    return detail::fetch<bool>(flx_realm_file_exists, native.get());
  }

  /// The handle of the C interface, which stays owned by this realm. Throws object_invalidated for a closed one.
  flx_realm_t *native_handle() const { return realm_->get(); }
  const detail::shared_realm &flexsync_realm() const noexcept { return realm_; }

 private:
  /// Cancels the transaction unless it was committed.
  struct transaction_guard {
    const db &realm;
    bool is_done = false;

    void commit(const std::vector<std::reference_wrapper<const notification_token>> &silenced) {
      if (realm.is_in_write()) realm.commit_write(silenced);
      is_done = true;
    }
    ~transaction_guard() {
      if (!is_done && !realm.is_closed() && realm.is_in_write()) flx_realm_cancel_write(realm.native_handle(), nullptr);
    }
  };

  static void call_plain(void *userdata) noexcept { (*static_cast<std::function<void()> *>(userdata))(); }
  static void call_with_realm(void *userdata, flx_realm_t *) noexcept { call_plain(userdata); }
  flx_class_key_t class_key(std::string_view name) const {
    return detail::fetch<flx_class_info_t>(flx_realm_find_class, native_handle(), detail::to_c(name)).key;
  }

  std::string_view class_name(flx_class_key_t key) const {
    for (size_t i = 0; i < flx_realm_class_count(native_handle()); i++) {
      auto info = detail::fetch<flx_class_info_t>(flx_realm_class_at, native_handle(), i);
      if (info.key == key) return detail::view(info.name);
    }
    throw error(status::no_such_class, "The realm has no class with this key.");
  }
  friend class migration;

  detail::shared_realm realm_;
  std::shared_ptr<db_config> config_;
};

/// A migration: `before` holds the old data and cannot be written, `after` has the new classes. An object is in both
/// under the same link. The transaction must neither be committed nor canceled.
class migration {
 public:
  migration(db before, db after, uint64_t old_version)
      : before_(std::move(before)), after_(std::move(after)), old_version_(old_version) {}

  const db &before() const noexcept { return before_; }
  const db &after() const noexcept { return after_; }
  uint64_t old_version() const noexcept { return old_version_; }
  /// The object of the old schema that an object of the new one was. Throws no_such_class for a class that is new.
  std::optional<dynamic_object> old_object(const object_link &link) const {
    flx_link_t old = link.native();
    old.target_class = before_.class_key(after_.class_name(old.target_class));
    return before_.find_dynamic(object_link(old));
  }
  /// Gives a new property the values of an old one. Throws schema_mismatch.
  void rename_property(std::string_view class_name, std::string_view old_name, std::string_view new_name) const {
    detail::call(flx_migration_rename_property, after_.native_handle(), detail::to_c(class_name),
                 detail::to_c(old_name), detail::to_c(new_name));
  }
  /// Deletes the objects of a class, and the class if the new schema does not have it. Returns false if there is none.
  bool delete_class(std::string_view class_name) const {
    return detail::fetch<bool>(flx_migration_delete_class, after_.native_handle(), detail::to_c(class_name));
  }

 private:
  db before_, after_;
  uint64_t old_version_;
};

/// Opens a realm with some classes of the program, and those that they link to.
template <typename... Classes>
db open(db_config config) {
  if constexpr (sizeof...(Classes) > 0) config.set_schema<Classes...>();
  return db(config);
}

/// Waits in the background until a realm has the data that `mode` asks for: `db(config)` finds it on the device then.
/// Fails with what opening throws. An object of a realm belongs to a thread, so the future has none.
/// @param timeout 0 waits indefinitely.
inline std::future<void> async_open(const db_config &config, open_mode mode = open_mode::download_once,
                                    std::chrono::milliseconds timeout = {}) {
  native_config native(config, native_config::with_callbacks);
  return detail::start_future(flx_realm_open_async, native.get(), static_cast<flx_open_mode_t>(mode),
                              detail::milliseconds(timeout));
}

}  // namespace flexsync

#include <flexsync/detail/native_callbacks.hpp>

#endif
