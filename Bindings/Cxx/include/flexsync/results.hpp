// SPDX-License-Identifier: Apache-2.0
/// @file Live results of queries. Thread: that of the realm; for a frozen realm, any.
#ifndef FLEXSYNC_RESULTS_HPP
#define FLEXSYNC_RESULTS_HPP

#include <flexsync/detail/columns.hpp>
#include <flexsync/detail/completion.hpp>
#include <flexsync/query.hpp>

namespace flexsync {

/// A key to sort by: a property, or a path through links such as "owner.name".
struct sort_descriptor {
  std::string key_path;
  bool ascending = true;
};

/// When `results::subscribe` waits; see `flx_wait_for_sync_t`.
enum class wait_for_sync : int {
  /// If the subscription is new or its query has changed.
  on_creation = FLX_WAIT_ON_CREATION,
  always = FLX_WAIT_ALWAYS,
  never = FLX_WAIT_NEVER,
};

namespace detail {

inline handle<flx_results_t> filter(flx_results_t *results, const std::string &text,
                                    const std::vector<mixed> &arguments) {
  query_arguments converted(arguments);
  return make<flx_results_t>(flx_results_filter, results, to_c(std::string_view(text)), converted.data(),
                             converted.size());
}

}  // namespace detail

/// The objects of a class, or those that match a query, as they are now. Copies share the same results.
template <typename Class>
class results {
 public:
  using value_type = managed<Class>;
  using iterator = detail::index_iterator<results>;

  /// Takes over what the library has returned. Not API.
  results(detail::shared_realm realm, detail::handle<flx_results_t> handle)
      : realm_(std::move(realm)), handle_(std::move(handle)) {}
  const detail::shared_realm &flexsync_realm() const noexcept { return realm_; }
  /// The handle of the C interface, which stays owned by the results.
  flx_results_t *native_handle() const noexcept { return handle_.get(); }

  size_t size() const { return detail::fetch<size_t>(flx_results_count, native_handle()); }
  bool empty() const { return size() == 0; }
  /// The object at an index. Throws index_out_of_bounds.
  managed<Class> operator[](size_t index) const {
    return managed<Class>(detail::share_object<Class>(
        realm_, detail::make<flx_object_t>(flx_results_get_object, native_handle(), index)));
  }
  std::optional<managed<Class>> first() const {
    if (empty()) return std::nullopt;
    return (*this)[0];
  }
  iterator begin() const { return {this, 0}; }
  iterator end() const { return {this, size()}; }
  /// The index of an object, or `npos` if it is not among the results.
  size_t index_of(const managed<Class> &object) const {
    return detail::fetch<size_t>(flx_results_index_of, native_handle(), detail::base_of(object).native_handle());
  }

  /// The objects that match a condition: `where([](auto &dog) { return dog.age > 3; })`.
  template <typename Function, detail::if_query<Function, Class> = 0>
  results where(Function &&function) const {
    auto query = detail::make_query<Class>(std::forward<Function>(function));
    return where(query.text(), query.arguments());
  }
  /// The objects that match a query text, in which `$0` is the first argument. An argument may be a list. Throws
  /// query_syntax, query_invalid, query_argument.
  results where(const std::string &query, const std::vector<mixed> &arguments = {}) const {
    return {realm_, detail::filter(native_handle(), query, arguments)};
  }
  /// For arguments in braces, of which a single list is one argument, not all of them.
  results where(const std::string &query, std::initializer_list<mixed> arguments) const {
    return where(query, std::vector<mixed>(arguments));
  }
  /// The same objects in another order; the first key takes precedence. Throws query_invalid.
  results sort(const std::vector<sort_descriptor> &keys) const {
    std::vector<flx_sort_key_t> native;
    for (auto &key : keys) {
      flx_sort_key_t one{};
      one.key_path = detail::to_c(std::string_view(key.key_path));
      one.is_ascending = key.ascending;
      native.push_back(one);
    }
    return {realm_, detail::make<flx_results_t>(flx_results_sort, native_handle(), native.data(), native.size())};
  }
  results sort(const std::string &key_path, bool ascending = true) const { return sort({{key_path, ascending}}); }
  template <typename Member>
  results sort(Member Class::*member, bool ascending = true) const {
    return sort(std::string(detail::name_of(member)), ascending);
  }
  /// One object for each combination of values, the first in the current order. Throws query_invalid.
  results distinct(const std::vector<std::string> &key_paths) const {
    detail::key_path_list paths(key_paths);
    return {realm_, detail::make<flx_results_t>(flx_results_distinct, native_handle(), paths.data(), paths.size())};
  }
  /// The first objects in the current order.
  results limit(size_t count) const {
    return {realm_, detail::make<flx_results_t>(flx_results_limit, native_handle(), count)};
  }

  /// The values of some scalar properties in all objects, a vector for each property; much faster than object by
  /// object:
  ///
  ///     auto [names, minutes] = tasks.columns(&Task::taskName, &Task::progressMinutes);
  template <typename... Members>
  std::tuple<std::vector<detail::unwrapped_t<Members>>...> columns(Members Class::*...members) const {
    return detail::read_columns<detail::unwrapped_t<Members>...>(native_handle(), {property_key(members)...});
  }

  /// The least, the greatest and the average value, without nulls; null if there are no values. The sum of no values is
  /// 0. Throws type_mismatch for a type that has none.
  template <typename Member>
  mixed min(Member Class::*member) const {
    return aggregate(FLX_AGGREGATE_MIN, member);
  }
  template <typename Member>
  mixed max(Member Class::*member) const {
    return aggregate(FLX_AGGREGATE_MAX, member);
  }
  template <typename Member>
  mixed sum(Member Class::*member) const {
    return aggregate(FLX_AGGREGATE_SUM, member);
  }
  template <typename Member>
  mixed average(Member Class::*member) const {
    return aggregate(FLX_AGGREGATE_AVERAGE, member);
  }
  /// The number of values that are not null.
  template <typename Member>
  mixed count(Member Class::*member) const {
    return aggregate(FLX_AGGREGATE_COUNT, member);
  }

  /// The condition as canonical text.
  std::string predicate() const { return detail::string(flx_results_predicate(native_handle())); }
  /// How the results are found: the SQL statement and SQLite's plan. For performance tuning; the text may change.
  std::string explain() const {
    detail::frozen_lock lock(*realm_);
    return detail::string(detail::fetch<flx_string_t>(flx_results_explain, native_handle()));
  }
  /// Deletes all objects. Throws not_in_write_transaction.
  void remove_all() { detail::call(flx_results_delete_all, native_handle()); }
  /// Whether the realm is open and was not invalidated since.
  bool is_valid() const { return flx_results_is_valid(native_handle()); }
  bool is_frozen() const noexcept { return realm_->is_frozen(); }

  /// Calls `handler` when the results have changed, until the token is destroyed: first with the next `refresh`,
  /// `write` or `begin_write`. With key paths, objects count as changed only if something has at the end of one of
  /// them. The token keeps the realm open. Thread: that of the realm.
  notification_token observe(detail::collection_handler handler, const std::vector<std::string> &key_paths = {}) const {
    return detail::observe_collection(flx_results_observe_key_paths, native_handle(), realm_, std::move(handler),
                                      key_paths);
  }

  /// Subscribes to the class and query of the results: by name, replacing a subscription of that name, or without one.
  /// The subscription is committed when this returns; the future is ready when the wait is over. Refresh the realm
  /// then.
  ///
  /// Throws not_synced. The future fails with subscription_failed, subscription_superseded, timed_out,
  /// session_inactive.
  /// @param timeout 0 waits indefinitely.
  std::future<void> subscribe(const std::optional<std::string> &name = std::nullopt,
                              wait_for_sync wait = wait_for_sync::on_creation,
                              std::chrono::milliseconds timeout = {}) const {
    flx_string_t text = name ? detail::to_c(std::string_view(*name)) : flx_string_t{};
    auto [future, done] = detail::future_completion<void>();
    detail::call(flx_results_subscribe, native_handle(), name ? &text : nullptr, static_cast<flx_wait_for_sync_t>(wait),
                 detail::milliseconds(timeout), detail::call_completion, detail::box(std::move(done)),
                 detail::unbox<completion>);
    return std::move(future);
  }
  /// Removes the subscription that these results made or, if there is none, an unnamed one with the same query. Throws
  /// not_synced.
  void unsubscribe() const { detail::call(flx_results_unsubscribe, native_handle()); }
  /// The same; the future is ready when the objects that no other subscription brings have left the device.
  std::future<void> unsubscribe_and_wait(std::chrono::milliseconds timeout = {}) const {
    auto [future, done] = detail::future_completion<void>();
    detail::call(flx_results_unsubscribe_and_wait, native_handle(), detail::milliseconds(timeout),
                 detail::call_completion, detail::box(std::move(done)), detail::unbox<completion>);
    return std::move(future);
  }
  /// The version of the server as of which the realm has every object that matches; nothing if it may lack some. See
  /// `flx_results_get_completeness`. Throws not_synced.
  std::optional<uint64_t> complete_as_of() const {
    bool is_complete;
    uint64_t version;
    detail::call(flx_results_get_completeness, native_handle(), &is_complete, &version);
    if (!is_complete) return std::nullopt;
    return version;
  }

 private:
  template <typename Member>
  mixed aggregate(flx_aggregate_t aggregate, Member Class::*member) const {
    detail::frozen_lock lock(*realm_);
    return detail::from_c(
        detail::fetch<flx_value_t>(flx_results_aggregate, native_handle(), aggregate, property_key(member)));
  }
  template <typename Member>
  flx_property_key_t property_key(Member Class::*member) const {
    return detail::fetch<flx_property_info_t>(flx_realm_find_property, realm_->get(), realm_->keys<Class>().key,
                                              detail::to_c(std::string_view(detail::name_of(member))))
        .key;
  }

  detail::shared_realm realm_;
  std::shared_ptr<flx_results_t> handle_;
};

namespace detail {

template <typename Member>
struct member_of;
template <typename Class, typename Member>
struct member_of<Member Class::*> {
  using type = Class;
};

/// The objects that link to an object by a property.
template <auto Property>
auto backlinks(const shared_realm &realm, flx_object_t *object) {
  using origin = typename member_of<decltype(Property)>::type;
  flx_class_key_t key = realm->keys<origin>().key;
  auto property =
      fetch<flx_property_info_t>(flx_realm_find_property, realm->get(), key, to_c(std::string_view(name_of(Property))));
  return results<origin>(realm, make<flx_results_t>(flx_object_get_backlinks, object, key, property.key));
}

template <typename Class>
template <auto Property>
auto object_base<Class>::linking() const {
  return backlinks<Property>(state_->realm, native_handle());
}

}  // namespace detail

template <auto Property>
auto managed<linking_objects<Property>>::objects() const {
  return detail::backlinks<Property>(source_.realm(), source_.handle());
}

template <auto Property>
auto managed<linking_objects<Property>>::begin() const {
  using all = const decltype(objects());
  return detail::index_iterator<all, std::shared_ptr<all>>(std::make_shared<all>(objects()), 0);
}
template <auto Property>
auto managed<linking_objects<Property>>::end() const {
  using all = const decltype(objects());
  return detail::index_iterator<all, std::shared_ptr<all>>(nullptr, size());
}

template <typename Element>
auto managed<std::vector<Element>, std::enable_if_t<!std::is_same_v<Element, uint8_t>>>::objects() const {
  return results<std::remove_pointer_t<Element>>(realm_,
                                                 detail::make<flx_results_t>(flx_list_get_results, native_handle()));
}

template <typename Element>
auto managed<std::set<Element>>::objects() const {
  return results<std::remove_pointer_t<Element>>(realm_,
                                                 detail::make<flx_results_t>(flx_set_get_results, native_handle()));
}

template <typename Element>
auto managed<std::map<std::string, Element>>::objects() const {
  return results<std::remove_pointer_t<Element>>(
      realm_, detail::make<flx_results_t>(flx_dictionary_get_results, native_handle()));
}

}  // namespace flexsync

#endif
