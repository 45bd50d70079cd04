// SPDX-License-Identifier: Apache-2.0
// Objects as lines of a dump and as JSON.
#include <algorithm>
#include <cstdio>
#include <sstream>

#include "scenario.hpp"

using namespace flexsync;

std::string id_of(const db &realm, const object_link &link) {
  auto object = realm.find_dynamic(link);
  return object ? object->get("_id").get<object_id>().to_string() : "null";
}

namespace {

/// Writes what a dump shows of each type of property.
class dump_writer {
 public:
  dump_writer(std::ostream &out, const db &realm) : out_(out), realm_(realm) {}

  template <typename Class>
  void write_properties(const managed<Class> &object) {
    bool is_first = true;
    for_each_property(object, [&](std::string_view name, auto property) {
      if (name != "_id") out_ << (is_first ? "" : " ") << name << "=";
      write(property);
      is_first = false;
    });
  }

  template <typename Class>
  void write_property(const managed<Class> &object, const std::string &wanted) {
    for_each_property(object, [&](std::string_view name, auto property) {
      if (name == wanted) write(property);
    });
  }

 private:
  template <typename Value>
  void write(const managed<Value> &property) {
    write(property.detach());
  }
  template <typename Class>
  void write(const managed<Class *> &link) {
    write(link.get());
  }
  void write(const managed<mixed> &value) { write_mixed(value.detach()); }
  template <typename Element>
  void write(const managed<std::vector<Element>> &list) {
    write_elements(list);
  }
  template <typename Element>
  void write(const managed<std::set<Element>> &set) {
    write_elements(set);
  }
  template <typename Element>
  void write(const managed<std::map<std::string, Element>> &dictionary) {
    out_ << "{";
    const char *separator = "";
    for (auto &[key, value] : dictionary.detach()) {
      out_ << separator << key << ": ";
      write(value);
      separator = ", ";
    }
    out_ << "}";
  }
  template <typename Collection>
  void write_elements(const Collection &collection) {
    out_ << "[";
    const char *separator = "";
    for (auto element : collection) {
      out_ << separator;
      write(element);
      separator = ", ";
    }
    out_ << "]";
  }

  template <typename Value>
  void write(const std::optional<Value> &value) {
    if (value) write(*value);
    else out_ << "null";
  }
  template <typename Class>
  void write_object(const managed<Class> &object) {
    out_ << "(";
    write_properties(object);
    out_ << ")";
  }
  void write(const managed<Address> &object) { write_object(object); }
  void write(const managed<Country> &object) { write_object(object); }
  void write(const managed<Task> &object) { out_ << object._id; }
  void write(const managed<Item> &object) { out_ << object._id; }
  void write(const managed<Contact> &object) { out_ << object._id; }
  void write(const std::string &text) { out_ << text; }
  void write(int64_t number) { out_ << number; }
  void write(bool flag) { out_ << (flag ? "true" : "false"); }
  void write(double number) {
    char text[40];
    std::snprintf(text, sizeof text, "%g", number);
    out_ << text;
  }
  void write(timestamp time) { out_ << time.seconds(); }
  void write(std::chrono::system_clock::time_point time) { write(timestamp(time)); }
  void write(decimal128 number) { out_ << number; }
  void write(const object_id &id) { out_ << id; }

  /// Text in a mixed value is quoted.
  void write_mixed(const mixed &value) {
    if (auto list = value.get_if<mixed::list>()) return write_list(*list);
    if (auto dictionary = value.get_if<mixed::dictionary>()) return write_dictionary(*dictionary);
    if (auto text = value.get_if<std::string>()) out_ << '"' << *text << '"';
    else if (auto number = value.get_if<int64_t>()) write(*number);
    else if (auto real = value.get_if<double>()) write(*real);
    else if (auto flag = value.get_if<bool>()) write(*flag);
    else if (auto decimal = value.get_if<decimal128>()) write(*decimal);
    else if (auto link = value.get_if<object_link>()) out_ << id_of(realm_, *link);
    else if (auto time = value.get_if<timestamp>()) write(*time);
    else if (auto id = value.get_if<object_id>()) write(*id);
    else if (value.is_null()) out_ << "null";
    else out_ << "?";
  }
  void write(const mixed &value) { write_mixed(value); }
  void write_list(const mixed::list &list) {
    out_ << "[";
    for (size_t i = 0; i < list.size(); i++) {
      if (i) out_ << ", ";
      write_mixed(list[i]);
    }
    out_ << "]";
  }
  void write_dictionary(const mixed::dictionary &dictionary) {
    out_ << "{";
    const char *separator = "";
    for (auto &[key, value] : dictionary) {
      out_ << separator << key << ": ";
      write_mixed(value);
      separator = ", ";
    }
    out_ << "}";
  }

  std::ostream &out_;
  const db &realm_;
};

/// Makes the JSON of each type of property; the caller owns it.
class json_writer {
 public:
  explicit json_writer(const db &realm) : realm_(realm) {}

  template <typename Class>
  json_t *object(const managed<Class> &object) const {
    json_t *result = json_object();
    for_each_property(object, [&](std::string_view name, auto property) {
      json_object_set_new(result, std::string(name).c_str(), make(property));
    });
    return result;
  }

 private:
  template <typename Value>
  json_t *make(const managed<Value> &property) const {
    return make(property.detach());
  }
  template <typename Class>
  json_t *make(const managed<Class *> &link) const {
    return make(link.get());
  }
  template <typename Element>
  json_t *make(const std::vector<Element> &elements) const {
    json_t *result = json_array();
    for (const Element &element : elements) json_array_append_new(result, make(element));
    return result;
  }
  template <typename Value>
  json_t *make(const std::map<std::string, Value> &entries) const {
    json_t *result = json_object();
    for (auto &[key, value] : entries) json_object_set_new(result, key.c_str(), make(value));
    return result;
  }
  template <typename Value>
  json_t *make(const std::optional<Value> &value) const {
    return value ? make(*value) : json_null();
  }
  json_t *make(const managed<Address> &embedded) const { return object(embedded); }
  json_t *make(const managed<Country> &embedded) const { return object(embedded); }
  json_t *make(const managed<Task> &linked) const { return make(linked._id.detach()); }
  json_t *make(const managed<Item> &linked) const { return make(linked._id.detach()); }
  json_t *make(const managed<Contact> &linked) const { return make(linked._id.detach()); }
  json_t *make(const std::string &text) const { return json_stringn(text.data(), text.size()); }
  json_t *make(int64_t number) const { return json_integer(number); }
  json_t *make(bool flag) const { return json_boolean(flag); }
  json_t *make(double number) const { return json_real(number); }
  json_t *make(timestamp time) const { return json_integer(time.seconds() * 1000 + time.nanoseconds() / 1000000); }
  json_t *make(std::chrono::system_clock::time_point time) const { return make(timestamp(time)); }
  json_t *make(decimal128 number) const { return json_pack("{s: s}", "$numberDecimal", number.to_string().c_str()); }
  json_t *make(const object_id &id) const { return make(id.to_string()); }
  json_t *make(const object_link &link) const { return make(id_of(realm_, link)); }
  json_t *make(std::monostate) const { return json_null(); }
  json_t *make(const mixed &value) const {
    return std::visit([this](const auto &content) { return make_content(content); }, value.value());
  }
  template <typename Content>
  json_t *make_content(const Content &content) const {
    if constexpr (std::is_same_v<Content, float> || std::is_same_v<Content, binary> || std::is_same_v<Content, uuid>)
      throw scenario_error("a value of this type cannot be written as JSON");
    else return make(content);
  }

  const db &realm_;
};

}  // namespace

void print_dump(const device &device, const db &realm, json step) {
  with_results(realm, step, [&](auto results) {
    std::vector<std::string> lines;
    for (auto object : results) {
      std::ostringstream line;
      dump_writer(line, realm).write_properties(object);
      lines.push_back(line.str());
    }
    std::sort(lines.begin(), lines.end());
    device.print() << lines.size() << " " << step["class"].text() << "\n";
    for (auto &line : lines) device.print() << "  " << line << "\n";
  });
}

void print_match(const device &device, json step) try {
  with_results(*device.realm, step, [&](auto results) {
    std::ostringstream values;
    const char *separator = ": ";
    for (auto object : results) {
      values << separator;
      dump_writer(values, *device.realm).write_property(object, step["by"].optional_text().value_or("_id"));
      separator = ", ";
    }
    device.print() << results.size() << " " << step["class"].text() << " where "
                   << step["query"].optional_text().value_or("TRUEPREDICATE") << values.str() << "\n";
  });
} catch (const error &error) {
  device.print_failure(error.what());
}

void print_objects(const device &device, json step) {
  with_results(*device.realm, step, [&](auto results) {
    json_t *objects = json_array();
    for (auto object : results) json_array_append_new(objects, json_writer(*device.realm).object(object));
    char *line = json_dumps(objects, JSON_COMPACT);
    device.print() << line << "\n";
    free(line);
    json_decref(objects);
  });
}
