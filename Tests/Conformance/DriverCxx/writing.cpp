// SPDX-License-Identifier: Apache-2.0
// The changes of a write. See "write" in ../README.md.
#include "scenario.hpp"

using namespace flexsync;

mixed mixed_from(const db &realm, json value) {
  if (auto decimal = value["$numberDecimal"].optional_text()) return decimal128(*decimal);
  if (auto id = value["$oid"].optional_text()) return object_id(*id);
  if (value["$date"]) return timestamp(value["$date"].integer(), 0);
  if (auto target = value["$ref"].optional_text()) {
    mixed link;
    with_object(realm, *target, value["$id"].text(), [&](auto object) { link = object.link(); });
    return link;
  }
  if (json_is_array(value.native())) {
    mixed::list list;
    for (size_t i = 0; i < value.size(); i++) list.push_back(mixed_from(realm, value.at(i)));
    return list;
  }
  if (value.is_object()) {
    mixed::dictionary dictionary;
    value.for_each_member([&](std::string_view name, json one) { dictionary.emplace(name, mixed_from(realm, one)); });
    return dictionary;
  }
  if (value.is_text()) return value.text();
  if (json_is_real(value.native())) return json_real_value(value.native());
  if (json_is_integer(value.native())) return value.integer();
  if (json_is_boolean(value.native())) return value.is_true();
  return nullptr;
}

namespace {

constexpr const char *edits[] = {"insert", "replace", "erase", "move", "clear", "include", "exclude", "put", "drop"};

void convert(json value, std::string &result) { result = value.text(); }
void convert(json value, int64_t &result) { result = value.integer(); }
void convert(json value, bool &result) { result = value.is_true(); }
void convert(json value, timestamp &result) { result = timestamp(value.integer(), 0); }
void convert(json value, std::chrono::system_clock::time_point &result) { result = timestamp(value.integer(), 0); }
void convert(json value, decimal128 &result) { result = decimal128(value.text()); }
template <typename Value>
void convert(json value, std::optional<Value> &result) {
  if (value.is_null()) return;
  convert(value, result.emplace());
}

/// The value for an element of a collection: a scalar, a value of any type, or an object to link to.
template <typename Element>
auto element_from(const db &realm, json value, Element *) {
  if constexpr (std::is_pointer_v<Element>) {
    using Class = std::remove_pointer_t<Element>;
    std::optional<managed<Class>> target;
    if constexpr (flexsync::detail::schema_of<Class>::kind == class_kind::top_level) {
      if (!value.is_null()) target = realm.find<Class>(object_id(value.text()));
      if (!value.is_null() && !target) throw scenario_error("there is no object to link to");
    }
    return target;
  } else if constexpr (std::is_same_v<Element, mixed>) {
    return mixed_from(realm, value);
  } else {
    Element result{};
    convert(value, result);
    return result;
  }
}

/// Sets the properties of one object, and of those that are embedded in it.
class object_writer {
 public:
  explicit object_writer(const db &realm) : realm_(realm) {}

  template <typename Class>
  void set_values(const managed<Class> &object, json values) {
    values.for_each_member([&](std::string_view name, json value) {
      with_property(object, name, [&](auto &property) { set(property, value); });
    });
  }

  /// Sets values of the object that is reached by "inside": names of properties, that of a collection followed by an
  /// index or key.
  template <typename Class>
  void set_inside(const managed<Class> &object, json path, size_t depth, json values) {
    if (depth >= path.size()) return set_values(object, values);
    with_property(object, path.at(depth).text(), [&](auto &property) { step_inside(property, path, depth, values); });
  }

  template <typename Class>
  void edit(const managed<Class> &object, const std::string &name, const std::string &edit, json change) {
    with_property(object, name, [&](auto &property) { edit_property(property, edit, change); });
  }

  template <typename Class>
  void increment(const managed<Class> &object, const std::string &name, int64_t delta) {
    with_property(object, name, [&](auto &property) {
      if constexpr (std::is_same_v<std::decay_t<decltype(property)>, managed<int64_t>>) property += delta;
      else throw scenario_error("only integers can be incremented");
    });
  }

 private:
  template <typename Class, typename Function>
  void with_property(const managed<Class> &object, std::string_view name, Function function) {
    bool is_found = false;
    for_each_property(object, [&](std::string_view candidate, auto property) {
      if (candidate != name) return;
      is_found = true;
      function(property);
    });
    if (!is_found) throw scenario_error("there is no property " + std::string(name));
  }

  // Setting

  template <typename Value>
  void set(managed<Value> &property, json value) {
    if constexpr (std::is_base_of_v<flexsync::detail::scalar_accessor<Value>, managed<Value>> &&
                  !flexsync::detail::is_primary_key<Value>::value) {
      property = element_from<Value>(realm_, value, nullptr);
    } else {
      throw scenario_error("this property is not filled with values");
    }
  }
  void set(managed<mixed> &property, json value) { property = mixed_from(realm_, value); }
  template <typename Class>
  void set(managed<Class *> &property, json value) {
    if (!value.is_object()) {
      property = element_from<Class *>(realm_, value, nullptr);
      return;
    }
    property = Class();
    set_values(*property, value);
  }

  // Reaching embedded objects

  template <typename Property>
  void step_inside(Property &, json, size_t, json) {
    throw scenario_error("there is nothing embedded in this property");
  }
  template <typename Class>
  void step_inside(managed<Class *> &property, json path, size_t depth, json values) {
    set_inside(*property, path, depth + 1, values);
  }
  template <typename Class>
  void step_inside(managed<std::vector<Class *>> &list, json path, size_t depth, json values) {
    set_inside(list[path.at(depth + 1).index()], path, depth + 2, values);
  }
  template <typename Class>
  void step_inside(managed<std::map<std::string, Class *>> &dictionary, json path, size_t depth, json values) {
    set_inside(*dictionary.at(path.at(depth + 1).text()), path, depth + 2, values);
  }

  // Editing collections

  template <typename Property>
  void edit_property(Property &, const std::string &, json) {
    throw scenario_error("this property is no collection");
  }
  template <typename Element>
  void edit_property(managed<std::vector<Element>> &list, const std::string &edit, json change) {
    edit_nested(list, edit, change, 0);
  }
  template <typename Element>
  void edit_property(managed<std::map<std::string, Element>> &dictionary, const std::string &edit, json change) {
    edit_nested(dictionary, edit, change, 0);
  }
  void edit_property(managed<mixed> &property, const std::string &edit, json change) {
    if (property.detach().is<mixed::list>()) edit_nested(property.list(), edit, change, 0);
    else edit_nested(property.dictionary(), edit, change, 0);
  }
  template <typename Element>
  void edit_property(managed<std::set<Element>> &set, const std::string &edit, json change) {
    if (edit == "clear") return set.clear();
    auto value = element_from<Element>(realm_, change["value"], nullptr);
    if constexpr (std::is_pointer_v<Element>) edit_set(set, edit, *value);
    else edit_set(set, edit, value);
  }
  template <typename Set, typename Value>
  void edit_set(Set &set, const std::string &edit, const Value &value) {
    if (edit == "include") set.insert(value);
    else set.erase(value);
  }

  /// Follows the "path" into collections of a mixed value.
  template <typename Element>
  void edit_nested(managed<std::vector<Element>> list, const std::string &edit, json change, size_t depth) {
    if constexpr (std::is_same_v<Element, mixed>) {
      if (depth < change["path"].size()) {
        size_t index = change["path"].at(depth).index();
        if (list[index].template is<mixed::list>()) return edit_nested(list.list(index), edit, change, depth + 1);
        return edit_nested(list.dictionary(index), edit, change, depth + 1);
      }
    }
    edit_list(list, edit, change);
  }
  template <typename Element>
  void edit_nested(managed<std::map<std::string, Element>> dictionary, const std::string &edit, json change,
                   size_t depth) {
    if constexpr (std::is_same_v<Element, mixed>) {
      if (depth < change["path"].size()) {
        std::string key = change["path"].at(depth).text();
        if (dictionary.at(key).template is<mixed::list>())
          return edit_nested(dictionary.list(key), edit, change, depth + 1);
        return edit_nested(dictionary.dictionary(key), edit, change, depth + 1);
      }
    }
    edit_dictionary(dictionary, edit, change);
  }

  template <typename Element>
  void edit_list(managed<std::vector<Element>> &list, const std::string &edit, json change) {
    size_t index = change["index"].index();
    if (edit == "erase") return list.erase(index);
    if (edit == "move") return list.move(index, change["to"].index());
    if (edit == "clear") return list.clear();
    auto put = [&](const auto &value) { edit == "insert" ? list.insert(index, value) : list.set(index, value); };
    if constexpr (std::is_pointer_v<Element>) {
      if (change["value"].is_object()) {
        put(std::remove_pointer_t<Element>());
        return set_values(list[index], change["value"]);
      }
    }
    put(element_from<Element>(realm_, change["value"], nullptr));
  }
  template <typename Element>
  void edit_dictionary(managed<std::map<std::string, Element>> &dictionary, const std::string &edit, json change) {
    if (edit == "clear") return dictionary.clear();
    std::string key = change["key"].text();
    if (edit == "drop") {
      dictionary.erase(key);
      return;
    }
    if constexpr (std::is_pointer_v<Element>) {
      if (change["value"].is_object()) {
        dictionary[key] = std::remove_pointer_t<Element>();
        return set_values(*dictionary.at(key), change["value"]);
      }
    }
    dictionary[key] = element_from<Element>(realm_, change["value"], nullptr);
  }

  const db &realm_;
};

template <typename Class>
void create(const db &realm, json change) {
  Class object;
  object._id = object_id(change["id"].text());
  object_writer(realm).set_values(realm.add(object), change["values"]);
}

}  // namespace

void apply_change(const db &realm, json change) {
  for (const char *edit : edits) {
    if (auto property = change[edit].optional_text()) {
      return with_object(realm, change["class"].text(), change["id"].text(),
                         [&](auto object) { object_writer(realm).edit(object, *property, edit, change); });
    }
  }
  if (auto property = change["increment"].optional_text()) {
    with_object(realm, change["class"].text(), change["id"].text(),
                [&](auto object) { object_writer(realm).increment(object, *property, change["value"].integer()); });
  } else if (auto class_name = change["resubmit"].optional_text()) {
    realm.resubmit(rejected_write_to(realm, *class_name, change["id"].text()));
  } else if (change["create"].optional_text() == "Reading") {
    create<Reading>(realm, change);
  } else if (auto created = change["create"].optional_text()) {
    with_class(*created, [&](auto *type) { create<std::remove_pointer_t<decltype(type)>>(realm, change); });
  } else if (auto changed = change["set"].optional_text()) {
    with_object(realm, *changed, change["id"].text(),
                [&](auto object) { object_writer(realm).set_inside(object, change["inside"], 0, change["values"]); });
  } else if (auto deleted = change["delete"].optional_text()) {
    with_object(realm, *deleted, change["id"].text(), [&](auto object) { realm.remove(object); });
  } else {
    throw scenario_error("unknown change of a write");
  }
}
