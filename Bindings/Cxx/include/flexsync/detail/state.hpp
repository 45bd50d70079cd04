// SPDX-License-Identifier: Apache-2.0
/// @file What objects, collections and results share: the realm, and the object that they belong to. Not API.
#ifndef FLEXSYNC_DETAIL_STATE_HPP
#define FLEXSYNC_DETAIL_STATE_HPP

#include <flexsync/detail/handle.hpp>
#include <flexsync/schema.hpp>

#include <mutex>
#include <unordered_map>

namespace flexsync::detail {

/// A member of a class in a realm; one that is not stored has the key 0.
struct member_key {
  flx_property_key_t key;
  const char *name;
  bool is_collection;
};

/// The keys of a class and its members in a realm.
struct class_keys {
  flx_class_key_t key = 0;
  std::vector<member_key> members;

  const member_key *find(flx_property_key_t wanted) const {
    for (const member_key &member : members)
      if (member.key == wanted) return &member;
    return nullptr;
  }
};

/// An open realm. All that is obtained from it shares it, so that it stays open for as long as it is needed or until it
/// is closed.
class realm_state {
 public:
  /// `is_borrowed` for a realm that a callback receives, which the library closes.
  explicit realm_state(flx_realm_t *handle, bool is_borrowed = false)
      : handle_(handle), is_borrowed_(is_borrowed), is_frozen_(flx_realm_is_frozen(handle)) {}
  realm_state(const realm_state &) = delete;
  realm_state &operator=(const realm_state &) = delete;
  ~realm_state() { close(); }

  flx_realm_t *get() const {
    if (!handle_) throw error(status::object_invalidated, "The realm is closed.");
    return handle_;
  }
  bool is_open() const noexcept { return handle_ != nullptr; }
  bool is_frozen() const noexcept { return is_frozen_; }
  void close() noexcept {
    if (handle_ && !is_borrowed_) flx_realm_release(handle_);
    handle_ = nullptr;
  }

  /// Throws no_such_class and no_such_property if the realm was opened with other classes.
  template <typename Class>
  const class_keys &keys() {
    std::lock_guard<std::mutex> lock(mutex_);
    const class_description &description = describe<Class>();
    auto found = keys_.find(&description);
    if (found != keys_.end()) return found->second;
    key_collector collector{get(), {}};
    collector.keys.key =
        fetch<flx_class_info_t>(flx_realm_find_class, get(), to_c(std::string_view(description.name))).key;
    schema_of<Class>::visit(collector);
    return keys_.emplace(&description, std::move(collector.keys)).first->second;
  }

 private:
  struct key_collector {
    flx_realm_t *realm;
    class_keys keys;

    template <typename Class, typename Member>
    void operator()(const char *name, Member Class::*, size_t) {
      if constexpr (property_type<Member>::is_stored) {
        auto info = fetch<flx_property_info_t>(flx_realm_find_property, realm, keys.key, to_c(std::string_view(name)));
        keys.members.push_back({info.key, name, property_type<Member>::collection != FLX_COLLECTION_NONE});
      } else {
        keys.members.push_back({0, name, true});
      }
    }
  };

  flx_realm_t *handle_;
  bool is_borrowed_, is_frozen_;
  std::mutex mutex_;
  std::unordered_map<const class_description *, class_keys> keys_;
};

using shared_realm = std::shared_ptr<realm_state>;

/// Makes other threads wait while text is copied that a frozen realm lends until its next call.
class frozen_lock {
 public:
  explicit frozen_lock(const realm_state &realm)
      : realm_(realm.is_frozen() && realm.is_open() ? realm.get() : nullptr) {
    if (realm_) flx_realm_lock(realm_);
  }
  frozen_lock(const frozen_lock &) = delete;
  frozen_lock &operator=(const frozen_lock &) = delete;
  ~frozen_lock() {
    if (realm_) flx_realm_unlock(realm_);
  }

 private:
  flx_realm_t *realm_;
};

/// An object of a realm, shared by its accessors.
struct object_state {
  shared_realm realm;
  handle<flx_object_t> object;
  /// NULL for an object whose class the program does not declare.
  const class_keys *keys = nullptr;
};

using shared_object = std::shared_ptr<object_state>;

template <typename Class>
shared_object share_object(const shared_realm &realm, handle<flx_object_t> object) {
  if (!object) return nullptr;
  return std::make_shared<object_state>(object_state{realm, std::move(object), &realm->keys<Class>()});
}

/// The object that a link leads to; NULL for null, and if it no longer exists.
template <typename Class>
shared_object linked_object(const shared_realm &realm, const flx_value_t &value) {
  if (value.type != FLX_TYPE_LINK) return nullptr;
  return share_object<Class>(realm, make<flx_object_t>(flx_object_get_linked, realm->get(), value.link));
}

}  // namespace flexsync::detail

#endif
