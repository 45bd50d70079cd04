// SPDX-License-Identifier: Apache-2.0
/// @file Types of values that C++ does not have: object ids, UUIDs, decimals, timestamps, and values of any type.
/// They are plain values: any thread, no realm needed.
#ifndef FLEXSYNC_VALUES_HPP
#define FLEXSYNC_VALUES_HPP

#include <flexsync/error.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <map>
#include <optional>
#include <ostream>
#include <random>
#include <set>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace flexsync {

using binary = std::vector<uint8_t>;

namespace detail {

/// Gives a type whose values are compared as `order` says all six comparisons, and output by `to_string`.
template <typename Type>
struct ordered {
  friend bool operator==(const Type &left, const Type &right) { return left.order(right) == 0; }
  friend bool operator!=(const Type &left, const Type &right) { return left.order(right) != 0; }
  friend bool operator<(const Type &left, const Type &right) { return left.order(right) < 0; }
  friend bool operator>(const Type &left, const Type &right) { return left.order(right) > 0; }
  friend bool operator<=(const Type &left, const Type &right) { return left.order(right) <= 0; }
  friend bool operator>=(const Type &left, const Type &right) { return left.order(right) >= 0; }
  friend std::ostream &operator<<(std::ostream &stream, const Type &value) { return stream << value.to_string(); }
};

}  // namespace detail

/// An ObjectId: twelve bytes. A new one is all zeros; `generate` makes one that no other device makes.
class object_id : public detail::ordered<object_id> {
 public:
  object_id() = default;
  /// Parses 24 hexadecimal digits. Throws invalid_argument for anything else.
  explicit object_id(std::string_view text) {
    if (!flx_object_id_parse(detail::to_c(text), &value_))
      throw error(status::invalid_argument,
                  "'" + std::string(text) + "' is not an object id of 24 hexadecimal digits.");
  }
  explicit object_id(const flx_object_id_t &value) : value_(value) {}

  static object_id generate() { return object_id(flx_object_id_generate()); }
  /// 24 lowercase hexadecimal digits.
  std::string to_string() const {
    char text[25];
    flx_object_id_format(&value_, text);
    return text;
  }
  int order(const object_id &other) const { return std::memcmp(value_.bytes, other.value_.bytes, sizeof value_.bytes); }
  const flx_object_id_t &native() const noexcept { return value_; }

 private:
  flx_object_id_t value_{};
};

/// A UUID. A new one is all zeros; `generate` makes a random one.
class uuid : public detail::ordered<uuid> {
 public:
  uuid() = default;
  /// Parses "18de7916-7f84-11ec-a8a3-0242ac120002". Throws invalid_argument for anything else.
  explicit uuid(std::string_view text) {
    size_t digits = 0;
    for (size_t i = 0; i < text.size() && digits < 32; i++) {
      bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
      int digit = digit_of(text[i]);
      if (is_dash ? text[i] != '-' : digit < 0) break;
      if (is_dash) continue;
      uint8_t &byte = value_.bytes[digits++ / 2];
      byte = static_cast<uint8_t>(byte << 4 | digit);
    }
    if (digits != 32 || text.size() != 36)
      throw error(status::invalid_argument, "'" + std::string(text) + "' is not a UUID.");
  }
  explicit uuid(const flx_uuid_t &value) : value_(value) {}

  static uuid generate() {
    std::random_device device;
    uuid result;
    for (uint8_t &byte : result.value_.bytes) byte = static_cast<uint8_t>(device());
    result.value_.bytes[6] = static_cast<uint8_t>((result.value_.bytes[6] & 0x0f) | 0x40);
    result.value_.bytes[8] = static_cast<uint8_t>((result.value_.bytes[8] & 0x3f) | 0x80);
    return result;
  }
  std::string to_string() const {
    std::string text;
    for (size_t i = 0; i < sizeof value_.bytes; i++) {
      if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
      text += "0123456789abcdef"[value_.bytes[i] >> 4];
      text += "0123456789abcdef"[value_.bytes[i] & 15];
    }
    return text;
  }
  int order(const uuid &other) const { return std::memcmp(value_.bytes, other.value_.bytes, sizeof value_.bytes); }
  const flx_uuid_t &native() const noexcept { return value_; }

 private:
  static int digit_of(char character) {
    if (character >= '0' && character <= '9') return character - '0';
    char lowercase = static_cast<char>(character | 0x20);
    return lowercase >= 'a' && lowercase <= 'f' ? lowercase - 'a' + 10 : -1;
  }

  flx_uuid_t value_{};
};

/// A decimal number of up to 34 digits. Compared by value: 1.0 equals 1.00, and not-a-number equals itself.
class decimal128 : public detail::ordered<decimal128> {
 public:
  decimal128() : decimal128("0") {}
  /// Parses a number such as "-12.50" or "1.5E-3", "inf" or "nan". Throws invalid_argument for anything else.
  explicit decimal128(std::string_view text) {
    if (!flx_decimal_parse(detail::to_c(text), &value_))
      throw error(status::invalid_argument, "'" + std::string(text) + "' is not a decimal number.");
  }
  explicit decimal128(const char *text) : decimal128(std::string_view(text)) {}
  template <typename Integer, typename = std::enable_if_t<std::is_integral_v<Integer>>>
  decimal128(Integer value) : decimal128(std::string_view(std::to_string(value))) {}
  /// The decimal number with up to 17 digits that is next to `value`.
  explicit decimal128(double value) : decimal128(std::string_view(text_of(value))) {}
  explicit decimal128(flx_decimal_t value) : value_(value) {}

  /// The shortest text that parses back to the same decimal.
  std::string to_string() const {
    char text[FLX_DECIMAL_TEXT_SIZE];
    flx_decimal_format(value_, text);
    return text;
  }
  int order(const decimal128 &other) const { return flx_decimal_compare(value_, other.value_); }
  flx_decimal_t native() const noexcept { return value_; }

  friend decimal128 operator+(decimal128 left, decimal128 right) {
    return decimal128(flx_decimal_add(left.value_, right.value_));
  }
  friend decimal128 operator-(decimal128 left, decimal128 right) {
    return decimal128(flx_decimal_subtract(left.value_, right.value_));
  }
  friend decimal128 operator*(decimal128 left, decimal128 right) {
    return decimal128(flx_decimal_multiply(left.value_, right.value_));
  }
  friend decimal128 operator/(decimal128 left, decimal128 right) {
    return decimal128(flx_decimal_divide(left.value_, right.value_));
  }

 private:
  static std::string text_of(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", value);
    return text;
  }

  flx_decimal_t value_{};
};

/// A time of any year. `std::chrono::system_clock::time_point`, which properties may have as well, ends in 2262 with
/// the usual resolution of nanoseconds; times beyond its ends read as its ends.
class timestamp : public detail::ordered<timestamp> {
 public:
  timestamp() = default;
  /// Both parts have the sign of the value.
  timestamp(int64_t seconds, int32_t nanoseconds) : value_{seconds, nanoseconds} {}
  timestamp(std::chrono::system_clock::time_point time) {
    auto since = time.time_since_epoch();
    auto whole = std::chrono::duration_cast<std::chrono::seconds>(since);
    auto part = std::chrono::duration_cast<std::chrono::nanoseconds>(since - whole);
    value_ = {static_cast<int64_t>(whole.count()), static_cast<int32_t>(part.count())};
  }
  explicit timestamp(flx_timestamp_t value) : value_(value) {}

  int64_t seconds() const noexcept { return value_.seconds; }
  int32_t nanoseconds() const noexcept { return value_.nanoseconds; }
  operator std::chrono::system_clock::time_point() const {
    using clock = std::chrono::system_clock;
    if (*this <= timestamp(clock::time_point::min())) return clock::time_point::min();
    if (*this >= timestamp(clock::time_point::max())) return clock::time_point::max();
    return clock::time_point(std::chrono::duration_cast<clock::duration>(std::chrono::seconds(value_.seconds)) +
                             std::chrono::duration_cast<clock::duration>(std::chrono::nanoseconds(value_.nanoseconds)));
  }
  /// The seconds since 1970, with the nanoseconds if there are any.
  std::string to_string() const {
    char text[40];
    if (!value_.nanoseconds) return std::to_string(value_.seconds);
    bool is_negative = value_.seconds < 0 || value_.nanoseconds < 0;
    std::snprintf(text, sizeof text, "%s%llu.%09d", is_negative ? "-" : "",
                  static_cast<unsigned long long>(value_.seconds < 0 ? 0 - static_cast<uint64_t>(value_.seconds)
                                                                     : static_cast<uint64_t>(value_.seconds)),
                  value_.nanoseconds < 0 ? -value_.nanoseconds : value_.nanoseconds);
    return text;
  }
  int order(const timestamp &other) const {
    if (value_.seconds != other.value_.seconds) return value_.seconds < other.value_.seconds ? -1 : 1;
    return value_.nanoseconds - other.value_.nanoseconds;
  }
  flx_timestamp_t native() const noexcept { return value_; }

 private:
  flx_timestamp_t value_{};
};

/// A link to an object of a realm, as a value: what a mixed value holds that links. `db::object` finds the object.
class object_link {
 public:
  explicit object_link(flx_link_t value) : value_(value) {}
  flx_link_t native() const noexcept { return value_; }

  friend bool operator==(const object_link &left, const object_link &right) { return left.key() == right.key(); }
  friend bool operator!=(const object_link &left, const object_link &right) { return left.key() != right.key(); }
  friend bool operator<(const object_link &left, const object_link &right) { return left.key() < right.key(); }

 private:
  std::pair<flx_class_key_t, int64_t> key() const { return {value_.target_class, value_.row}; }

  flx_link_t value_;
};

/// A value of any type: null, a scalar, a link, or a list or dictionary of such values.
///
/// Query arguments are values of this type, and properties may be.
class mixed {
 public:
  using list = std::vector<mixed>;
  using dictionary = std::map<std::string, mixed>;
  using variant = std::variant<std::monostate, int64_t, bool, float, double, std::string, binary, timestamp, decimal128,
                               object_id, uuid, object_link, list, dictionary>;

  mixed() = default;
  mixed(std::nullptr_t) {}
  mixed(std::nullopt_t) {}
  mixed(bool value) : value_(value) {}
  mixed(float value) : value_(value) {}
  mixed(double value) : value_(value) {}
  template <typename Number, typename = std::enable_if_t<std::is_integral_v<Number> || std::is_enum_v<Number>>>
  mixed(Number value) : value_(static_cast<int64_t>(value)) {}
  mixed(const char *value) : value_(std::string(value)) {}
  /// Pointers would become bool otherwise.
  template <typename Type>
  mixed(Type *) = delete;
  mixed(std::string_view value) : value_(std::string(value)) {}
  mixed(std::string value) : value_(std::move(value)) {}
  mixed(binary value) : value_(std::move(value)) {}
  mixed(timestamp value) : value_(value) {}
  mixed(std::chrono::system_clock::time_point value) : value_(timestamp(value)) {}
  mixed(decimal128 value) : value_(value) {}
  mixed(object_id value) : value_(value) {}
  mixed(uuid value) : value_(value) {}
  mixed(object_link value) : value_(value) {}
  mixed(list value) : value_(std::move(value)) {}
  mixed(dictionary value) : value_(std::move(value)) {}
  template <typename Value>
  mixed(const std::optional<Value> &value) : mixed(value ? mixed(*value) : mixed()) {}
  /// A list of the elements, as a query argument after IN.
  template <typename Value>
  mixed(const std::vector<Value> &values) : value_(list(values.begin(), values.end())) {}
  template <typename Value>
  mixed(const std::set<Value> &values) : value_(list(values.begin(), values.end())) {}

  bool is_null() const noexcept { return std::holds_alternative<std::monostate>(value_); }
  template <typename Type>
  bool is() const noexcept {
    return std::holds_alternative<Type>(value_);
  }
  /// The value. Throws type_mismatch if it has another type.
  template <typename Type>
  const Type &get() const {
    if (auto value = std::get_if<Type>(&value_)) return *value;
    throw error(status::type_mismatch, "The mixed value has another type.");
  }
  template <typename Type>
  const Type *get_if() const noexcept {
    return std::get_if<Type>(&value_);
  }
  const variant &value() const noexcept { return value_; }

  friend bool operator==(const mixed &left, const mixed &right) { return left.value_ == right.value_; }
  friend bool operator!=(const mixed &left, const mixed &right) { return !(left == right); }
  friend bool operator<(const mixed &left, const mixed &right) { return left.value_ < right.value_; }

 private:
  variant value_;
};

namespace detail {

template <typename... Functions>
struct overloaded : Functions... {
  using Functions::operator()...;
};
template <typename... Functions>
overloaded(Functions...) -> overloaded<Functions...>;

/// The value for C, which borrows text and bytes from `value`. Collections cannot be passed as one value.
inline flx_value_t to_c(const mixed &value) {
  flx_value_t result{};
  auto set = [&result](flx_type_t type, auto member, auto native) {
    result.type = type;
    result.*member = native;
  };
  std::visit(
      overloaded{
          [&](std::monostate) { result.type = FLX_TYPE_NULL; },
          [&](int64_t number) { set(FLX_TYPE_INT, &flx_value_t::integer, number); },
          [&](bool flag) { set(FLX_TYPE_BOOL, &flx_value_t::boolean, flag); },
          [&](float number) { set(FLX_TYPE_FLOAT, &flx_value_t::float_value, number); },
          [&](double number) { set(FLX_TYPE_DOUBLE, &flx_value_t::double_value, number); },
          [&](const std::string &text) { set(FLX_TYPE_STRING, &flx_value_t::string, to_c(std::string_view(text))); },
          [&](const binary &bytes) {
            set(FLX_TYPE_BINARY, &flx_value_t::binary,
                flx_string_t{reinterpret_cast<const char *>(bytes.data()), bytes.size()});
          },
          [&](timestamp time) { set(FLX_TYPE_TIMESTAMP, &flx_value_t::timestamp, time.native()); },
          [&](decimal128 number) { set(FLX_TYPE_DECIMAL, &flx_value_t::decimal, number.native()); },
          [&](const object_id &id) { set(FLX_TYPE_OBJECT_ID, &flx_value_t::object_id, id.native()); },
          [&](const uuid &id) { set(FLX_TYPE_UUID, &flx_value_t::uuid, id.native()); },
          [&](object_link link) { set(FLX_TYPE_LINK, &flx_value_t::link, link.native()); },
          [](const auto &) {
            throw error(status::type_mismatch, "A list or dictionary cannot be used as a single value.");
          },
      },
      value.value());
  return result;
}

/// A copy of a value of C. A list or dictionary, whose content C does not pass with the value, reads as an empty one.
inline mixed from_c(const flx_value_t &value) {
  switch (value.type) {
    case FLX_TYPE_INT: return value.integer;
    case FLX_TYPE_BOOL: return value.boolean;
    case FLX_TYPE_STRING: return view(value.string);
    case FLX_TYPE_BINARY: {
      auto bytes = view(value.binary);
      return binary(bytes.begin(), bytes.end());
    }
    case FLX_TYPE_TIMESTAMP: return timestamp(value.timestamp);
    case FLX_TYPE_FLOAT: return value.float_value;
    case FLX_TYPE_DOUBLE: return value.double_value;
    case FLX_TYPE_DECIMAL: return decimal128(value.decimal);
    case FLX_TYPE_LINK: return object_link(value.link);
    case FLX_TYPE_OBJECT_ID: return object_id(value.object_id);
    case FLX_TYPE_UUID: return uuid(value.uuid);
    case FLX_TYPE_LIST: return mixed::list();
    case FLX_TYPE_DICTIONARY: return mixed::dictionary();
    default: return nullptr;
  }
}

/// Query arguments for C, with the memory that they borrow from.
class query_arguments {
 public:
  explicit query_arguments(const std::vector<mixed> &arguments) {
    for (const mixed &argument : arguments) {
      auto list = argument.get_if<mixed::list>();
      std::vector<flx_value_t> values;
      if (!list) values.push_back(to_c(argument));
      else
        std::transform(list->begin(), list->end(), std::back_inserter(values),
                       [](const mixed &one) { return to_c(one); });
      values_.push_back(std::move(values));
      flx_query_argument_t native{};
      native.values = values_.back().data();
      native.count = values_.back().size();
      native.is_list = list != nullptr;
      arguments_.push_back(native);
    }
  }
  const flx_query_argument_t *data() const noexcept { return arguments_.data(); }
  size_t size() const noexcept { return arguments_.size(); }

 private:
  std::vector<std::vector<flx_value_t>> values_;
  std::vector<flx_query_argument_t> arguments_;
};

}  // namespace detail
}  // namespace flexsync

template <>
struct std::hash<flexsync::object_id> {
  size_t operator()(const flexsync::object_id &id) const { return std::hash<std::string>()(id.to_string()); }
};
template <>
struct std::hash<flexsync::uuid> {
  size_t operator()(const flexsync::uuid &id) const { return std::hash<std::string>()(id.to_string()); }
};

#endif
