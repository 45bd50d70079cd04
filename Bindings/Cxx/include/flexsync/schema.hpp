// SPDX-License-Identifier: Apache-2.0
/// @file Classes: plain structs, and the macros that declare which of their members are stored.
///
///     struct Dog {
///       flexsync::primary_key<flexsync::object_id> _id = flexsync::object_id::generate();
///       std::string name;
///       std::optional<std::string> nickname;
///     };
///     FLEXSYNC_SCHEMA(Dog, _id, name, nickname)
///
///     struct Person {
///       flexsync::primary_key<flexsync::object_id> _id = flexsync::object_id::generate();
///       Dog *dog = nullptr;
///       std::vector<Dog *> kennel;
///     };
///     FLEXSYNC_SCHEMA(Person, _id, dog, kennel)
///
/// Members may be `bool`, integers and enumerations, `float`, `double`, `std::string`, `binary`, `timestamp` and
/// `std::chrono::system_clock::time_point`, `decimal128`, `object_id`, `uuid`, `std::optional` of these, `mixed`,
/// pointers to other classes (links, or embedded objects), `std::vector`, `std::set` and `std::map<std::string, …>` of
/// all of them, and `linking_objects`.
#ifndef FLEXSYNC_SCHEMA_HPP
#define FLEXSYNC_SCHEMA_HPP

#include <flexsync/detail/codec.hpp>
#include <flexsync/detail/for_each.hpp>

namespace flexsync {

/// The kind of objects in a class; see `flx_class_kind_t`.
enum class class_kind : int {
  top_level = FLX_CLASS_TOP_LEVEL,
  /// Objects that live inside other objects.
  embedded = FLX_CLASS_EMBEDDED,
  /// Objects that are uploaded but not kept on the device.
  asymmetric = FLX_CLASS_ASYMMETRIC,
};

/// A member that is not stored: the objects whose property `Property` leads to this object, such as
/// `linking_objects<&Person::dog> owners;`.
template <auto Property>
struct linking_objects {};

namespace detail {

template <typename Class>
struct tag {};
template <typename Pointer, Pointer Member>
struct member_tag {};

/// The name of a class or property, unless `FLEXSYNC_CLASS_NAME` or `FLEXSYNC_PROPERTY_NAME` gives it another.
template <typename Class>
constexpr const char *flexsync_class_name(tag<Class>, const char *declared) {
  return declared;
}
template <typename Pointer, Pointer Member>
constexpr const char *flexsync_property_name(member_tag<Pointer, Member>, const char *declared) {
  return declared;
}

/// The description of a class that the macros declare. They declare a function that is found by its argument, in any namespace.
template <typename Class>
using schema_of = decltype(flexsync_schema(tag<Class>{}));

template <typename Class, typename = void>
struct has_schema : std::false_type {};
template <typename Class>
struct has_schema<Class, std::void_t<schema_of<Class>>> : std::true_type {};

template <typename Class>
constexpr bool is_embedded = schema_of<Class>::kind == class_kind::embedded;

struct class_description;
using describe_function = const class_description &(*)();
template <typename Class>
const class_description &describe();

struct property_description {
  const char *name;
  flx_type_t type;
  flx_collection_t collection;
  bool is_nullable, is_primary_key, is_indexed;
  /// The class that it links to, or NULL.
  describe_function target;
};

struct class_description {
  const char *name;
  class_kind kind;
  std::vector<property_description> properties;
};

/// The type of a property, or of an element of one.
template <typename Member, typename = void>
struct element_type {
  static_assert(codec<Member>::is_scalar, "A member of this type cannot be stored.");
  static constexpr flx_type_t type = codec<Member>::type;
  static constexpr bool is_nullable = codec<Member>::is_nullable;
  static constexpr describe_function target() { return nullptr; }
};
template <>
struct element_type<mixed> {
  static constexpr flx_type_t type = FLX_TYPE_MIXED;
  static constexpr bool is_nullable = true;
  static constexpr describe_function target() { return nullptr; }
};
template <typename Class>
struct element_type<Class *> {
  static constexpr flx_type_t type = FLX_TYPE_LINK;
  static constexpr bool is_nullable = false;
  static constexpr describe_function target() { return &describe<Class>; }
};

template <typename Member>
struct property_type {
  using element = Member;
  static constexpr bool is_stored = true;
  static constexpr flx_collection_t collection = FLX_COLLECTION_NONE;
};
template <>
struct property_type<binary> {
  using element = binary;
  static constexpr bool is_stored = true;
  static constexpr flx_collection_t collection = FLX_COLLECTION_NONE;
};
template <typename Element>
struct property_type<std::vector<Element>> {
  using element = Element;
  static constexpr bool is_stored = true;
  static constexpr flx_collection_t collection = FLX_COLLECTION_LIST;
};
template <typename Element>
struct property_type<std::set<Element>> {
  using element = Element;
  static constexpr bool is_stored = true;
  static constexpr flx_collection_t collection = FLX_COLLECTION_SET;
};
template <typename Element>
struct property_type<std::map<std::string, Element>> {
  using element = Element;
  static constexpr bool is_stored = true;
  static constexpr flx_collection_t collection = FLX_COLLECTION_DICTIONARY;
};
template <auto Property>
struct property_type<linking_objects<Property>> {
  static constexpr bool is_stored = false;
};

template <typename Class, typename Member>
Member member_type(Member Class::*);

/// Collects the descriptions of the stored properties of a class.
struct property_collector {
  std::vector<property_description> properties;

  template <typename Class, typename Member>
  void operator()(const char *name, Member Class::*, size_t) {
    using kind = property_type<Member>;
    if constexpr (kind::is_stored) {
      using element = element_type<typename kind::element>;
      properties.push_back({name, element::type, kind::collection, element::is_nullable, is_primary_key<Member>::value,
                            is_indexed<Member>::value, element::target()});
    }
  }
};

template <typename Class>
const class_description &describe() {
  static const class_description description = [] {
    property_collector collector;
    schema_of<Class>::visit(collector);
    return class_description{schema_of<Class>::name, schema_of<Class>::kind, std::move(collector.properties)};
  }();
  return description;
}

/// The classes of the program, for configurations that name none.
inline std::vector<describe_function> &program_classes() {
  static std::vector<describe_function> classes;
  return classes;
}

inline bool register_class(describe_function describe) {
  program_classes().push_back(describe);
  return true;
}

/// Finds the name of a member by a pointer to it.
template <typename Wanted>
struct name_finder {
  Wanted wanted;
  const char *name = "";

  template <typename Pointer>
  void operator()(const char *candidate, Pointer pointer, size_t) {
    if constexpr (std::is_same_v<Pointer, Wanted>) {
      if (pointer == wanted) name = candidate;
    }
  }
};

template <typename Class, typename Member>
const char *name_of(Member Class::*member) {
  name_finder<Member Class::*> finder{member};
  schema_of<Class>::visit(finder);
  return finder.name;
}

/// The classes of a configuration, and those that they link to, as C sees them.
class class_list {
 public:
  class_list(const std::vector<describe_function> &classes, bool is_synced) {
    for (auto describe : classes) {
      // A local realm has no use for classes that are only uploaded.
      if (is_synced || describe().kind != class_kind::asymmetric) add(describe());
    }
    for (size_t i = 0; i < classes_.size(); i++) {
      classes_[i].properties = properties_[i].data();
      classes_[i].property_count = properties_[i].size();
    }
  }
  const flx_class_info_t *data() const noexcept { return classes_.data(); }
  size_t size() const noexcept { return classes_.size(); }

 private:
  void add(const class_description &description) {
    if (std::find(added_.begin(), added_.end(), &description) != added_.end()) return;
    added_.push_back(&description);
    flx_class_info_t info{};
    info.name = to_c(std::string_view(description.name));
    info.kind = static_cast<flx_class_kind_t>(description.kind);
    classes_.push_back(info);
    std::vector<flx_property_info_t> properties;
    for (const property_description &property : description.properties) {
      flx_property_info_t one{};
      one.name = to_c(std::string_view(property.name));
      one.type = property.type;
      one.collection = property.collection;
      if (property.target) one.link_target = to_c(std::string_view(property.target().name));
      one.is_nullable = property.is_nullable;
      one.is_primary_key = property.is_primary_key;
      one.is_indexed = property.is_indexed;
      properties.push_back(one);
    }
    properties_.push_back(std::move(properties));
    for (const property_description &property : description.properties)
      if (property.target) add(property.target());
  }

  std::vector<const class_description *> added_;
  std::vector<flx_class_info_t> classes_;
  std::vector<std::vector<flx_property_info_t>> properties_;
};

}  // namespace detail
}  // namespace flexsync

#define FLEXSYNC_POSITION_(cls, property) property,
#define FLEXSYNC_NAME_(cls, property) \
  flexsync_property_name(::flexsync::detail::member_tag<decltype(&cls::property), &cls::property>{}, #property)
#define FLEXSYNC_VISIT_(cls, property) \
  visitor(FLEXSYNC_NAME_(cls, property), &cls::property, static_cast<std::size_t>(flexsync_positions::property));
#define FLEXSYNC_MEMBER_(cls, property)                                      \
  typename FlexsyncFields::template field<decltype(cls::property)> property{ \
      this->flexsync_place(FLEXSYNC_NAME_(cls, property), static_cast<std::size_t>(flexsync_positions::property))};
#define FLEXSYNC_REBIND_(cls, property) this->property.flexsync_rebind(flexsync_other.property);

/// Declares what is stored of a struct, after the struct and in its namespace: the class has the name of the struct,
/// and the properties those of the members. `managed<cls>` has a member of the same name for each.
#define FLEXSYNC_CLASS_(kind_, cls, ...)                                                                        \
  struct flexsync_schema_of_##cls {                                                                             \
    static constexpr const char *name = flexsync_class_name(::flexsync::detail::tag<cls>{}, #cls);              \
    static constexpr ::flexsync::class_kind kind = kind_;                                                       \
    struct flexsync_positions {                                                                                 \
      enum : std::size_t { FLEXSYNC_FOR_EACH(FLEXSYNC_POSITION_, cls, __VA_ARGS__) };                           \
    };                                                                                                          \
    template <typename Visitor>                                                                                 \
    static void visit(Visitor &&visitor) {                                                                      \
      FLEXSYNC_FOR_EACH(FLEXSYNC_VISIT_, cls, __VA_ARGS__)                                                      \
    }                                                                                                           \
    template <typename FlexsyncFields>                                                                          \
    struct flexsync_members : FlexsyncFields::template base<cls> {                                              \
      using flexsync_base = typename FlexsyncFields::template base<cls>;                                        \
      using flexsync_base::flexsync_base;                                                                       \
      flexsync_members(const flexsync_members &flexsync_other) : flexsync_base(flexsync_other) {}               \
      flexsync_members &operator=(const flexsync_members &flexsync_other) {                                     \
        flexsync_base::operator=(flexsync_other);                                                               \
        FLEXSYNC_FOR_EACH(FLEXSYNC_REBIND_, cls, __VA_ARGS__)                                                   \
        return *this;                                                                                           \
      }                                                                                                         \
      FLEXSYNC_FOR_EACH(FLEXSYNC_MEMBER_, cls, __VA_ARGS__)                                                     \
    };                                                                                                          \
  };                                                                                                            \
  [[maybe_unused]] inline flexsync_schema_of_##cls flexsync_schema(::flexsync::detail::tag<cls>) { return {}; } \
  [[maybe_unused]] inline const bool flexsync_registered_##cls =                                                \
      ::flexsync::detail::register_class(&::flexsync::detail::describe<cls>);

/// Gives a class or a property another name than the struct or member has, such as one that is a word of C++. Before
/// the macro that declares the class, in the namespace of the struct.
#define FLEXSYNC_CLASS_NAME(cls, name)                                                                     \
  [[maybe_unused]] constexpr const char *flexsync_class_name(::flexsync::detail::tag<cls>, const char *) { \
    return name;                                                                                           \
  }
#define FLEXSYNC_PROPERTY_NAME(cls, member, name)                                           \
  [[maybe_unused]] constexpr const char *flexsync_property_name(                            \
      ::flexsync::detail::member_tag<decltype(&cls::member), &cls::member>, const char *) { \
    return name;                                                                            \
  }

/// A class of objects of their own.
#define FLEXSYNC_SCHEMA(cls, ...) FLEXSYNC_CLASS_(::flexsync::class_kind::top_level, cls, __VA_ARGS__)
/// A class of objects that live inside other objects, which have pointers to them.
#define FLEXSYNC_EMBEDDED_SCHEMA(cls, ...) FLEXSYNC_CLASS_(::flexsync::class_kind::embedded, cls, __VA_ARGS__)
/// A class of objects that are uploaded but not kept on the device.
#define FLEXSYNC_ASYMMETRIC_SCHEMA(cls, ...) FLEXSYNC_CLASS_(::flexsync::class_kind::asymmetric, cls, __VA_ARGS__)

#endif
