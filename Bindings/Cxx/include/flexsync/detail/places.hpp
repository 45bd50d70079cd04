// SPDX-License-Identifier: Apache-2.0
/// @file Places that hold a value: a property of an object, an element of a list, an entry of a dictionary. Not API.
///
/// All places have the same functions, so that whatever is read or written is read and written alike everywhere.
#ifndef FLEXSYNC_DETAIL_PLACES_HPP
#define FLEXSYNC_DETAIL_PLACES_HPP

#include <flexsync/detail/state.hpp>

namespace flexsync::detail {

/// A property of an object.
struct property_place {
  flx_value_t get() const { return fetch<flx_value_t>(flx_object_get, object, key); }
  void put(const flx_value_t &value) const { call(flx_object_set, object, key, &value); }
  void make_list() const { call(flx_object_set_list, object, key); }
  void make_dictionary() const { call(flx_object_set_dictionary, object, key); }
  handle<flx_list_t> list() const { return make<flx_list_t>(flx_object_get_list, object, key); }
  handle<flx_dictionary_t> dictionary() const { return make<flx_dictionary_t>(flx_object_get_dictionary, object, key); }
  handle<flx_object_t> embed() const { return make<flx_object_t>(flx_object_set_embedded, object, key); }

  const shared_realm &realm;
  flx_object_t *object;
  flx_property_key_t key;
};

/// An element of a list; with `inserts`, one that writing inserts before the index.
struct list_place {
  flx_value_t get() const { return fetch<flx_value_t>(flx_list_get, owner, index); }
  void put(const flx_value_t &value) const { call(inserts ? flx_list_insert : flx_list_set, owner, index, &value); }
  void make_list() const { call(inserts ? flx_list_insert_list : flx_list_set_list, owner, index); }
  void make_dictionary() const { call(inserts ? flx_list_insert_dictionary : flx_list_set_dictionary, owner, index); }
  handle<flx_list_t> list() const { return make<flx_list_t>(flx_list_get_list, owner, index); }
  handle<flx_dictionary_t> dictionary() const { return make<flx_dictionary_t>(flx_list_get_dictionary, owner, index); }
  handle<flx_object_t> embed() const {
    return make<flx_object_t>(inserts ? flx_list_insert_embedded : flx_list_set_embedded, owner, index);
  }

  const shared_realm &realm;
  flx_list_t *owner;
  size_t index;
  bool inserts = false;
};

/// An entry of a dictionary.
struct dictionary_place {
  flx_value_t get() const {
    flx_value_t value{};
    call(flx_dictionary_get, owner, to_c(key), &value, static_cast<bool *>(nullptr));
    return value;
  }
  void put(const flx_value_t &value) const { call(flx_dictionary_set, owner, to_c(key), &value); }
  void make_list() const { call(flx_dictionary_set_list, owner, to_c(key)); }
  void make_dictionary() const { call(flx_dictionary_set_dictionary, owner, to_c(key)); }
  handle<flx_list_t> list() const { return make<flx_list_t>(flx_dictionary_get_list, owner, to_c(key)); }
  handle<flx_dictionary_t> dictionary() const {
    return make<flx_dictionary_t>(flx_dictionary_get_dictionary, owner, to_c(key));
  }
  handle<flx_object_t> embed() const { return make<flx_object_t>(flx_dictionary_set_embedded, owner, to_c(key)); }

  const shared_realm &realm;
  flx_dictionary_t *owner;
  std::string_view key;
};

/// A place in a set, which can be given values but no collections.
struct set_place {
  void put(const flx_value_t &value) const { call(flx_set_insert, owner, &value, static_cast<bool *>(nullptr)); }

  const shared_realm &realm;
  flx_set_t *owner;
};

inline size_t count(flx_list_t *list) { return fetch<size_t>(flx_list_count, list); }
inline size_t count(flx_set_t *set) { return fetch<size_t>(flx_set_count, set); }
inline size_t count(flx_dictionary_t *dictionary) { return fetch<size_t>(flx_dictionary_count, dictionary); }

/// The key and the value of an entry, which are lent until the next call on the dictionary.
inline std::pair<flx_string_t, flx_value_t> entry_at(flx_dictionary_t *dictionary, size_t index) {
  std::pair<flx_string_t, flx_value_t> entry{};
  call(flx_dictionary_get_at, dictionary, index, &entry.first, &entry.second);
  return entry;
}

/// Reads a value of any type with all that is in it. `value` is what the place holds.
template <typename Place>
mixed read_mixed(const Place &place, const flx_value_t &value) {
  if (value.type == FLX_TYPE_LIST) {
    mixed::list result;
    auto list = place.list();
    for (size_t i = 0, size = count(list.get()); i < size; i++) {
      list_place element{place.realm, list.get(), i};
      result.push_back(read_mixed(element, element.get()));
    }
    return result;
  }
  if (value.type == FLX_TYPE_DICTIONARY) {
    mixed::dictionary result;
    auto dictionary = place.dictionary();
    for (size_t i = 0, size = count(dictionary.get()); i < size; i++) {
      auto [name, entry] = entry_at(dictionary.get(), i);
      std::string key = string(name);
      result.emplace(key, read_mixed(dictionary_place{place.realm, dictionary.get(), key}, entry));
    }
    return result;
  }
  return from_c(value);
}

/// Writes a value of any type with all that is in it.
template <typename Place>
void write_mixed(const Place &place, const mixed &value) {
  if (auto elements = value.get_if<mixed::list>()) {
    place.make_list();
    auto list = place.list();
    for (size_t i = 0; i < elements->size(); i++)
      write_mixed(list_place{place.realm, list.get(), i, true}, (*elements)[i]);
  } else if (auto entries = value.get_if<mixed::dictionary>()) {
    place.make_dictionary();
    auto dictionary = place.dictionary();
    for (auto &[key, entry] : *entries) write_mixed(dictionary_place{place.realm, dictionary.get(), key}, entry);
  } else {
    place.put(to_c(value));
  }
}
inline void write_mixed(const set_place &place, const mixed &value) { place.put(to_c(value)); }

}  // namespace flexsync::detail

#endif
