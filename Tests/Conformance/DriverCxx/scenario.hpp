// SPDX-License-Identifier: Apache-2.0
/// @file What the parts of the conformance driver share: steps, devices, and how a step reaches them.
#ifndef SCENARIO_HPP
#define SCENARIO_HPP

#include <jansson.h>

#include <iostream>
#include <memory>

#include "models.hpp"

constexpr std::chrono::milliseconds wait_time(20000);

/// The scenario itself is wrong, or the driver cannot go on.
struct scenario_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A JSON value, such as a step. It borrows.
class json {
 public:
  json(const json_t *value) : value_(value) {}

  json operator[](const char *name) const { return json_object_get(value_, name); }
  json at(size_t index) const { return json_array_get(value_, index); }
  size_t size() const { return json_array_size(value_); }
  explicit operator bool() const { return value_ != nullptr; }
  bool is_null() const { return !value_ || json_is_null(value_); }
  bool is_object() const { return json_is_object(value_); }
  bool is_true() const { return json_is_true(value_); }
  bool is_false() const { return json_is_false(value_); }
  bool is_text() const { return json_is_string(value_); }
  int64_t integer() const { return json_integer_value(value_); }
  size_t index() const { return static_cast<size_t>(integer()); }
  std::string text() const {
    if (!is_text()) throw scenario_error("a step lacks a text");
    return json_string_value(value_);
  }
  std::optional<std::string> optional_text() const { return is_text() ? std::optional(text()) : std::nullopt; }
  const json_t *native() const { return value_; }

  /// Calls a function with each name and value of an object.
  template <typename Function>
  void for_each_member(Function function) const {
    const char *name;
    json_t *value;
    json_object_foreach(const_cast<json_t *>(value_), name, value) function(std::string_view(name), json(value));
  }

 private:
  const json_t *value_;
};

/// An observer of the step `observe`, and the lines that it has been told since the last step `changes`.
struct observation {
  std::string name;
  std::vector<std::string> told;
  flexsync::notification_token token;
};

/// One device: an app with its own storage folder, and its realm while that is open.
struct device {
  std::string name;
  std::optional<flexsync::App> app;
  std::optional<flexsync::db> realm;
  /// After the step `freeze`.
  std::optional<flexsync::db> frozen;
  /// Tokens refer to the observers, which therefore stay where they are.
  std::vector<std::unique_ptr<observation>> observations;

  std::ostream &print() const { return std::cout << name << ": "; }
  void print_failure(const std::string &message) const { print() << "failed: " << message << "\n"; }
};

/// Calls a function with a value of type `Class *` for the class of a name.
template <typename Function>
void with_class(const std::string &name, Function function) {
  if (name == "Task") return function(static_cast<Task *>(nullptr));
  if (name == "Team") return function(static_cast<Team *>(nullptr));
  if (name == "Item") return function(static_cast<Item *>(nullptr));
  if (name == "Contact") return function(static_cast<Contact *>(nullptr));
  if (name == "Note") return function(static_cast<Note *>(nullptr));
  throw scenario_error("there is no class " + name);
}

// writing.cpp
void apply_change(const flexsync::db &realm, json change);
/// A value of any type.
flexsync::mixed mixed_from(const flexsync::db &realm, json value);

/// Calls a function with the results of a step's "class", "query" and "arguments".
template <typename Function>
void with_results(const flexsync::db &realm, json step, Function function) {
  with_class(step["class"].text(), [&](auto *type) {
    auto all = realm.objects<std::remove_pointer_t<decltype(type)>>();
    auto query = step["query"].optional_text();
    std::vector<flexsync::mixed> arguments;
    for (size_t i = 0; i < step["arguments"].size(); i++)
      arguments.push_back(mixed_from(realm, step["arguments"].at(i)));
    function(query ? all.where(*query, arguments) : all);
  });
}

/// Calls a function with the object of a step's "class" and "id".
template <typename Function>
void with_object(const flexsync::db &realm, const std::string &class_name, const std::string &id, Function function) {
  with_class(class_name, [&](auto *type) {
    auto object = realm.find<std::remove_pointer_t<decltype(type)>>(flexsync::object_id(id));
    if (!object) throw scenario_error("there is no " + class_name + " " + id);
    function(*object);
  });
}

// users.cpp
/// Plays a step about users, which needs no realm; returns false for others.
bool play_users(device &device, const std::string &action, json step);
/// Registers a user of the scenario, unless that was done, and logs in.
flexsync::user log_in(device &device, const std::string &user);

// subscriptions.cpp
/// Adds a subscription with the "class", "query" and "name" of a step.
void add_subscription(const flexsync::db &realm, flexsync::mutable_sync_subscription_set &subscriptions, json step);
bool play_subscriptions(device &device, const std::string &action, json step);

// observing.cpp
/// Plays a step about observers; returns false for others.
bool play_observing(device &device, const std::string &action, json step);

// printing.cpp
void print_dump(const device &device, const flexsync::db &realm, json step);
void print_objects(const device &device, json step);
/// Prints a property of each object of the results.
void print_match(const device &device, json step);
/// The object id of what a link leads to.
std::string id_of(const flexsync::db &realm, const flexsync::object_link &link);

// main.cpp
/// The rejected write to an object, which must be there.
flexsync::rejected_write rejected_write_to(const flexsync::db &realm, const std::string &class_name,
                                           const std::string &id);

#endif
