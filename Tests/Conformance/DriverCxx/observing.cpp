// SPDX-License-Identifier: Apache-2.0
// Observers, and what they have been told.
#include <algorithm>

#include "scenario.hpp"

using namespace flexsync;

namespace {

void tell(std::string &line, const char *verb, const std::vector<std::string> &places) {
  if (places.empty()) return;
  line += std::string(" ") + verb + " [";
  for (auto &place : places) line += (&place == &places.front() ? "" : ", ") + place;
  line += "]";
}

void tell(std::string &line, const char *verb, const std::vector<size_t> &indexes) {
  std::vector<std::string> places;
  for (size_t index : indexes) places.push_back(std::to_string(index));
  tell(line, verb, places);
}

/// A handler for the changes of a collection.
auto collecting(observation &observer) {
  return [&observer](const auto &change) {
    std::string line = change.is_initial ? " first" : "";
    tell(line, "deleted", change.deletions);
    tell(line, "inserted", change.insertions);
    tell(line, "modified", change.modifications);
    observer.told.push_back(line);
  };
}

std::vector<std::string> key_paths_of(json step) {
  std::vector<std::string> result;
  for (size_t i = 0; i < step["keyPaths"].size(); i++) result.push_back(step["keyPaths"].at(i).text());
  return result;
}

template <typename Class>
notification_token observe_object(const managed<Class> &object, observation &observer, json step) {
  std::vector<std::string> names;
  for_each_property(object, [&](std::string_view name, auto) { names.emplace_back(name); });
  return object.observe(
      [&observer, names](const object_change &change) {
        std::string line = change.is_deleted ? " deleted" : " changed";
        for (auto &name : names)
          for (auto &property : change.property_changes)
            if (property.name == name) line += " " + name;
        observer.told.push_back(line);
      },
      key_paths_of(step));
}

template <typename Property>
notification_token observe_property(const Property &, observation &, json) {
  throw scenario_error("this property is no collection");
}
template <typename Element>
notification_token observe_property(const managed<std::vector<Element>> &list, observation &observer, json step) {
  return list.observe(collecting(observer), key_paths_of(step));
}
template <typename Element>
notification_token observe_property(const managed<std::set<Element>> &set, observation &observer, json step) {
  return set.observe(collecting(observer), key_paths_of(step));
}
template <typename Element>
notification_token observe_property(const managed<std::map<std::string, Element>> &dictionary, observation &observer,
                                    json step) {
  return dictionary.observe(collecting(observer), key_paths_of(step));
}

void observe(device &device, json step) {
  auto &observer = *device.observations.emplace_back(std::make_unique<observation>());
  observer.name = step["as"].text();
  auto id = step["id"].optional_text();
  if (!id) {
    with_results(*device.realm, step, [&](auto results) {
      observer.token = results.observe(collecting(observer), key_paths_of(step));
    });
  } else {
    with_object(*device.realm, step["class"].text(), *id, [&](auto object) {
      auto name = step["property"].optional_text();
      if (!name) observer.token = observe_object(object, observer, step);
      else
        for_each_property(object, [&](std::string_view candidate, auto property) {
          if (candidate == *name) observer.token = observe_property(property, observer, step);
        });
    });
  }
  device.print() << "observes " << observer.name << "\n";
}

void stop_observing(device &device, const std::string &name) {
  auto &all = device.observations;
  all.erase(std::remove_if(all.begin(), all.end(), [&](auto &one) { return one->name == name; }), all.end());
  device.print() << "no longer observes " << name << "\n";
}

void print_changes(const device &device) {
  bool is_news = false;
  device.realm->refresh();
  for (auto &observer : device.observations) {
    for (auto &line : observer->told) device.print() << observer->name << ":" << line << "\n";
    is_news = is_news || !observer->told.empty();
    observer->told.clear();
  }
  if (!is_news) device.print() << "no changes\n";
}

}  // namespace

bool play_observing(device &device, const std::string &action, json step) {
  if (action == "observe") observe(device, step);
  else if (action == "unobserve") stop_observing(device, step["as"].text());
  else if (action == "changes") print_changes(device);
  else return false;
  return true;
}
