// SPDX-License-Identifier: Apache-2.0
// Subscription sets, and subscriptions of results.
#include "scenario.hpp"

using namespace flexsync;

void add_subscription(const db &realm, mutable_sync_subscription_set &subscriptions, json step) {
  auto conflict = step["replace"].is_true() ? name_conflict::replace : name_conflict::fail;
  with_results(realm, step, [&](auto results) { subscriptions.add(results, step["name"].optional_text(), conflict); });
}

namespace {

const char *name_of(subscription_state state) {
  switch (state) {
    case subscription_state::complete: return "complete";
    case subscription_state::error: return "error";
    case subscription_state::superseded: return "superseded";
    default: return "pending";
  }
}

void apply(const db &realm, mutable_sync_subscription_set &subscriptions, json change) {
  if (json added = change["add"]) {
    add_subscription(realm, subscriptions, added);
  } else if (json changed = change["query"]) {
    with_results(realm, changed, [&](auto results) {
      if (subscriptions.find(changed["name"].text()))
        subscriptions.update_subscription(changed["name"].text(), results);
    });
  } else if (json removed = change["removeQuery"]) {
    with_results(realm, removed, [&](auto results) { subscriptions.remove(results); });
  } else if (json name = change["remove"]) {
    subscriptions.remove(name.text());
  } else if (json class_name = change["removeClass"]) {
    subscriptions.remove_all(class_name.text());
  } else if (json unnamed_only = change["removeAll"]) {
    unnamed_only.is_true() ? subscriptions.remove_all_unnamed() : subscriptions.clear();
  } else {
    throw scenario_error("unknown change of an update");
  }
}

void update(device &device, json step) try {
  auto subscriptions = device.realm->subscriptions();
  auto completed = subscriptions.update(
      [&](mutable_sync_subscription_set &changes) {
        for (size_t i = 0; i < step["changes"].size(); i++) apply(*device.realm, changes, step["changes"].at(i));
      },
      wait_time);
  if (step["wait"].is_false()) {
    device.print() << "committed version " << subscriptions.version() << "\n";
    return;
  }
  completed.get();
  subscriptions.refresh();
  device.realm->refresh();
  device.print() << "version " << subscriptions.version() << " " << name_of(subscriptions.state()) << "\n";
} catch (const error &error) {
  device.print_failure(error.what());
}

void print_subscriptions(const device &device) {
  auto subscriptions = device.realm->subscriptions();
  device.print() << "version " << subscriptions.version() << " " << name_of(subscriptions.state()) << ":";
  const char *separator = "";
  for (auto one : subscriptions) {
    std::cout << separator << " " << one.name.value_or("-") << "=" << one.object_class_name << "(" << one.query_string
              << ")";
    separator = ",";
  }
  std::cout << "\n";
}

wait_for_sync wait_mode(const std::optional<std::string> &name) {
  if (!name || *name == "onCreation") return wait_for_sync::on_creation;
  if (*name == "always") return wait_for_sync::always;
  if (*name == "never") return wait_for_sync::never;
  throw scenario_error("unknown wait mode " + *name);
}

/// Lets the realm advance until a future is ready.
void wait(const db &realm, std::future<void> future) {
  while (future.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    realm.wait_for_change(std::chrono::milliseconds(20));
    realm.refresh();
  }
  future.get();
  realm.refresh();
}

void subscribe(device &device, json step) try {
  std::chrono::milliseconds timeout(step["timeout"].integer());
  with_results(*device.realm, step, [&](auto results) {
    wait(*device.realm, results.subscribe(step["name"].optional_text(), wait_mode(step["wait"].optional_text()),
                                          timeout.count() ? timeout : wait_time));
  });
  device.print() << "subscribed\n";
} catch (const error &error) {
  device.print_failure(error.what());
}

void unsubscribe(device &device, json step) try {
  bool waits = step["wait"].is_true();
  with_results(*device.realm, step, [&](auto results) {
    if (waits) wait(*device.realm, results.unsubscribe_and_wait(wait_time));
    else results.unsubscribe();
  });
  device.print() << (waits ? "unsubscribed, and the objects are gone\n" : "unsubscribed\n");
} catch (const error &error) {
  device.print_failure(error.what());
}

}  // namespace

bool play_subscriptions(device &device, const std::string &action, json step) {
  if (action == "update") update(device, step);
  else if (action == "subscriptions") print_subscriptions(device);
  else if (action == "subscribe") subscribe(device, step);
  else if (action == "unsubscribe") unsubscribe(device, step);
  else return false;
  return true;
}
