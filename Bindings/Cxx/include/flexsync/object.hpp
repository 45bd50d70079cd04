// SPDX-License-Identifier: Apache-2.0
/// @file Objects of a realm: `managed<Dog>` has an accessor for each stored member of `Dog`, of the same name.
///
/// Reading an accessor reads the realm, and assigning to it writes it, which needs a write transaction. To keep a
/// value, convert it (`std::string name = dog.name;`) or call `detach()`; `auto` keeps the accessor.
///
/// Thread: that of the realm; for objects of a frozen realm, any. All functions throw object_invalidated for an object
/// that was deleted, or whose realm was closed, and writing throws not_in_write_transaction outside of one.
#ifndef FLEXSYNC_OBJECT_HPP
#define FLEXSYNC_OBJECT_HPP

#include <flexsync/detail/places.hpp>

#include <functional>

namespace flexsync {

/// An object of a realm, or an accessor to a property of one: the type of the member in `managed<…>`.
template <typename Type, typename = void>
struct managed;

template <typename Class>
class results;

/// A change of a property of an observed object.
struct property_change {
  std::string name;
  /// Nothing for collections and if this handle's own commit changed it.
  std::optional<mixed> old_value;
  /// Nothing for collections.
  std::optional<mixed> new_value;
};

/// The changes of an observed object, or its deletion.
struct object_change {
  /// Whether the object was deleted; then no property is listed and no further call follows.
  bool is_deleted = false;
  std::vector<property_change> property_changes;
  /// The indexes of the key paths on which something changed, if there are key paths.
  std::vector<size_t> key_paths;
};

/// Where a link leads; see `flx_link_state_t`.
enum class link_state : int {
  null = FLX_LINK_NULL,
  /// To an object on this device.
  resolved = FLX_LINK_RESOLVED,
  /// To an object that is not on this device.
  out_of_view = FLX_LINK_OUT_OF_VIEW,
};

namespace detail {

template <typename Class>
using if_object = std::enable_if_t<has_schema<Class>::value>;

/// A list of key paths, for C.
class key_path_list {
 public:
  explicit key_path_list(const std::vector<std::string> &key_paths) {
    for (const std::string &path : key_paths) paths_.push_back(to_c(std::string_view(path)));
  }
  const flx_string_t *data() const noexcept { return paths_.data(); }
  size_t size() const noexcept { return paths_.size(); }

 private:
  std::vector<flx_string_t> paths_;
};

/// A property of an object that the accessor keeps.
class property_source {
 public:
  property_source(shared_object object, size_t position) : object_(std::move(object)), position_(position) {}

  const shared_object &object() const noexcept { return object_; }
  const shared_realm &realm() const noexcept { return object_->realm; }
  flx_object_t *handle() const noexcept { return object_->object.get(); }
  flx_property_key_t key() const { return object_->keys->members[position_].key; }
  property_place place() const { return {object_->realm, handle(), key()}; }

 private:
  shared_object object_;
  size_t position_;
};

/// The base of all accessors.
class accessor {
 public:
  accessor(property_source source) : source_(std::move(source)) {}
  /// Makes this an accessor to what `other` accesses. Not API: assigning writes a value.
  void flexsync_rebind(const accessor &other) { source_ = other.source_; }
  const property_source &flexsync_source() const noexcept { return source_; }

 protected:
  property_source source_;
};

/// The base of all objects.
template <typename Class>
class object_base {
 public:
  /// Takes over what the library has returned. Not API.
  explicit object_base(shared_object state) : state_(std::move(state)) {}
  const shared_object &flexsync_state() const noexcept { return state_; }
  property_source flexsync_place(const char *, size_t position) const { return {state_, position}; }

  /// Whether the object still exists.
  bool is_valid() const { return flx_object_is_valid(state_->object.get()); }
  bool is_frozen() const noexcept { return state_->realm->is_frozen(); }
  /// The link to this object, as a value.
  object_link link() const { return object_link(flx_object_link(state_->object.get())); }
  /// The handle of the C interface, which stays owned by this object.
  flx_object_t *native_handle() const noexcept { return state_->object.get(); }

  /// Calls `handler` when the object has changed, until the token is destroyed: within `refresh`, `write` and
  /// `begin_write`, on the thread of the realm. With key paths, such as "owner.name", only if something has changed at
  /// the end of one of them. The token keeps the realm open. Throws no_such_property for a path that leads nowhere.
  notification_token observe(std::function<void(const object_change &)> handler,
                             const std::vector<std::string> &key_paths = {}) const;

  /// The objects that link to this one by a property: `dog.linking<&Person::dog>()`.
  template <auto Property>
  auto linking() const;

  /// A copy of the values, without links and embedded objects.
  Class detach() const;

  friend bool operator==(const object_base &left, const object_base &right) { return left.link() == right.link(); }
  friend bool operator!=(const object_base &left, const object_base &right) { return left.link() != right.link(); }

 private:
  shared_object state_;
};

/// The members of an object that are not properties; properties may have the same names.
template <typename Class>
const object_base<Class> &base_of(const object_base<Class> &object) {
  return object;
}

struct managed_fields {
  template <typename Member>
  using field = managed<Member>;
  template <typename Class>
  using base = object_base<Class>;
};

}  // namespace detail

/// An object of a realm. Copies are the same object; assigning makes it another one.
template <typename Class>
struct managed<Class, detail::if_object<Class>>
    : detail::schema_of<Class>::template flexsync_members<detail::managed_fields> {
  using flexsync_properties = typename detail::schema_of<Class>::template flexsync_members<detail::managed_fields>;
  using flexsync_properties::flexsync_properties;
  operator mixed() const { return detail::base_of(*this).link(); }
};

namespace detail {

template <typename Class, typename Function>
struct accessor_visitor {
  const shared_object &state;
  Function &function;

  template <typename Member>
  void operator()(const char *name, Member Class::*, size_t position) const {
    if constexpr (property_type<Member>::is_stored) {
      function(std::string_view(name), managed<Member>(property_source(state, position)));
    }
  }
};

}  // namespace detail

/// Calls a function with the name of each property of an object and the accessor to it, in declared order.
template <typename Class, typename Function>
void for_each_property(const managed<Class> &object, Function &&function) {
  detail::schema_of<Class>::visit(detail::accessor_visitor<Class, Function>{object.flexsync_state(), function});
}

/// The return type of an accessor's `->`: an object that lives until the end of the expression.
template <typename Value>
class arrow {
 public:
  explicit arrow(Value value) : value_(std::move(value)) {}
  Value *operator->() noexcept { return &value_; }

 private:
  Value value_;
};

}  // namespace flexsync

#include <flexsync/detail/writer.hpp>

namespace flexsync {
namespace detail {

/// An accessor to a scalar. Compared, output and converted like the value.
template <typename Type>
class scalar_accessor : public accessor {
 public:
  using value_type = unwrapped_t<Type>;
  using accessor::accessor;

  /// The value.
  value_type detach() const {
    frozen_lock lock(*source_.realm());
    return codec<value_type>::from_c(source_.place().get());
  }
  operator value_type() const { return detach(); }
  template <typename Value>
  void set(const Value &value) {
    assign<value_type>(source_.place(), value);
  }

 protected:
  /// Adds to an integer so that additions on several devices add up, and to other numbers by writing the sum. Null
  /// stays null.
  template <typename Number>
  void add(const Number &number) {
    if constexpr (codec<value_type>::type == FLX_TYPE_INT) {
      call(flx_object_add_integer, source_.handle(), source_.key(), static_cast<int64_t>(number));
    } else if constexpr (is_optional<value_type>::value) {
      if (auto value = detach()) set(value_type(*value + number));
    } else {
      set(value_type(detach() + number));
    }
  }
};

template <typename Other>
using if_plain = std::enable_if_t<!std::is_base_of_v<accessor, Other>, int>;

#define FLEXSYNC_COMPARE_(operator_)                                                                \
  template <typename Type, typename Other, if_plain<Other> = 0>                                     \
  bool operator operator_(const scalar_accessor<Type> &left, const Other &right) {                  \
    return left.detach() operator_ right;                                                           \
  }                                                                                                 \
  template <typename Type, typename Other, if_plain<Other> = 0>                                     \
  bool operator operator_(const Other &left, const scalar_accessor<Type> &right) {                  \
    return left operator_ right.detach();                                                           \
  }                                                                                                 \
  template <typename Type, typename Other>                                                          \
  bool operator operator_(const scalar_accessor<Type> &left, const scalar_accessor<Other> &right) { \
    return left.detach() operator_ right.detach();                                                  \
  }
FLEXSYNC_COMPARE_(==)
FLEXSYNC_COMPARE_(!=)
FLEXSYNC_COMPARE_(<)
FLEXSYNC_COMPARE_(>)
FLEXSYNC_COMPARE_(<=)
FLEXSYNC_COMPARE_(>=)
#undef FLEXSYNC_COMPARE_

template <typename Type>
std::ostream &operator<<(std::ostream &stream, const scalar_accessor<Type> &value) {
  if constexpr (is_optional<unwrapped_t<Type>>::value) {
    auto detached = value.detach();
    return detached ? stream << *detached : stream << "null";
  } else {
    return stream << value.detach();
  }
}

}  // namespace detail

/// An accessor to a scalar.
template <typename Type>
struct managed<Type, std::enable_if_t<detail::codec<Type>::is_scalar>> : detail::scalar_accessor<Type> {
  using detail::scalar_accessor<Type>::scalar_accessor;
  managed(const managed &) = default;
  managed &operator=(const managed &other) { return *this = other.detach(); }
  template <typename Value>
  managed &operator=(const Value &value) {
    this->set(value);
    return *this;
  }
  /// Adds to a number. Additions to an integer on several devices add up.
  template <typename Number>
  managed &operator+=(const Number &number) {
    this->add(number);
    return *this;
  }
  template <typename Number>
  managed &operator-=(const Number &number) {
    this->add(-number);
    return *this;
  }
  managed &operator++() { return *this += 1; }
  managed &operator--() { return *this -= 1; }
  void operator++(int) { *this += 1; }
  void operator--(int) { *this -= 1; }
};

/// An accessor to a link or an embedded object.
template <typename Class>
struct managed<Class *> : detail::accessor {
  using detail::accessor::accessor;
  managed(const managed &) = default;
  managed &operator=(const managed &other) {
    set(other.get());
    return *this;
  }
  /// Links to an object of the realm, or to none; adds a plain object to the realm, or embeds a copy of it.
  template <typename Value>
  managed &operator=(const Value &value) {
    set(value);
    return *this;
  }
  template <typename Value>
  void set(const Value &value) {
    detail::assign<Class *>(source_.place(), value);
  }
  /// The object; nothing if the link is null or leads to an object that is not on this device.
  std::optional<managed<Class>> get() const {
    auto object = detail::linked_object<Class>(source_.realm(), source_.place().get());
    if (!object) return std::nullopt;
    return managed<Class>(std::move(object));
  }
  /// The object. Throws object_invalidated if there is none.
  managed<Class> operator*() const {
    auto object = get();
    if (!object) throw error(status::object_invalidated, "The link leads to no object on this device.");
    return *object;
  }
  arrow<managed<Class>> operator->() const { return arrow<managed<Class>>(**this); }
  explicit operator bool() const { return source_.place().get().type == FLX_TYPE_LINK; }

  /// Whether the link is null or leads to an object that is not on this device, and the primary key of that object.
  /// Throws type_mismatch for an embedded object.
  std::pair<link_state, mixed> state() const {
    detail::frozen_lock lock(*source_.realm());
    flx_link_state_t state;
    flx_value_t key;
    detail::call(flx_object_get_link_state, source_.handle(), source_.key(), &state, &key);
    return {static_cast<link_state>(state), detail::from_c(key)};
  }

  friend bool operator==(const managed &left, std::nullptr_t) { return !left; }
  friend bool operator!=(const managed &left, std::nullptr_t) { return static_cast<bool>(left); }
  friend bool operator==(const managed &left, const managed<Class> &right) {
    auto object = left.get();
    return object && *object == right;
  }
  friend bool operator!=(const managed &left, const managed<Class> &right) { return !(left == right); }
};

/// An accessor to a member whose type is `linking_objects`: the objects that link to this one.
template <auto Property>
struct managed<linking_objects<Property>> : detail::accessor {
  using detail::accessor::accessor;
  managed(const managed &) = default;
  managed &operator=(const managed &) = delete;
  /// Live results.
  auto objects() const;
  size_t size() const { return objects().size(); }
  auto operator[](size_t index) const { return objects()[index]; }
  auto begin() const;
  auto end() const;
};

namespace detail {

/// Copies the changes that C lends to a callback.
inline object_change copy_changes(const object_state &state, const flx_object_changes_t &changes) {
  object_change result;
  result.is_deleted = changes.is_deleted;
  result.key_paths.assign(changes.key_paths, changes.key_paths + changes.key_path_count);
  for (size_t i = 0; i < changes.property_count; i++) {
    const member_key *member = state.keys->find(changes.properties[i]);
    if (!member) continue;
    property_change one{member->name, std::nullopt, std::nullopt};
    if (!member->is_collection) {
      if (changes.old_values) one.old_value = from_c(changes.old_values[i]);
      property_place place{state.realm, state.object.get(), member->key};
      one.new_value = read_mixed(place, place.get());
    }
    result.property_changes.push_back(std::move(one));
  }
  return result;
}

/// The userdata of an object's observer.
struct object_observer {
  shared_object state;
  std::function<void(const object_change &)> handler;

  static void call(void *userdata, const flx_object_changes_t *changes) noexcept {
    auto &self = *static_cast<object_observer *>(userdata);
    self.handler(copy_changes(*self.state, *changes));
  }
};

template <typename Class>
notification_token object_base<Class>::observe(std::function<void(const object_change &)> handler,
                                               const std::vector<std::string> &key_paths) const {
  key_path_list paths(key_paths);
  return detail::observe(object_observer{state_, std::move(handler)}, object_observer::call,
                         flx_object_observe_key_paths, state_->object.get(), paths.data(), paths.size());
}

}  // namespace detail
}  // namespace flexsync

#endif
