// SPDX-License-Identifier: Apache-2.0
/// @file Objects of classes that the program does not declare: of a migration's old schema, or of any file. Thread:
/// that of the realm. In addition to their errors, all functions throw no_such_class and no_such_property for unknown
/// names.
#ifndef FLEXSYNC_DYNAMIC_HPP
#define FLEXSYNC_DYNAMIC_HPP

#include <flexsync/results.hpp>

namespace flexsync {

/// An object whose properties are named by text.
class dynamic_object {
 public:
  /// Takes over what the library has returned. Not API.
  dynamic_object(detail::shared_realm realm, detail::handle<flx_object_t> handle)
      : realm_(std::move(realm)), handle_(std::move(handle)) {}

  bool is_valid() const { return flx_object_is_valid(native_handle()); }
  object_link link() const { return object_link(flx_object_link(native_handle())); }
  /// The value of a property that is not a collection. Throws type_mismatch for one that is.
  mixed get(std::string_view name) const {
    detail::frozen_lock lock(*realm_);
    auto source = place(name);
    return detail::read_mixed(source, source.get());
  }
  /// Writes such a property. Only a property of type mixed can hold lists and dictionaries.
  void set(std::string_view name, const mixed &value) { detail::write_mixed(place(name), value); }
  /// The collection of a property, whatever the type of its elements. Writing a value of another type throws
  /// type_mismatch.
  managed<std::vector<mixed>> list(std::string_view name) const { return {realm_, place(name).list()}; }
  managed<std::map<std::string, mixed>> dictionary(std::string_view name) const {
    return {realm_, place(name).dictionary()};
  }
  managed<std::set<mixed>> set_of(std::string_view name) const {
    return {realm_, detail::make<flx_set_t>(flx_object_get_set, native_handle(), place(name).key)};
  }
  /// The object that a link leads to.
  std::optional<dynamic_object> linked(std::string_view name) const {
    mixed value = get(name);
    auto link = value.get_if<object_link>();
    if (!link) return std::nullopt;
    auto object = detail::make<flx_object_t>(flx_object_get_linked, realm_->get(), link->native());
    if (!object) return std::nullopt;
    return dynamic_object(realm_, std::move(object));
  }
  /// Creates an embedded object with default values in a property.
  dynamic_object embed(std::string_view name) { return {realm_, place(name).embed()}; }
  void remove() { detail::call(flx_object_delete, native_handle()); }
  flx_object_t *native_handle() const noexcept { return handle_.get(); }

 private:
  detail::property_place place(std::string_view name) const {
    flx_class_key_t key = flx_object_link(native_handle()).target_class;
    auto property = detail::fetch<flx_property_info_t>(flx_realm_find_property, realm_->get(), key, detail::to_c(name));
    return {realm_, native_handle(), property.key};
  }

  detail::shared_realm realm_;
  std::shared_ptr<flx_object_t> handle_;
};

/// Live results of a class that is named by text.
class dynamic_results {
 public:
  using iterator = detail::index_iterator<dynamic_results>;

  /// Takes over what the library has returned. Not API.
  dynamic_results(detail::shared_realm realm, detail::handle<flx_results_t> handle)
      : realm_(std::move(realm)), handle_(std::move(handle)) {}

  size_t size() const { return detail::fetch<size_t>(flx_results_count, native_handle()); }
  dynamic_object operator[](size_t index) const {
    return {realm_, detail::make<flx_object_t>(flx_results_get_object, native_handle(), index)};
  }
  iterator begin() const { return {this, 0}; }
  iterator end() const { return {this, size()}; }
  /// As `results::where`; the text may end with SORT, DISTINCT and LIMIT.
  dynamic_results where(const std::string &query, const std::vector<mixed> &arguments = {}) const {
    return {realm_, detail::filter(native_handle(), query, arguments)};
  }
  dynamic_results where(const std::string &query, std::initializer_list<mixed> arguments) const {
    return where(query, std::vector<mixed>(arguments));
  }
  flx_results_t *native_handle() const noexcept { return handle_.get(); }

 private:
  detail::shared_realm realm_;
  std::shared_ptr<flx_results_t> handle_;
};

}  // namespace flexsync

#endif
