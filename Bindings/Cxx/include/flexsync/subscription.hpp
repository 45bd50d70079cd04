// SPDX-License-Identifier: Apache-2.0
/// @file Subscriptions: which objects are on the device. `db::subscriptions` gets the set. Thread: that of the realm,
/// but for the observer of a set's state.
#ifndef FLEXSYNC_SUBSCRIPTION_HPP
#define FLEXSYNC_SUBSCRIPTION_HPP

#include <flexsync/results.hpp>

namespace flexsync {

/// The state of a subscription set; see `flx_subscription_state_t`.
enum class subscription_state : int {
  /// Committed on the device; the server has not answered yet.
  pending = FLX_SUBSCRIPTION_PENDING,
  bootstrapping = FLX_SUBSCRIPTION_BOOTSTRAPPING,
  /// The data that matched when the server processed the set is on the device.
  complete = FLX_SUBSCRIPTION_COMPLETE,
  /// The server rejected the set; the previous set stays in force.
  error = FLX_SUBSCRIPTION_ERROR,
  /// A newer set took its place.
  superseded = FLX_SUBSCRIPTION_SUPERSEDED,
  awaiting_mark = FLX_SUBSCRIPTION_AWAITING_MARK,
};

/// The policy for adding a subscription under a name that is taken.
enum class name_conflict : int {
  /// Throw subscription_exists, even if the query is the same.
  fail = FLX_NAME_CONFLICT_FAIL,
  /// Give the subscription the new class and query.
  replace = FLX_NAME_CONFLICT_REPLACE,
};

/// One subscription, as it was when it was read.
struct sync_subscription {
  explicit sync_subscription(const flx_subscription_t &native)
      : identifier(native.id),
        created_at(timestamp(native.created_at)),
        updated_at(timestamp(native.updated_at)),
        query_string(detail::string(native.query)),
        object_class_name(detail::string(native.class_name)) {
    if (native.has_name) name = detail::string(native.name);
  }

  object_id identifier;
  /// Nothing for an unnamed subscription.
  std::optional<std::string> name;
  std::chrono::system_clock::time_point created_at, updated_at;
  /// The query as canonical text.
  std::string query_string;
  std::string object_class_name;
};

namespace detail {

/// The condition that all objects satisfy.
struct all_objects {
  template <typename Object>
  rbool operator()(Object &) const {
    return {"TRUEPREDICATE", {}};
  }
};

template <typename Class>
handle<flx_results_t> class_results(const shared_realm &realm) {
  return make<flx_results_t>(flx_results_create, realm->get(), realm->keys<Class>().key);
}

template <typename Class, typename Function>
handle<flx_results_t> query_results(const shared_realm &realm, Function &&function) {
  auto all = class_results<Class>(realm);
  rbool query = make_query<Class>(std::forward<Function>(function));
  return filter(all.get(), query.text(), query.arguments());
}

}  // namespace detail

/// A subscription set that is being changed, in the function that is passed to `sync_subscription_set::update`. Results
/// give a class and a query; their order, DISTINCT and LIMIT do not count.
class mutable_sync_subscription_set {
 public:
  using iterator = detail::index_iterator<mutable_sync_subscription_set>;

  /// Borrows an open update. Not API.
  mutable_sync_subscription_set(detail::shared_realm realm, flx_subscription_update_t *update)
      : realm_(std::move(realm)), update_(update) {}
  mutable_sync_subscription_set(const mutable_sync_subscription_set &) = delete;
  mutable_sync_subscription_set &operator=(const mutable_sync_subscription_set &) = delete;

  /// Subscribes to the objects of a class that satisfy a condition, without one to all of them.
  ///
  ///     subs.add<Dog>("puppies", [](auto &dog) { return dog.age < 3; });
  ///     subs.add<Dog>(std::nullopt, [](auto &dog) { return dog.age > 9; });  // without a name
  ///
  /// An unnamed subscription is not added if there already is one with the same class and query. Throws
  /// subscription_exists with `name_conflict::fail`, query_invalid for a query that no server accepts.
  template <typename Class, typename Function = detail::all_objects, detail::if_query<Function, Class> = 0>
  void add(const std::optional<std::string> &name = std::nullopt, Function &&function = {},
           name_conflict conflict = name_conflict::replace) {
    add(detail::query_results<Class>(realm_, std::forward<Function>(function)).get(), name, conflict);
  }
  /// Subscribes to the class and query of results, such as those of a query text. Their order and `distinct` are ignored;
  /// with a limit they throw query_invalid, because the server would send everything that the condition matches.
  template <typename Class>
  void add(const results<Class> &results, const std::optional<std::string> &name = std::nullopt,
           name_conflict conflict = name_conflict::replace) {
    add(results.native_handle(), name, conflict);
  }

  /// Gives the subscription of a name another query. Its identifier and creation time are kept. Throws
  /// subscription_not_found, subscription_class_mismatch for one to another class, query_invalid.
  template <typename Class, typename Function = detail::all_objects, detail::if_query<Function, Class> = 0>
  void update_subscription(std::string_view name, Function &&function = {}) {
    set_query(required(name).identifier, detail::query_results<Class>(realm_, std::forward<Function>(function)).get());
  }
  template <typename Class>
  void update_subscription(std::string_view name, const results<Class> &results) {
    set_query(required(name).identifier, results.native_handle());
  }
  /// The same for any subscription, such as an unnamed one.
  template <typename Class>
  void update_subscription(const sync_subscription &subscription, const results<Class> &results) {
    set_query(subscription.identifier, results.native_handle());
  }

  /// Remove subscriptions: by name, by identifier, by class and query, and all to a class. They return whether, or how
  /// many, there were.
  bool remove(std::string_view name) { return flx_subscription_update_remove_named(update_, detail::to_c(name)); }
  bool remove(const sync_subscription &subscription) {
    return flx_subscription_update_remove(update_, &subscription.identifier.native());
  }
  template <typename Class>
  bool remove(const results<Class> &results) {
    return detail::fetch<bool>(flx_subscription_update_remove_results, update_, results.native_handle());
  }
  template <typename Class>
  size_t remove_all() {
    return remove_all(detail::schema_of<Class>::name);
  }
  size_t remove_all(std::string_view class_name) {
    return flx_subscription_update_remove_class(update_, detail::to_c(class_name));
  }
  size_t remove_all_unnamed() { return flx_subscription_update_remove_all(update_, true); }
  size_t clear() { return flx_subscription_update_remove_all(update_, false); }

  size_t size() const { return flx_subscription_update_count(update_); }
  sync_subscription operator[](size_t index) const {
    return sync_subscription(detail::fetch<flx_subscription_t>(flx_subscription_update_at, update_, index));
  }
  iterator begin() const { return {this, 0}; }
  iterator end() const { return {this, size()}; }
  std::optional<sync_subscription> find(std::string_view name) const {
    for (auto subscription : *this)
      if (subscription.name && *subscription.name == name) return subscription;
    return std::nullopt;
  }
  flx_subscription_update_t *native_handle() const noexcept { return update_; }

 private:
  void add(flx_results_t *results, const std::optional<std::string> &name, name_conflict conflict) {
    flx_string_t text = name ? detail::to_c(std::string_view(*name)) : flx_string_t{};
    try {
      detail::call(flx_subscription_update_add, update_, results, name ? &text : nullptr,
                   static_cast<flx_name_conflict_t>(conflict));
    } catch (const error &failure) {
      if (failure.status() != status::subscription_exists || !name) throw;
      // The library names functions of C.
      throw error(status::subscription_exists, "A subscription named '" + *name +
                                                   "' already exists. To change its query, add it with "
                                                   "name_conflict::replace, or use update_subscription.");
    }
  }
  sync_subscription required(std::string_view name) const {
    auto found = find(name);
    if (!found)
      throw error(status::subscription_not_found, "There is no subscription named '" + std::string(name) + "'.");
    return *found;
  }
  void set_query(const object_id &id, flx_results_t *results) {
    detail::call(flx_subscription_update_set_query, update_, &id.native(), results);
  }

  detail::shared_realm realm_;
  flx_subscription_update_t *update_;
};

namespace detail {

struct subscription_state_observer {
  std::function<void(subscription_state)> handler;

  static void call(void *userdata, flx_subscription_state_t state) noexcept {
    static_cast<subscription_state_observer *>(userdata)->handler(static_cast<subscription_state>(state));
  }
};

}  // namespace detail

/// A version of the subscription set: a snapshot, whose state `refresh` updates. After `update`, it is the new version.
class sync_subscription_set {
 public:
  using iterator = detail::index_iterator<sync_subscription_set>;

  /// Takes over what the library has returned. Not API.
  sync_subscription_set(detail::shared_realm realm, detail::handle<flx_subscription_set_t> handle)
      : realm_(std::move(realm)), handle_(std::move(handle)) {}

  size_t size() const { return flx_subscription_set_count(native_handle()); }
  bool empty() const { return size() == 0; }
  /// The subscription at a position, in the order of insertion. Throws index_out_of_bounds.
  sync_subscription operator[](size_t index) const {
    return sync_subscription(detail::fetch<flx_subscription_t>(flx_subscription_set_at, native_handle(), index));
  }
  iterator begin() const { return {this, 0}; }
  iterator end() const { return {this, size()}; }
  /// The subscription of a name. Unnamed subscriptions never match.
  std::optional<sync_subscription> find(std::string_view name) const {
    flx_subscription_t found;
    if (!flx_subscription_set_find_named(native_handle(), detail::to_c(name), &found)) return std::nullopt;
    return sync_subscription(found);
  }
  /// The first subscription with the class and query of results, named or not.
  template <typename Class>
  std::optional<sync_subscription> find(const results<Class> &results) const {
    flx_subscription_t found;
    bool is_found;
    detail::call(flx_subscription_set_find_results, native_handle(), results.native_handle(), &found, &is_found);
    if (!is_found) return std::nullopt;
    return sync_subscription(found);
  }

  /// 0 for the empty set that each file begins with, and one more for each update.
  int64_t version() const { return flx_subscription_set_version(native_handle()); }
  /// The state as of the last refresh.
  subscription_state state() const {
    return static_cast<subscription_state>(flx_subscription_set_state(native_handle()));
  }
  /// The server's message if the state is `error`; otherwise empty.
  std::string error_message() const { return detail::string(flx_subscription_set_error_message(native_handle())); }
  /// Updates the state of this version.
  void refresh() { detail::call(flx_subscription_set_refresh, native_handle()); }

  /// Changes the newest set: calls `function`, and commits what it did as a new version, which this becomes. The set is
  /// on disk when this returns; it is sent to the server in the background. The future is ready, with true, when the
  /// data is on the device: refresh the realm then.
  ///
  ///     realm.subscriptions().update([](auto &subs) { subs.template add<Dog>("dogs"); }).get();
  ///
  /// Throws what `function` throws, which discards the changes; subscription_update_open in an update;
  /// in_write_transaction. The future fails with subscription_failed and the server's message, subscription_superseded,
  /// timed_out, session_inactive.
  /// @param timeout 0 waits indefinitely.
  template <typename Function>
  std::future<bool> update(Function &&function, std::chrono::milliseconds timeout = {}) {
    auto update = detail::make<flx_subscription_update_t>(flx_subscription_update_begin, realm_->get());
    mutable_sync_subscription_set changes(realm_, update.get());
    function(changes);
    // Committing releases the update, except if another thread is using the realm.
    flx_error_t failure;
    flx_subscription_set_t *committed = nullptr;
    flx_status_t status = flx_subscription_update_commit(update.get(), &committed, &failure);
    if (status != FLX_STATUS_WRONG_THREAD) (void)update.release();
    if (status != FLX_STATUS_OK) throw error(failure);
    handle_ = detail::handle<flx_subscription_set_t>(committed);
    auto [future, done] = detail::future_completion<bool>(true);
    detail::start(std::move(done), flx_subscription_set_wait, native_handle(), detail::milliseconds(timeout));
    return std::move(future);
  }
  /// The future is ready when this version is complete; refresh the set and the realm then. It fails as that of
  /// `update`.
  std::future<void> wait(std::chrono::milliseconds timeout = {}) const {
    return detail::start_future(flx_subscription_set_wait, native_handle(), detail::milliseconds(timeout));
  }
  /// Calls `handler` with each state that this version reaches, beginning with the current one, until the token is
  /// destroyed. Thread: the loop thread of the app.
  notification_token observe(std::function<void(subscription_state)> handler) const {
    return detail::observe(detail::subscription_state_observer{std::move(handler)},
                           detail::subscription_state_observer::call, flx_subscription_set_observe, native_handle());
  }
  flx_subscription_set_t *native_handle() const noexcept { return handle_.get(); }

 private:
  detail::shared_realm realm_;
  std::shared_ptr<flx_subscription_set_t> handle_;
};

}  // namespace flexsync

#endif
