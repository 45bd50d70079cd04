// SPDX-License-Identifier: Apache-2.0
/// @file Columns: the values of one property in many objects, read or inserted at once. Not API: see `results::columns`
/// and `db::insert`.
#ifndef FLEXSYNC_DETAIL_COLUMNS_HPP
#define FLEXSYNC_DETAIL_COLUMNS_HPP

#include <flexsync/detail/state.hpp>

#include <tuple>

namespace flexsync::detail {

/// The member of `flx_value_t` for a type, which has the type of a column's elements.
template <flx_type_t Type>
constexpr auto native_member() {
  if constexpr (Type == FLX_TYPE_INT) return &flx_value_t::integer;
  else if constexpr (Type == FLX_TYPE_BOOL) return &flx_value_t::boolean;
  else if constexpr (Type == FLX_TYPE_TIMESTAMP) return &flx_value_t::timestamp;
  else if constexpr (Type == FLX_TYPE_FLOAT) return &flx_value_t::float_value;
  else if constexpr (Type == FLX_TYPE_DOUBLE) return &flx_value_t::double_value;
  else if constexpr (Type == FLX_TYPE_DECIMAL) return &flx_value_t::decimal;
  else if constexpr (Type == FLX_TYPE_OBJECT_ID) return &flx_value_t::object_id;
  else if constexpr (Type == FLX_TYPE_UUID) return &flx_value_t::uuid;
  else if constexpr (Type == FLX_TYPE_STRING) return &flx_value_t::string;
  else return &flx_value_t::binary;
}

/// The memory of a column.
template <typename Value>
class column_memory {
 public:
  static constexpr flx_type_t type = codec<Value>::type;
  static constexpr bool has_bytes = type == FLX_TYPE_STRING || type == FLX_TYPE_BINARY;
  static constexpr auto member = native_member<type>();
  using native = std::decay_t<decltype(std::declval<flx_value_t>().*member)>;

  /// Memory for reading this many rows at once.
  void reserve(size_t rows) {
    validity_.resize(rows);
    if constexpr (has_bytes) {
      offsets_.resize(rows + 1);
      bytes_.resize(rows * 32);
    } else {
      values_.reset(new native[rows]);
    }
  }
  /// Makes space for longer values.
  void grow() {
    if constexpr (has_bytes) bytes_.resize(bytes_.size() * 4);
  }
  Value at(size_t row) const {
    if (!validity_[row]) return codec<Value>::from_c({{}, FLX_TYPE_NULL});
    if constexpr (has_bytes) {
      auto begin = static_cast<size_t>(offsets_[row]), end = static_cast<size_t>(offsets_[row + 1]);
      return codec<Value>::from_c(native_value(type, member, native{bytes_.data() + begin, end - begin}));
    } else {
      return codec<Value>::from_c(native_value(type, member, values_[row]));
    }
  }
  /// Copies the values of a member of all objects, for inserting.
  template <typename Class, typename Member>
  void fill(const std::vector<Class> &objects, Member Class::*property) {
    validity_.resize(objects.size());
    if constexpr (has_bytes) offsets_.assign(1, 0);
    else values_.reset(new native[objects.size()]());
    for (size_t i = 0; i < objects.size(); i++) {
      const Value &value = objects[i].*property;
      flx_value_t converted = codec<Value>::to_c(value);
      validity_[i] = converted.type != FLX_TYPE_NULL;
      if constexpr (has_bytes) {
        if (validity_[i]) bytes_.append(view(converted.*member));
        offsets_.push_back(static_cast<int64_t>(bytes_.size()));
      } else if (validity_[i]) {
        values_[i] = converted.*member;
      }
    }
  }
  flx_column_t column(flx_property_key_t key) {
    flx_column_t result{};
    result.struct_size = sizeof result;
    result.property = key;
    result.type = type;
    result.validity = validity_.data();
    if constexpr (has_bytes) {
      result.offsets = offsets_.data();
      result.bytes = &bytes_[0];
      result.byte_capacity = bytes_.size();
    } else {
      result.values = values_.get();
    }
    return result;
  }

 private:
  std::unique_ptr<native[]> values_;
  std::vector<uint8_t> validity_;
  std::vector<int64_t> offsets_;
  std::string bytes_;
};

/// Reads columns of all objects of results.
template <typename... Values>
std::tuple<std::vector<Values>...> read_columns(flx_results_t *results,
                                                const std::array<flx_property_key_t, sizeof...(Values)> &keys) {
  constexpr size_t rows = 1024;
  std::tuple<std::vector<Values>...> result;
  std::tuple<column_memory<Values>...> memory;
  std::apply([](auto &...one) { (one.reserve(rows), ...); }, memory);
  for (size_t index = 0, count = 0;; index += count) {
    size_t position = 0;
    auto columns = std::apply(
        [&](auto &...one) { return std::array<flx_column_t, sizeof...(Values)>{one.column(keys[position++])...}; },
        memory);
    flx_error_t failure;
    flx_status_t status = flx_results_read(results, index, rows, columns.data(), columns.size(), &count, &failure);
    if (status == FLX_STATUS_VALUE_TOO_LARGE) {
      std::apply([](auto &...one) { (one.grow(), ...); }, memory);
      count = 0;
      continue;
    }
    if (status != FLX_STATUS_OK) throw error(failure);
    if (count == 0) return result;
    std::apply(
        [&](auto &...values) {
          std::apply(
              [&](auto &...one) {
                for (size_t i = 0; i < count; i++) (values.push_back(one.at(i)), ...);
              },
              memory);
        },
        result);
  }
}

/// Whether all stored members of a class are scalars, so that its objects can be inserted as columns.
struct scalar_checker {
  bool has_only_scalars = true;

  template <typename Class, typename Member>
  void operator()(const char *, Member Class::*, size_t) {
    if constexpr (property_type<Member>::is_stored) has_only_scalars = has_only_scalars && codec<Member>::is_scalar;
  }
};

/// Makes a column of each stored member of objects, which all are scalars.
template <typename Class>
class column_inserter {
 public:
  column_inserter(const std::vector<Class> &objects, const class_keys &keys) : objects_(objects), keys_(keys) {}

  template <typename Member>
  void operator()(const char *, Member Class::*member, size_t position) {
    if constexpr (property_type<Member>::is_stored && codec<Member>::is_scalar) {
      auto memory = std::make_shared<column_memory<unwrapped_t<Member>>>();
      memory->fill(objects_, member);
      columns_.push_back(memory->column(keys_.members[position].key));
      memory_.push_back(std::move(memory));
    }
  }
  void insert(flx_realm_t *realm) const {
    call(flx_objects_insert, realm, keys_.key, columns_.data(), columns_.size(), objects_.size(),
         static_cast<size_t *>(nullptr));
  }

 private:
  const std::vector<Class> &objects_;
  const class_keys &keys_;
  std::vector<flx_column_t> columns_;
  std::vector<std::shared_ptr<void>> memory_;
};

}  // namespace flexsync::detail

#endif
