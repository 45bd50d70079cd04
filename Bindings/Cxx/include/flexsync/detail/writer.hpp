// SPDX-License-Identifier: Apache-2.0
/// @file Writes values, and plain objects with all that they lead to. Included by object.hpp. Not API.
#ifndef FLEXSYNC_DETAIL_WRITER_HPP
#define FLEXSYNC_DETAIL_WRITER_HPP

namespace flexsync {

/// The policy of `db::add` for an object whose primary key the realm already has.
enum class update_policy {
  /// Throw duplicate_primary_key.
  error,
  /// Give that object all the values of the new one.
  all,
};

namespace detail {

class object_writer;

template <typename Element, typename Place, typename Value>
void assign(const Place &place, const Value &value, object_writer *writer = nullptr);

/// Adds plain objects to a realm, each once, with those that they lead to.
class object_writer {
 public:
  object_writer(shared_realm realm, update_policy policy) : realm_(std::move(realm)), policy_(policy) {}

  template <typename Class>
  shared_object add(const Class &object) {
    static_assert(!is_embedded<Class>, "Embedded objects are added with the object that they are in.");
    auto known = added_.find(&object);
    if (known != added_.end()) return known->second;
    key_finder<Class> key{object};
    schema_of<Class>::visit(key);
    auto state = create<Class>(key.value);
    added_.emplace(&object, state);
    fill(state, object);
    return state;
  }

  /// Gives an object the values of a plain one, and only those to its collections.
  template <typename Class>
  void fill(const shared_object &state, const Class &object) {
    schema_of<Class>::visit(member_writer<Class>{*this, state, object});
  }

 private:
  template <typename Class>
  struct key_finder {
    const Class &object;
    flx_value_t value = {{}, FLX_TYPE_NULL};

    template <typename Member>
    void operator()(const char *, Member Class::*member, size_t) {
      if constexpr (is_primary_key<Member>::value) value = codec<Member>::to_c((object.*member).value);
    }
  };

  template <typename Class>
  shared_object create(const flx_value_t &key) {
    flx_class_key_t class_key = realm_->keys<Class>().key;
    if (policy_ == update_policy::all && key.type != FLX_TYPE_NULL) {
      auto found = share_object<Class>(realm_, make<flx_object_t>(flx_object_find, realm_->get(), class_key, &key));
      if (found) return found;
    }
    return share_object<Class>(realm_, make<flx_object_t>(flx_object_create, realm_->get(), class_key, &key));
  }

  template <typename Class>
  struct member_writer {
    object_writer &writer;
    const shared_object &state;
    const Class &object;

    template <typename Member>
    void operator()(const char *, Member Class::*member, size_t position) const {
      if constexpr (property_type<Member>::is_stored && !is_primary_key<Member>::value) {
        writer.write({state->realm, state->object.get(), state->keys->members[position].key}, object.*member);
      }
    }
  };

  template <typename Member>
  void write(const property_place &place, const Member &value) {
    const unwrapped_t<Member> &plain = value;
    assign<unwrapped_t<Member>>(place, plain, this);
  }
  void write(const property_place &place, const binary &value) { assign<binary>(place, value); }
  template <typename Element>
  void write(const property_place &place, const std::vector<Element> &elements) {
    auto list = place.list();
    if (count(list.get())) call(flx_list_clear, list.get());
    size_t index = 0;
    for (const Element &element : elements)
      assign<Element>(list_place{place.realm, list.get(), index++, true}, element, this);
  }
  template <typename Element>
  void write(const property_place &place, const std::set<Element> &elements) {
    auto set = make<flx_set_t>(flx_object_get_set, place.object, place.key);
    if (count(set.get())) call(flx_set_clear, set.get());
    for (const Element &element : elements) assign<Element>(set_place{place.realm, set.get()}, element, this);
  }
  template <typename Element>
  void write(const property_place &place, const std::map<std::string, Element> &entries) {
    auto dictionary = place.dictionary();
    if (count(dictionary.get())) call(flx_dictionary_clear, dictionary.get());
    for (auto &[key, value] : entries)
      assign<Element>(dictionary_place{place.realm, dictionary.get(), key}, value, this);
  }

  shared_realm realm_;
  update_policy policy_;
  std::unordered_map<const void *, shared_object> added_;
};

inline flx_value_t link_value(flx_link_t link) { return native_value(FLX_TYPE_LINK, &flx_value_t::link, link); }

/// Links a place to an object, or to a plain object that is added, or embeds a copy of a plain object.
template <typename Class, typename Place, typename Value>
void assign_link(const Place &place, const Value &value, object_writer *writer) {
  if constexpr (std::is_same_v<Value, std::nullptr_t> || std::is_same_v<Value, std::nullopt_t>) {
    place.put({{}, FLX_TYPE_NULL});
  } else if constexpr (std::is_pointer_v<Value> || is_optional<Value>::value) {
    if (value) assign_link<Class>(place, *value, writer);
    else assign_link<Class>(place, nullptr, writer);
  } else if constexpr (std::is_base_of_v<accessor, Value>) {
    assign_link<Class>(place, value.get(), writer);
  } else if constexpr (std::is_base_of_v<object_base<Class>, Value>) {
    place.put(link_value(base_of(value).link().native()));
  } else {
    static_assert(std::is_same_v<Value, Class>, "The object has another class than the property.");
    object_writer own(place.realm, update_policy::error);
    object_writer &used = writer ? *writer : own;
    if constexpr (is_embedded<Class>) {
      used.fill(share_object<Class>(place.realm, place.embed()), value);
    } else {
      place.put(link_value(flx_object_link(used.add(value)->object.get())));
    }
  }
}

/// Writes a value, converted to the type of the property or element, to a place.
template <typename Element, typename Place, typename Value>
void assign(const Place &place, const Value &value, object_writer *writer) {
  if constexpr (std::is_pointer_v<Element>) {
    assign_link<std::remove_pointer_t<Element>>(place, value, writer);
  } else if constexpr (std::is_base_of_v<accessor, Value>) {
    assign<Element>(place, value.detach(), writer);
  } else if constexpr (std::is_same_v<Element, mixed>) {
    write_mixed(place, mixed(value));
  } else if constexpr (std::is_same_v<Element, Value>) {
    place.put(codec<Element>::to_c(value));
  } else {
    const Element converted(value);
    place.put(codec<Element>::to_c(converted));
  }
}

}  // namespace detail
}  // namespace flexsync

#endif
