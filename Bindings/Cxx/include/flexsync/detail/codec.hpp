// SPDX-License-Identifier: Apache-2.0
/// @file How types of C++ are stored: each scalar type as a type of property. Not API, but for the types named here.
#ifndef FLEXSYNC_DETAIL_CODEC_HPP
#define FLEXSYNC_DETAIL_CODEC_HPP

#include <flexsync/values.hpp>

#include <set>

namespace flexsync {

/// The type of the member of a class that is its primary key: `primary_key<object_id> _id;`. Used like the value in it.
template <typename Value>
struct primary_key {
  using value_type = Value;

  primary_key() = default;
  primary_key(Value initial) : value(std::move(initial)) {}
  operator const Value &() const noexcept { return value; }

  Value value{};
};

/// The type of a member for which the device keeps an index. Used like the value in it.
template <typename Value>
struct indexed {
  using value_type = Value;

  indexed() = default;
  indexed(Value initial) : value(std::move(initial)) {}
  operator const Value &() const noexcept { return value; }

  Value value{};
};

namespace detail {

template <typename Native>
flx_value_t native_value(flx_type_t type, Native flx_value_t::*member, Native native) {
  flx_value_t result{};
  result.type = type;
  result.*member = native;
  return result;
}

/// Converts between a C++ type and a value of C, which borrows text and bytes. Types that are no scalars have none.
template <typename Type, typename = void>
struct codec {
  static constexpr bool is_scalar = false;
};

template <flx_type_t Type>
struct scalar_codec {
  static constexpr bool is_scalar = true;
  static constexpr bool is_nullable = false;
  static constexpr flx_type_t type = Type;
};

template <typename Number>
struct codec<Number,
             std::enable_if_t<(std::is_integral_v<Number> && !std::is_same_v<Number, bool>) || std::is_enum_v<Number>>>
    : scalar_codec<FLX_TYPE_INT> {
  static flx_value_t to_c(Number value) {
    return native_value(type, &flx_value_t::integer, static_cast<int64_t>(value));
  }
  static Number from_c(const flx_value_t &value) { return static_cast<Number>(value.integer); }
};

template <>
struct codec<bool> : scalar_codec<FLX_TYPE_BOOL> {
  static flx_value_t to_c(bool value) { return native_value(type, &flx_value_t::boolean, value); }
  static bool from_c(const flx_value_t &value) { return value.boolean; }
};

template <>
struct codec<float> : scalar_codec<FLX_TYPE_FLOAT> {
  static flx_value_t to_c(float value) { return native_value(type, &flx_value_t::float_value, value); }
  static float from_c(const flx_value_t &value) { return value.float_value; }
};

template <>
struct codec<double> : scalar_codec<FLX_TYPE_DOUBLE> {
  static flx_value_t to_c(double value) { return native_value(type, &flx_value_t::double_value, value); }
  static double from_c(const flx_value_t &value) { return value.double_value; }
};

template <>
struct codec<std::string> : scalar_codec<FLX_TYPE_STRING> {
  static flx_value_t to_c(std::string_view value) {
    return native_value(type, &flx_value_t::string, detail::to_c(value));
  }
  static std::string from_c(const flx_value_t &value) { return string(value.string); }
};

template <>
struct codec<binary> : scalar_codec<FLX_TYPE_BINARY> {
  static flx_value_t to_c(const binary &value) {
    return native_value(type, &flx_value_t::binary,
                        flx_string_t{reinterpret_cast<const char *>(value.data()), value.size()});
  }
  static binary from_c(const flx_value_t &value) {
    auto bytes = view(value.binary);
    return binary(bytes.begin(), bytes.end());
  }
};

template <>
struct codec<timestamp> : scalar_codec<FLX_TYPE_TIMESTAMP> {
  static flx_value_t to_c(timestamp value) { return native_value(type, &flx_value_t::timestamp, value.native()); }
  static timestamp from_c(const flx_value_t &value) { return timestamp(value.timestamp); }
};

template <>
struct codec<std::chrono::system_clock::time_point> : codec<timestamp> {
  static std::chrono::system_clock::time_point from_c(const flx_value_t &value) { return timestamp(value.timestamp); }
};

template <>
struct codec<decimal128> : scalar_codec<FLX_TYPE_DECIMAL> {
  static flx_value_t to_c(decimal128 value) { return native_value(type, &flx_value_t::decimal, value.native()); }
  static decimal128 from_c(const flx_value_t &value) { return decimal128(value.decimal); }
};

template <>
struct codec<object_id> : scalar_codec<FLX_TYPE_OBJECT_ID> {
  static flx_value_t to_c(const object_id &value) {
    return native_value(type, &flx_value_t::object_id, value.native());
  }
  static object_id from_c(const flx_value_t &value) { return object_id(value.object_id); }
};

template <>
struct codec<uuid> : scalar_codec<FLX_TYPE_UUID> {
  static flx_value_t to_c(const uuid &value) { return native_value(type, &flx_value_t::uuid, value.native()); }
  static uuid from_c(const flx_value_t &value) { return uuid(value.uuid); }
};

template <typename Value>
struct codec<std::optional<Value>, std::enable_if_t<codec<Value>::is_scalar>> : codec<Value> {
  static constexpr bool is_nullable = true;
  static flx_value_t to_c(const std::optional<Value> &value) {
    return value ? codec<Value>::to_c(*value) : flx_value_t{{}, FLX_TYPE_NULL};
  }
  static std::optional<Value> from_c(const flx_value_t &value) {
    if (value.type == FLX_TYPE_NULL) return std::nullopt;
    return codec<Value>::from_c(value);
  }
};

template <typename Value>
struct codec<primary_key<Value>> : codec<Value> {};
template <typename Value>
struct codec<indexed<Value>> : codec<Value> {};

/// The value in a `primary_key` or `indexed`; other types are their own.
template <typename Type>
struct unwrapped {
  using type = Type;
};
template <typename Value>
struct unwrapped<primary_key<Value>> {
  using type = Value;
};
template <typename Value>
struct unwrapped<indexed<Value>> {
  using type = Value;
};
template <typename Type>
using unwrapped_t = typename unwrapped<Type>::type;

template <typename Type>
struct is_optional : std::false_type {};
template <typename Value>
struct is_optional<std::optional<Value>> : std::true_type {};

template <typename Type>
struct is_primary_key : std::false_type {};
template <typename Value>
struct is_primary_key<primary_key<Value>> : std::true_type {};

template <typename Type>
struct is_indexed : std::false_type {};
template <typename Value>
struct is_indexed<indexed<Value>> : std::true_type {};

}  // namespace detail
}  // namespace flexsync

#endif
