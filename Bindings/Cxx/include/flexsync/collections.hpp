// SPDX-License-Identifier: Apache-2.0
/// @file Live lists, sets and dictionaries, and properties of type mixed.
///
/// They are the accessors to members of type `std::vector`, `std::set`, `std::map` and `mixed`. Elements of scalar
/// types are values, and those of links and embedded objects are `managed` objects. Thread and errors: as for objects.
#ifndef FLEXSYNC_COLLECTIONS_HPP
#define FLEXSYNC_COLLECTIONS_HPP

#include <flexsync/object.hpp>

namespace flexsync {

/// The index that `find` returns for what is not there.
inline constexpr size_t npos = SIZE_MAX;

/// The changes to an observed collection since the last call. All indexes ascend.
struct collection_change {
  /// Whether this is the first call, which lists nothing.
  bool is_initial = false;
  /// Indexes before the change of elements that were removed.
  std::vector<size_t> deletions;
  /// Indexes after the change of elements that were added.
  std::vector<size_t> insertions;
  /// Indexes after the change of objects that have changed, and of replaced elements of a list.
  std::vector<size_t> modifications;

  bool empty() const noexcept { return deletions.empty() && insertions.empty() && modifications.empty(); }
};

/// The changes to an observed dictionary since the last call, by key.
struct dictionary_change {
  bool is_initial = false;
  std::vector<std::string> deletions, insertions, modifications;

  bool empty() const noexcept { return deletions.empty() && insertions.empty() && modifications.empty(); }
};

namespace detail {

/// Goes through anything that has an `operator[]` for indexes, which `Pointer` leads to.
template <typename Collection, typename Pointer = const Collection *>
class index_iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = decltype(std::declval<const Collection &>()[size_t()]);
  using difference_type = std::ptrdiff_t;
  using pointer = arrow<value_type>;
  using reference = value_type;

  index_iterator(Pointer collection, size_t index) : collection_(std::move(collection)), index_(index) {}
  value_type operator*() const { return (*collection_)[index_]; }
  pointer operator->() const { return pointer(**this); }
  index_iterator &operator++() {
    index_++;
    return *this;
  }
  index_iterator operator++(int) {
    auto before = *this;
    index_++;
    return before;
  }
  friend bool operator==(const index_iterator &left, const index_iterator &right) {
    return left.index_ == right.index_;
  }
  friend bool operator!=(const index_iterator &left, const index_iterator &right) {
    return left.index_ != right.index_;
  }

 private:
  Pointer collection_;
  size_t index_;
};

/// The type that reading an element returns: a scalar, or an object.
template <typename Element>
struct element_reader {
  using value = Element;
  template <typename Place>
  static value read(const Place &place, const flx_value_t &native) {
    if constexpr (std::is_same_v<Element, mixed>) return read_mixed(place, native);
    else return codec<Element>::from_c(native);
  }
  static value read_value(const shared_realm &, const flx_value_t &native) {
    if constexpr (std::is_same_v<Element, mixed>) return from_c(native);
    else return codec<Element>::from_c(native);
  }
};
template <typename Class>
struct element_reader<Class *> {
  using value = managed<Class>;
  template <typename Place>
  static value read(const Place &place, const flx_value_t &native) {
    return read_value(place.realm, native);
  }
  static value read_value(const shared_realm &realm, const flx_value_t &native) {
    auto object = linked_object<Class>(realm, native);
    if (!object) throw error(status::object_invalidated, "The element leads to no object on this device.");
    return managed<Class>(std::move(object));
  }
};

inline handle<flx_list_t> open_collection(const property_source &source, flx_list_t *) { return source.place().list(); }
inline handle<flx_dictionary_t> open_collection(const property_source &source, flx_dictionary_t *) {
  return source.place().dictionary();
}
inline handle<flx_set_t> open_collection(const property_source &source, flx_set_t *) {
  return make<flx_set_t>(flx_object_get_set, source.handle(), source.key());
}

/// The base of lists, sets and dictionaries: their place, and the handle that stands for them.
template <typename Handle>
class collection_base {
 public:
  collection_base(property_source source) : realm_(source.realm()), source_(std::move(source)) {}
  /// Takes over what the library has returned. Not API.
  collection_base(shared_realm realm, handle<Handle> handle) : realm_(std::move(realm)), handle_(std::move(handle)) {}
  void flexsync_rebind(const collection_base &other) {
    realm_ = other.realm_;
    source_ = other.source_;
    handle_ = other.handle_;
  }
  const shared_realm &flexsync_realm() const noexcept { return realm_; }

  size_t size() const { return count(native_handle()); }
  bool empty() const { return size() == 0; }
  bool is_frozen() const noexcept { return realm_->is_frozen(); }
  /// The handle of the C interface, which stays owned by this collection.
  Handle *native_handle() const {
    frozen_lock lock(*realm_);
    if (!handle_) handle_ = open_collection(*source_, static_cast<Handle *>(nullptr));
    return handle_.get();
  }

 protected:
  ~collection_base() = default;
  collection_base(const collection_base &) = default;

  shared_realm realm_;

 private:
  std::optional<property_source> source_;
  mutable std::shared_ptr<Handle> handle_;
};

/// The userdata of a collection's observer. It keeps what it observes.
template <typename Change>
struct collection_observer {
  std::function<void(const Change &)> handler;
  shared_realm realm;

  static void call(void *userdata, const flx_collection_changes_t *changes) noexcept {
    Change change;
    change.is_initial = changes->is_initial;
    change.deletions.assign(changes->deletions, changes->deletions + changes->deletion_count);
    change.insertions.assign(changes->insertions, changes->insertions + changes->insertion_count);
    change.modifications.assign(changes->modifications, changes->modifications + changes->modification_count);
    static_cast<collection_observer *>(userdata)->handler(change);
  }
  static void call_with_keys(void *userdata, const flx_dictionary_changes_t *changes) noexcept {
    Change change;
    change.is_initial = changes->is_initial;
    copy(changes->deletions, changes->deletion_count, change.deletions);
    copy(changes->insertions, changes->insertion_count, change.insertions);
    copy(changes->modifications, changes->modification_count, change.modifications);
    static_cast<collection_observer *>(userdata)->handler(change);
  }

 private:
  template <typename Keys>
  static void copy(const flx_string_t *keys, size_t count, Keys &result) {
    for (size_t i = 0; i < count; i++) result.push_back(string(keys[i]));
  }
};

using collection_handler = std::function<void(const collection_change &)>;

/// Observes a list, a set or results.
template <typename Function, typename Handle>
notification_token observe_collection(Function function, Handle *handle, const shared_realm &realm,
                                      collection_handler handler, const std::vector<std::string> &key_paths) {
  key_path_list paths(key_paths);
  using observer = collection_observer<collection_change>;
  // GCC cannot tell that a member function of a template is meant without its type.
  void (*trampoline)(void *, const flx_collection_changes_t *) = observer::call;
  return detail::observe(observer{std::move(handler), realm}, trampoline, function, handle, paths.data(), paths.size());
}

}  // namespace detail

/// A live list.
template <typename Element>
struct managed<std::vector<Element>, std::enable_if_t<!std::is_same_v<Element, uint8_t>>>
    : detail::collection_base<flx_list_t> {
  using value_type = typename detail::element_reader<Element>::value;
  using iterator = detail::index_iterator<managed>;
  using detail::collection_base<flx_list_t>::collection_base;
  managed(const managed &) = default;
  managed &operator=(const managed &other) { return *this = other.detach(); }

  /// The element at an index. Throws index_out_of_bounds.
  value_type operator[](size_t index) const {
    detail::frozen_lock lock(*realm_);
    detail::list_place place{realm_, native_handle(), index};
    return detail::element_reader<Element>::read(place, place.get());
  }
  iterator begin() const { return {this, 0}; }
  iterator end() const { return {this, size()}; }
  /// The index of the first equal element, or `npos`. Visits the elements.
  template <typename Value>
  size_t find(const Value &value) const {
    for (size_t i = 0, count = size(); i < count; i++)
      if ((*this)[i] == value) return i;
    return npos;
  }
  /// A copy of the elements. Those of a list of links are `managed` objects.
  std::vector<value_type> detach() const {
    std::vector<value_type> result;
    for (size_t i = 0, count = size(); i < count; i++) result.push_back((*this)[i]);
    return result;
  }

  /// Replaces the content.
  template <typename Value>
  managed &operator=(const std::vector<Value> &values) {
    clear();
    for (const Value &value : values) push_back(value);
    return *this;
  }
  /// Replaces an element. Plain objects are added to the realm or, if the list holds embedded objects, copied into it;
  /// so do `insert` and `push_back`. Throws index_out_of_bounds.
  template <typename Value>
  void set(size_t index, const Value &value) {
    detail::assign<Element>(detail::list_place{realm_, native_handle(), index}, value);
  }
  /// Inserts an element before `index`, which may equal the size. Throws index_out_of_bounds.
  template <typename Value>
  void insert(size_t index, const Value &value) {
    detail::assign<Element>(detail::list_place{realm_, native_handle(), index, true}, value);
  }
  template <typename Value>
  void push_back(const Value &value) {
    insert(size(), value);
  }
  void pop_back() { erase(size() - 1); }
  /// Removes an element. Throws index_out_of_bounds.
  void erase(size_t index) { detail::call(flx_list_erase, native_handle(), index); }
  /// Moves an element, which ends up at index `to`. Throws index_out_of_bounds.
  void move(size_t from, size_t to) { detail::call(flx_list_move, native_handle(), from, to); }
  void clear() { detail::call(flx_list_clear, native_handle()); }

  /// The list or the dictionary in an element of a list of mixed values. Throws type_mismatch if there is none.
  managed<std::vector<mixed>> list(size_t index) const;
  managed<std::map<std::string, mixed>> dictionary(size_t index) const;

  /// The objects of a list of links, as live results.
  auto objects() const;

  /// Calls `handler` when the list has changed, until the token is destroyed: first with the next `refresh`, `write` or
  /// `begin_write`. With key paths, objects count as changed only if something has at the end of one of them. The token
  /// keeps the realm open. Thread: that of the realm.
  notification_token observe(detail::collection_handler handler, const std::vector<std::string> &key_paths = {}) const {
    return detail::observe_collection(flx_list_observe_key_paths, native_handle(), realm_, std::move(handler),
                                      key_paths);
  }
};

/// A live set. Its elements are sorted by value, null first, and links by the primary keys of their targets.
template <typename Element>
struct managed<std::set<Element>> : detail::collection_base<flx_set_t> {
  using value_type = typename detail::element_reader<Element>::value;
  using iterator = detail::index_iterator<managed>;
  using detail::collection_base<flx_set_t>::collection_base;
  managed(const managed &) = default;
  managed &operator=(const managed &other) {
    auto values = other.detach();
    clear();
    for (auto &value : values) insert(value);
    return *this;
  }

  value_type operator[](size_t index) const {
    detail::frozen_lock lock(*realm_);
    auto value = detail::fetch<flx_value_t>(flx_set_get, native_handle(), index);
    return detail::element_reader<Element>::read_value(realm_, value);
  }
  iterator begin() const { return {this, 0}; }
  iterator end() const { return {this, size()}; }
  /// The index of an element, or `npos`.
  template <typename Value>
  size_t find(const Value &value) const {
    size_t index = npos;
    with(value, [&](const flx_value_t &native) { detail::call(flx_set_find, native_handle(), &native, &index); });
    return index;
  }
  template <typename Value>
  bool contains(const Value &value) const {
    return find(value) != npos;
  }
  /// A copy of the elements. Those of a set of links are `managed` objects.
  std::vector<value_type> detach() const {
    std::vector<value_type> result;
    for (size_t i = 0, count = size(); i < count; i++) result.push_back((*this)[i]);
    return result;
  }

  /// Replaces the content.
  template <typename Value>
  managed &operator=(const std::set<Value> &values) {
    clear();
    for (const Value &value : values) insert(value);
    return *this;
  }
  /// Adds an element. Plain objects are added to the realm.
  template <typename Value>
  void insert(const Value &value) {
    detail::assign<Element>(detail::set_place{realm_, native_handle()}, value);
  }
  /// Removes an element. Returns whether the set contained it.
  template <typename Value>
  bool erase(const Value &value) {
    bool was_there = false;
    with(value, [&](const flx_value_t &native) { detail::call(flx_set_erase, native_handle(), &native, &was_there); });
    return was_there;
  }
  void clear() { detail::call(flx_set_clear, native_handle()); }

  /// The objects of a set of links, as live results.
  auto objects() const;
  /// As for a list.
  notification_token observe(detail::collection_handler handler, const std::vector<std::string> &key_paths = {}) const {
    return detail::observe_collection(flx_set_observe_key_paths, native_handle(), realm_, std::move(handler),
                                      key_paths);
  }

 private:
  /// Calls `use` with the value for C, as long as what it borrows from lives.
  template <typename Value, typename Use>
  static void with(const Value &value, Use use) {
    if constexpr (std::is_pointer_v<Element>) use(detail::link_value(detail::base_of(value).link().native()));
    else if constexpr (std::is_same_v<Element, mixed>) {
      const mixed converted(value);
      use(detail::to_c(converted));
    } else {
      const Element converted(value);
      use(detail::codec<Element>::to_c(converted));
    }
  }
};

/// An entry of a live dictionary, to assign to or read: `person.pets["first"] = dog`.
template <typename Dictionary>
class dictionary_entry {
 public:
  dictionary_entry(const Dictionary *dictionary, std::string key) : dictionary_(dictionary), key_(std::move(key)) {}
  template <typename Value>
  dictionary_entry &operator=(const Value &value) {
    dictionary_->put(key_, value);
    return *this;
  }
  dictionary_entry(const dictionary_entry &) = default;
  dictionary_entry &operator=(const dictionary_entry &other) { return *this = *other; }
  /// The value. Throws index_out_of_bounds if there is no such entry.
  typename Dictionary::mapped_type operator*() const { return dictionary_->at(key_); }
  operator typename Dictionary::mapped_type() const { return **this; }
  arrow<typename Dictionary::mapped_type> operator->() const { return arrow<typename Dictionary::mapped_type>(**this); }
  template <typename Value>
  friend bool operator==(const dictionary_entry &left, const Value &right) {
    return *left == right;
  }
  template <typename Value>
  friend bool operator!=(const dictionary_entry &left, const Value &right) {
    return !(*left == right);
  }

 private:
  const Dictionary *dictionary_;
  std::string key_;
};

namespace detail {

/// The values of a dictionary: those of links are optional, because a link may be null.
template <typename Element>
struct entry_reader : element_reader<Element> {};
template <typename Class>
struct entry_reader<Class *> {
  using value = std::optional<managed<Class>>;
  template <typename Place>
  static value read(const Place &place, const flx_value_t &native) {
    auto object = linked_object<Class>(place.realm, native);
    if (!object) return std::nullopt;
    return managed<Class>(std::move(object));
  }
};

}  // namespace detail

/// A live dictionary. Its entries are sorted by the bytes of their keys. Keys cannot begin with `$` or contain `.`.
template <typename Element>
struct managed<std::map<std::string, Element>> : detail::collection_base<flx_dictionary_t> {
  using mapped_type = typename detail::entry_reader<Element>::value;
  using value_type = std::pair<std::string, mapped_type>;
  using detail::collection_base<flx_dictionary_t>::collection_base;
  managed(const managed &) = default;
  managed &operator=(const managed &other) {
    auto entries = other.detach();
    clear();
    for (auto &[key, value] : entries) put(key, value);
    return *this;
  }

  /// An entry, to assign to or read.
  dictionary_entry<managed> operator[](std::string key) const { return {this, std::move(key)}; }
  /// The value of a key. Throws index_out_of_bounds if there is no such entry.
  mapped_type at(std::string_view key) const {
    auto value = find(key);
    if (!value) throw error(status::index_out_of_bounds, "The dictionary has no key '" + std::string(key) + "'.");
    return *std::move(value);
  }
  /// The value of a key, or nothing.
  std::optional<mapped_type> find(std::string_view key) const {
    detail::frozen_lock lock(*realm_);
    flx_value_t value;
    bool is_there;
    detail::call(flx_dictionary_get, native_handle(), detail::to_c(key), &value, &is_there);
    if (!is_there) return std::nullopt;
    return detail::entry_reader<Element>::read(detail::dictionary_place{realm_, native_handle(), key}, value);
  }
  bool contains(std::string_view key) const { return find(key).has_value(); }
  /// The entry at a position, in the order of the keys. Throws index_out_of_bounds.
  value_type entry(size_t position) const {
    detail::frozen_lock lock(*realm_);
    auto [name, value] = detail::entry_at(native_handle(), position);
    std::string key = detail::string(name);
    auto read = detail::entry_reader<Element>::read(detail::dictionary_place{realm_, native_handle(), key}, value);
    return {std::move(key), std::move(read)};
  }
  std::vector<std::string> keys() const {
    std::vector<std::string> result;
    for (size_t i = 0, count = size(); i < count; i++) {
      detail::frozen_lock lock(*realm_);
      result.push_back(detail::string(detail::entry_at(native_handle(), i).first));
    }
    return result;
  }
  /// A copy of the entries. The values of links are `managed` objects.
  std::map<std::string, mapped_type> detach() const {
    std::map<std::string, mapped_type> result;
    for (size_t i = 0, count = size(); i < count; i++) result.insert(entry(i));
    return result;
  }

  /// Replaces the content.
  template <typename Value>
  managed &operator=(const std::map<std::string, Value> &entries) {
    clear();
    for (auto &[key, value] : entries) put(key, value);
    return *this;
  }
  /// Adds an entry or replaces its value. Plain objects are added to the realm or, if the dictionary holds embedded
  /// objects, copied into it. Throws invalid_argument for a key that cannot be one.
  template <typename Value>
  void insert_or_assign(std::string_view key, const Value &value) {
    put(key, value);
  }
  /// Removes an entry. Returns whether there was one.
  bool erase(std::string_view key) {
    bool was_there = false;
    detail::call(flx_dictionary_erase, native_handle(), detail::to_c(key), &was_there);
    return was_there;
  }
  void clear() { detail::call(flx_dictionary_clear, native_handle()); }

  /// The list or the dictionary in an entry of a dictionary of mixed values. Throws type_mismatch if there is none.
  managed<std::vector<mixed>> list(std::string_view key) const;
  managed<std::map<std::string, mixed>> dictionary(std::string_view key) const;

  /// The objects of a dictionary of links, as live results in the order of the keys.
  auto objects() const;
  /// As for a list.
  notification_token observe(std::function<void(const dictionary_change &)> handler,
                             const std::vector<std::string> &key_paths = {}) const {
    detail::key_path_list paths(key_paths);
    using observer = detail::collection_observer<dictionary_change>;
    void (*trampoline)(void *, const flx_dictionary_changes_t *) = observer::call_with_keys;
    return detail::observe(observer{std::move(handler), realm_}, trampoline, flx_dictionary_observe_key_paths,
                           native_handle(), paths.data(), paths.size());
  }

 private:
  friend class dictionary_entry<managed>;
  template <typename Value>
  void put(std::string_view key, const Value &value) const {
    detail::assign<Element>(detail::dictionary_place{realm_, native_handle(), key}, value);
  }
};

/// A property that holds a value of any type.
template <>
struct managed<mixed> : detail::accessor {
  using detail::accessor::accessor;
  managed(const managed &) = default;
  managed &operator=(const managed &other) { return *this = other.detach(); }
  template <typename Value>
  managed &operator=(const Value &value) {
    detail::assign<mixed>(source_.place(), value);
    return *this;
  }
  /// A copy of the value, with everything in it.
  mixed detach() const {
    detail::frozen_lock lock(*source_.realm());
    auto place = source_.place();
    return detail::read_mixed(place, place.get());
  }
  operator mixed() const { return detach(); }
  /// The list or the dictionary that the property holds, live. Throws type_mismatch if there is none.
  managed<std::vector<mixed>> list() const { return {source_.realm(), source_.place().list()}; }
  managed<std::map<std::string, mixed>> dictionary() const { return {source_.realm(), source_.place().dictionary()}; }

  template <typename Value>
  friend bool operator==(const managed &left, const Value &right) {
    return left.detach() == mixed(right);
  }
  template <typename Value>
  friend bool operator!=(const managed &left, const Value &right) {
    return !(left == right);
  }
};

template <typename Element>
managed<std::vector<mixed>> managed<std::vector<Element>, std::enable_if_t<!std::is_same_v<Element, uint8_t>>>::list(
    size_t index) const {
  return {realm_, detail::list_place{realm_, native_handle(), index}.list()};
}
template <typename Element>
managed<std::map<std::string, mixed>>
managed<std::vector<Element>, std::enable_if_t<!std::is_same_v<Element, uint8_t>>>::dictionary(size_t index) const {
  return {realm_, detail::list_place{realm_, native_handle(), index}.dictionary()};
}
template <typename Element>
managed<std::vector<mixed>> managed<std::map<std::string, Element>>::list(std::string_view key) const {
  return {realm_, detail::dictionary_place{realm_, native_handle(), key}.list()};
}
template <typename Element>
managed<std::map<std::string, mixed>> managed<std::map<std::string, Element>>::dictionary(std::string_view key) const {
  return {realm_, detail::dictionary_place{realm_, native_handle(), key}.dictionary()};
}

namespace detail {

/// Copies the members of an object that have values of their own.
template <typename Class>
struct member_reader {
  const shared_object &state;
  Class &object;

  template <typename Member>
  void operator()(const char *, Member Class::*member, size_t position) const {
    if constexpr (property_type<Member>::is_stored) {
      if constexpr (!std::is_pointer_v<typename property_type<Member>::element>) {
        read(managed<Member>(property_source(state, position)), object.*member);
      }
    }
  }

 private:
  template <typename Value, typename Result>
  static void read(const managed<Value> &value, Result &result) {
    result = value.detach();
  }
  template <typename Element>
  static void read(const managed<std::set<Element>> &value, std::set<Element> &result) {
    for (auto &&element : value) result.insert(element);
  }
};

template <typename Class>
Class object_base<Class>::detach() const {
  Class result;
  schema_of<Class>::visit(member_reader<Class>{state_, result});
  return result;
}

}  // namespace detail
}  // namespace flexsync

#endif
