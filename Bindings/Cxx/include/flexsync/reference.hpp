// SPDX-License-Identifier: Apache-2.0
/// @file References, with which another thread finds an object, a collection or results in its own handle of the realm.
#ifndef FLEXSYNC_REFERENCE_HPP
#define FLEXSYNC_REFERENCE_HPP

#include <flexsync/results.hpp>

namespace flexsync {
namespace detail {

/// How a reference to something is made and resolved: by default to an object of a class.
template <typename Target>
struct reference_traits {
  using value = managed<Target>;
  static handle<flx_reference_t> make_reference(const value &object) {
    return make<flx_reference_t>(flx_object_make_reference, base_of(object).native_handle());
  }
  static std::optional<value> resolve(const shared_realm &realm, const flx_reference_t *reference) {
    auto object = share_object<Target>(realm, make<flx_object_t>(flx_realm_resolve_object, realm->get(), reference));
    if (!object) return std::nullopt;
    return value(std::move(object));
  }
};

/// The same for everything that is made of a realm and a handle.
template <typename Value, typename Handle, auto Make, auto Resolve>
struct handle_reference_traits {
  using value = Value;
  static handle<flx_reference_t> make_reference(const value &target) {
    return make<flx_reference_t>(Make, target.native_handle());
  }
  static std::optional<value> resolve(const shared_realm &realm, const flx_reference_t *reference) {
    auto found = make<Handle>(Resolve, realm->get(), reference);
    if (!found) return std::nullopt;
    return value(realm, std::move(found));
  }
};

template <typename Class>
struct reference_traits<results<Class>>
    : handle_reference_traits<results<Class>, flx_results_t, flx_results_make_reference, flx_realm_resolve_results> {};
template <typename Element>
struct reference_traits<std::vector<Element>>
    : handle_reference_traits<managed<std::vector<Element>>, flx_list_t, flx_list_make_reference,
                              flx_realm_resolve_list> {};
template <typename Element>
struct reference_traits<std::set<Element>>
    : handle_reference_traits<managed<std::set<Element>>, flx_set_t, flx_set_make_reference, flx_realm_resolve_set> {};
template <typename Element>
struct reference_traits<std::map<std::string, Element>>
    : handle_reference_traits<managed<std::map<std::string, Element>>, flx_dictionary_t, flx_dictionary_make_reference,
                              flx_realm_resolve_dictionary> {};

inline shared_realm frozen_realm(const shared_realm &realm) {
  return std::make_shared<realm_state>(fetch<flx_realm_t *>(flx_realm_freeze, realm->get()));
}

template <typename Target, typename Value>
Value frozen_value(const shared_realm &realm, const Value &value) {
  auto reference = reference_traits<Target>::make_reference(value);
  auto found = reference_traits<Target>::resolve(frozen_realm(realm), reference.get());
  if (!found) throw error(status::object_invalidated, "The object is not in the data that the realm has committed.");
  return *found;
}

}  // namespace detail

/// A reference to an object (`thread_safe_reference<Dog>`), to results (`thread_safe_reference<results<Dog>>`) or to a
/// collection (`thread_safe_reference<std::vector<Dog *>>`). Make it on the thread of the realm; then any thread,
/// several at once and any number of times, gets its own with `db::resolve`. It does not keep the realm open.
template <typename Target>
class thread_safe_reference {
 public:
  using value = typename detail::reference_traits<Target>::value;
  explicit thread_safe_reference(const value &target)
      : handle_(detail::reference_traits<Target>::make_reference(target)) {}
  flx_reference_t *native_handle() const noexcept { return handle_.get(); }

 private:
  std::shared_ptr<flx_reference_t> handle_;
};

/// The object or collection as it is now, in a realm that does not change and that any thread may use. In a write
/// transaction, as it was before. Throws object_invalidated if it did not exist then.
template <typename Class>
managed<Class> freeze(const managed<Class> &object) {
  return detail::frozen_value<Class>(object.flexsync_state()->realm, object);
}
template <typename Class>
results<Class> freeze(const results<Class> &all) {
  return detail::frozen_value<results<Class>>(all.flexsync_realm(), all);
}
template <typename Element>
managed<std::vector<Element>> freeze(const managed<std::vector<Element>> &list) {
  return detail::frozen_value<std::vector<Element>>(list.flexsync_realm(), list);
}
template <typename Element>
managed<std::set<Element>> freeze(const managed<std::set<Element>> &set) {
  return detail::frozen_value<std::set<Element>>(set.flexsync_realm(), set);
}
template <typename Element>
managed<std::map<std::string, Element>> freeze(const managed<std::map<std::string, Element>> &dictionary) {
  return detail::frozen_value<std::map<std::string, Element>>(dictionary.flexsync_realm(), dictionary);
}

}  // namespace flexsync

#endif
