// SPDX-License-Identifier: Apache-2.0
/// @file Queries by operators: `realm.objects<Dog>().where([](auto &dog) { return dog.age > 3 && dog.name == "Rex";
/// })`.
///
/// The function gets a `query_object<Dog>`, which has a member for each property, and returns the condition that it
/// makes of them. It is not run for each object: the condition becomes a query text. For what operators cannot say,
/// `where` takes such a text (Docs/Queries.md). Any thread.
#ifndef FLEXSYNC_QUERY_HPP
#define FLEXSYNC_QUERY_HPP

#include <flexsync/collections.hpp>

namespace flexsync {

/// A condition, combined by `&&`, `||` and `!`.
class rbool {
 public:
  /// A condition in query language, in which `\x1f` stands for each argument. Not API; use `where` with a text.
  rbool(std::string text, std::vector<mixed> arguments) : text_(std::move(text)), arguments_(std::move(arguments)) {}

  /// The query text, with `$0`, `$1` … for the arguments.
  std::string text() const {
    std::string result;
    size_t number = 0;
    for (char character : text_) {
      if (character == '\x1f') result += "$" + std::to_string(number++);
      else result += character;
    }
    return result;
  }
  const std::vector<mixed> &arguments() const noexcept { return arguments_; }

  friend rbool operator&&(const rbool &left, const rbool &right) { return joined(left, " && ", right); }
  friend rbool operator||(const rbool &left, const rbool &right) { return joined(left, " || ", right); }
  friend rbool operator!(const rbool &condition) { return {"!(" + condition.text_ + ")", condition.arguments_}; }

 private:
  static rbool joined(const rbool &left, const char *word, const rbool &right) {
    auto arguments = left.arguments_;
    arguments.insert(arguments.end(), right.arguments_.begin(), right.arguments_.end());
    return {"(" + left.text_ + ")" + word + "(" + right.text_ + ")", std::move(arguments)};
  }

  std::string text_;
  std::vector<mixed> arguments_;
};

/// A property in a query.
template <typename Type, typename = void>
class query_property;

/// The argument that `where` passes to its function: it has a `query_property` for each member of `Class`.
template <typename Class>
struct query_object;

namespace detail {

/// A name as query texts have it. The number sign makes a name of words of the query language, and of texts in quotes.
inline std::string query_name(const std::string &name) {
  auto in_words = [](char one) {
    return one == '_' || (one >= '0' && one <= '9') || (one >= 'A' && one <= 'Z') || (one >= 'a' && one <= 'z');
  };
  bool is_word = std::all_of(name.begin(), name.end(), in_words) && !name.empty() && !(name[0] >= '0' && name[0] <= '9');
  if (is_word) return "#" + name;
  const char *quote = name.find('\'') == std::string::npos ? "'" : "\"";
  return "#" + (quote + name + quote);
}

/// Where a property is: the path that leads to it, with the ANY, ALL or NONE in front of it. In the text, `\x1f` stands
/// for each argument.
struct query_path {
  std::string text;
  std::vector<mixed> arguments = {};

  query_path to(const std::string &name) const {
    return {(text.empty() || text.back() == ' ' ? text : text + ".") + query_name(name), arguments};
  }
  query_path after(const char *word) const { return {word + text, arguments}; }
  query_path with(const char *rest) const { return {text + rest, arguments}; }
  query_path at(std::string_view key) const { return {text + "[\x1f]", joined(arguments, {mixed(key)})}; }

  static std::vector<mixed> joined(std::vector<mixed> left, const std::vector<mixed> &right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
  }
};

template <typename Class>
class query_base {
 public:
  query_base() = default;
  explicit query_base(query_path path) : path_(std::move(path)) {}
  query_path flexsync_place(const char *name, size_t) const { return path_.to(name); }

 private:
  query_path path_;
};

struct query_fields {
  template <typename Member>
  using field = query_property<Member>;
  template <typename Class>
  using base = query_base<Class>;
};

class query_property_base {
 public:
  query_property_base(query_path path) : path_(std::move(path)) {}
  /// The path in query language, with `$0`, `$1` … for the keys of dictionaries in it.
  std::string path() const { return rbool(path_.text, path_.arguments).text(); }

 protected:
  rbool compare(const char *word, const query_property_base &other) const {
    return {path_.text + word + other.path_.text, query_path::joined(path_.arguments, other.path_.arguments)};
  }
  rbool compare(const char *word, mixed value) const { return condition(path_, std::string(word) + "\x1f", {std::move(value)}); }
  /// A path followed by the rest of a condition.
  static rbool condition(const query_path &path, const std::string &rest, const std::vector<mixed> &arguments) {
    return {path.text + rest, query_path::joined(path.arguments, arguments)};
  }

  query_path path_;
};

/// The argument for a value that is compared with a property of type `Type`.
template <typename Type, typename Value>
mixed argument(const Value &value) {
  if constexpr (std::is_base_of_v<accessor, Value>) return mixed(unwrapped_t<Type>(value.detach()));
  else if constexpr (std::is_same_v<Type, mixed>) return mixed(value);
  else return mixed(unwrapped_t<Type>(value));
}

template <typename Values, typename Convert>
mixed list_argument(const Values &values, Convert convert) {
  mixed::list list;
  for (const auto &value : values) list.push_back(convert(value));
  return list;
}

/// Comparisons of a property with values of `Type` and with other properties.
template <typename Type>
class comparable : public query_property_base {
 public:
  using query_property_base::query_property_base;

#define FLEXSYNC_COMPARE_(operator_)                      \
  template <typename Value>                               \
  rbool operator operator_(const Value &value) const {    \
    return this->compare_with(" " #operator_ " ", value); \
  }
  FLEXSYNC_COMPARE_(==)
  FLEXSYNC_COMPARE_(!=)
  FLEXSYNC_COMPARE_(<)
  FLEXSYNC_COMPARE_(>)
  FLEXSYNC_COMPARE_(<=)
  FLEXSYNC_COMPARE_(>=)
#undef FLEXSYNC_COMPARE_

  /// Whether the value is one of these.
  rbool in(const std::vector<unwrapped_t<Type>> &values) const {
    return compare(" IN ", list_argument(values, [](const auto &value) { return argument<Type>(value); }));
  }
  /// Whether the value is between two others, or one of them.
  template <typename From, typename To>
  rbool between(const From &from, const To &to) const {
    return this->condition(this->path_, " BETWEEN {\x1f, \x1f}", {argument<Type>(from), argument<Type>(to)});
  }

 protected:
  template <typename Value>
  rbool compare_with(const char *word, const Value &value) const {
    if constexpr (std::is_base_of_v<query_property_base, Value>)
      return compare(word, static_cast<const query_property_base &>(value));
    else return compare(word, argument<Type>(value));
  }
};

template <typename Type>
struct is_text : std::is_same<unwrapped_t<Type>, std::string> {};
template <>
struct is_text<std::optional<std::string>> : std::true_type {};
template <>
struct is_text<mixed> : std::true_type {};

/// Conditions on text. `ignores_case` makes them ignore case.
template <typename Type>
class text_property : public comparable<Type> {
 public:
  using comparable<Type>::comparable;

  rbool contains(std::string_view text, bool ignores_case = false) const {
    return match("CONTAINS", text, ignores_case);
  }
  rbool begins_with(std::string_view text, bool ignores_case = false) const {
    return match("BEGINSWITH", text, ignores_case);
  }
  rbool ends_with(std::string_view text, bool ignores_case = false) const {
    return match("ENDSWITH", text, ignores_case);
  }
  /// `?` stands for one character and `*` for any number of them.
  rbool like(std::string_view pattern, bool ignores_case = false) const { return match("LIKE", pattern, ignores_case); }
  rbool equals_ignoring_case(std::string_view text) const { return match("==", text, true); }

 private:
  rbool match(const char *word, std::string_view text, bool ignores_case) const {
    return this->compare((std::string(" ") + word + (ignores_case ? "[c] " : " ")).c_str(), mixed(text));
  }
};

}  // namespace detail

template <typename Type>
class query_property<Type, std::enable_if_t<detail::codec<Type>::is_scalar || std::is_same_v<Type, mixed>>>
    : public std::conditional_t<detail::is_text<Type>::value, detail::text_property<Type>, detail::comparable<Type>> {
 public:
  using base = std::conditional_t<detail::is_text<Type>::value, detail::text_property<Type>, detail::comparable<Type>>;
  using base::base;
};

/// A property of type bool is also a condition by itself.
template <>
class query_property<bool> : public detail::comparable<bool> {
 public:
  using comparable::comparable;
  operator rbool() const { return *this == true; }
  friend rbool operator!(const query_property &property) { return property == false; }
};

/// A link or an embedded object in a query: `person.dog->name == "Rex"`, `person.dog == nullptr`.
template <typename Class>
class query_property<Class *> : public detail::query_property_base {
 public:
  using query_property_base::query_property_base;
  arrow<query_object<Class>> operator->() const { return arrow<query_object<Class>>(query_object<Class>(path_)); }
  template <typename Value>
  rbool operator==(const Value &value) const {
    return compare(" == ", mixed(value));
  }
  template <typename Value>
  rbool operator!=(const Value &value) const {
    return compare(" != ", mixed(value));
  }
};

namespace detail {

/// An element of a collection in a query: an object, or a value.
template <typename Element>
struct query_element {
  using type = query_property<Element>;
};
template <typename Class>
struct query_element<Class *> {
  using type = query_object<Class>;
};

/// Conditions on collections.
template <typename Element>
class query_collection : public query_property_base {
 public:
  using query_property_base::query_property_base;
  using element = typename query_element<Element>::type;

  /// Conditions on the elements, of which any, all or none must satisfy them: `team.tasks.any().completed == false`.
  element any() const { return element(path_.after("ANY ")); }
  element all() const { return element(path_.after("ALL ")); }
  element none() const { return element(path_.after("NONE ")); }
  query_property<int64_t> size() const { return path_.with(".@count"); }
  rbool empty() const { return size() == 0; }
  template <typename Value>
  rbool contains(const Value &value) const {
    if constexpr (std::is_pointer_v<Element>) return condition(path_.after("ANY "), " == \x1f", {mixed(value)});
    else return condition(path_.after("ANY "), " == \x1f", {argument<Element>(value)});
  }
  query_property<Element> min() const { return path_.with(".@min"); }
  query_property<Element> max() const { return path_.with(".@max"); }
  query_property<Element> sum() const { return path_.with(".@sum"); }
  query_property<double> average() const { return path_.with(".@avg"); }
};

}  // namespace detail

template <typename Element>
class query_property<std::vector<Element>, std::enable_if_t<!std::is_same_v<Element, uint8_t>>>
    : public detail::query_collection<Element> {
 public:
  using detail::query_collection<Element>::query_collection;
};
template <typename Element>
class query_property<std::set<Element>> : public detail::query_collection<Element> {
 public:
  using detail::query_collection<Element>::query_collection;
};
/// The conditions of a dictionary are on its values, and on the value of a key: `item.counts["a"] > 3`.
template <typename Element>
class query_property<std::map<std::string, Element>> : public detail::query_collection<Element> {
 public:
  using detail::query_collection<Element>::query_collection;
  query_property<Element> operator[](std::string_view key) const {
    return this->path_.at(key);
  }
  rbool contains_key(std::string_view key) const {
    return this->condition(this->path_.after("ANY "), ".@keys == \x1f", {mixed(key)});
  }
};
/// The objects that link to this one.
template <auto Property>
class query_property<linking_objects<Property>> {
 public:
  query_property(const detail::query_path &) {}
};

template <typename Class>
struct query_object : detail::schema_of<Class>::template flexsync_members<detail::query_fields> {
  using flexsync_properties = typename detail::schema_of<Class>::template flexsync_members<detail::query_fields>;
  using flexsync_properties::flexsync_properties;
  query_object() : flexsync_properties(detail::query_path{}) {}
};

/// Checks the syntax of a query text. Throws query_syntax. Any thread.
inline void parse_query(std::string_view query) {
  detail::call(flx_query_parse, detail::to_c(query), static_cast<size_t *>(nullptr));
}

namespace detail {

/// Whether something can be called to make a condition on a class.
template <typename Function, typename Class, typename = void>
struct is_query : std::false_type {};
template <typename Function, typename Class>
struct is_query<Function, Class,
                std::enable_if_t<std::is_convertible_v<std::invoke_result_t<Function, query_object<Class> &>, rbool>>>
    : std::true_type {};

template <typename Function, typename Class>
using if_query = std::enable_if_t<is_query<Function, Class>::value, int>;

template <typename Class, typename Function>
rbool make_query(Function &&function) {
  query_object<Class> object;
  return function(object);
}

}  // namespace detail
}  // namespace flexsync

#endif
