// SPDX-License-Identifier: Apache-2.0
// Plays a conformance scenario through the C++ interface and prints its transcript. See ../README.md.
#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "scenario.hpp"

using namespace flexsync;

namespace {

std::map<std::string, device> devices;
std::string server, app_id, data, control;

/// Reverted writes of all devices, as lines of the transcript without the device. Written on loop threads.
std::mutex reverted_mutex;
std::vector<std::string> reverted;

std::string key_text(const mixed &key) {
  auto id = key.get_if<object_id>();
  return id ? id->to_string() : "?";
}

void collect_error(const sync_session &, const sync_error &error) {
  std::lock_guard<std::mutex> lock(reverted_mutex);
  for (auto &write : error.compensating_writes)
    reverted.push_back("reverted " + write.object_class_name + " " + key_text(write.primary_key) + ": " + write.reason);
}

/// Opens the app of a device, unless it is open.
void start(device &device) {
  if (device.app) return;
  App::configuration configuration;
  configuration.app_id = app_id;
  configuration.base_url = server;
  configuration.path = data + "/" + device.name;
  device.app.emplace(configuration);
  device.app->set_error_handler(collect_error);
}

client_reset_handler reset_handler(const std::optional<std::string> &name) {
  client_reset_handler handler;
  if (!name) return handler;
  if (*name == "discard") handler.mode = client_reset_mode::discard_unsynced_changes;
  else if (*name == "recover") handler.mode = client_reset_mode::recover_unsynced_changes;
  else throw scenario_error("unknown reset " + *name);
  return handler;
}

std::string path_of(const std::string &name) { return data + "/" + name + ".realm"; }

/// The configuration of a local realm.
db_config local_configuration(json step) {
  db_config config;
  if (auto name = step["inMemory"].optional_text()) config.set_in_memory_name(*name);
  else config.set_path(path_of(step["local"].text()));
  config.set_schema<Task, Team, Item, Contact, Note>();
  return config;
}

db_config synced_configuration(device &device, json step) {
  auto user = device.app->get_current_user();
  if (!user) user = log_in(device, step["user"].text());
  auto config = user->flexible_sync_configuration();
  config.set_client_reset_handler(reset_handler(step["reset"].optional_text()));
  config.set_starts_suspended(step["offline"].is_true());
  config.set_refuse_unsubscribed_objects(step["refuse"].is_true());
  if (json initial = step["initial"]) {
    config.set_initial_subscriptions([initial](db &realm, mutable_sync_subscription_set &subscriptions) {
      for (size_t i = 0; i < initial.size(); i++) add_subscription(realm, subscriptions, initial.at(i));
    });
  }
  return config;
}

open_mode mode_of(json step) {
  auto wait = step["wait"].optional_text();
  if (!wait) return open_mode::local;
  return *wait == "once" ? open_mode::download_once : open_mode::download_always;
}

void open(device &device, json step) try {
  start(device);
  bool is_local = step["local"] || step["inMemory"];
  auto config = is_local ? local_configuration(step) : synced_configuration(device, step);
  config.set_read_only(step["readOnly"].is_true());
  if (auto seed = step["seed"].optional_text()) config.set_seed_path(path_of(*seed));
  device.realm.emplace(config, mode_of(step), wait_time);
  if (is_local) device.print() << "opened " << step[step["local"] ? "local" : "inMemory"].text() << "\n";
  else device.print() << "opened as " << step["user"].text() << "\n";
} catch (const error &error) {
  device.print_failure(error.what());
}

void copy(device &device, json step) try {
  auto config = step["synced"].is_true() ? device.app->get_current_user()->flexible_sync_configuration() : db_config();
  device.realm->write_copy(config.set_path(path_of(step["to"].text())));
  device.print() << "wrote a copy to " << step["to"].text() << "\n";
} catch (const error &error) {
  device.print_failure(error.what());
}

void delete_files(device &device, json step) try {
  bool is_deleted = db::delete_files(local_configuration(step));
  device.print() << (is_deleted ? "deleted the files of " : "there are no files of ") << step["local"].text() << "\n";
} catch (const error &error) {
  device.print_failure(error.what());
}

void close(device &device) {
  device.observations.clear();
  device.frozen.reset();
  device.realm.reset();
  device.app.reset();
}

void sync(device &device) try {
  auto session = *device.realm->get_sync_session();
  session.wait_for_upload_completion(wait_time).get();
  session.wait_for_download_completion(wait_time).get();
  device.realm->refresh();
  device.print() << "in sync\n";
} catch (const error &error) {
  device.print_failure(error.what());
}

void write(device &device, json step) {
  bool is_whole = !device.realm->is_in_write();
  if (is_whole) device.realm->begin_write();
  try {
    for (size_t i = 0; i < step["changes"].size(); i++) apply_change(*device.realm, step["changes"].at(i));
    if (is_whole) device.realm->commit_write();
    device.print() << "wrote\n";
  } catch (const error &error) {
    device.print_failure(error.what());
    if (is_whole && device.realm->is_in_write()) device.realm->cancel_write();
  }
}

void await(device &device, json step) {
  with_results(*device.realm, step, [&](auto results) {
    auto end = std::chrono::steady_clock::now() + wait_time;
    size_t wanted = step["count"].index(), count = 0;
    do {
      device.realm->refresh();
      count = results.size();
    } while (count != wanted && std::chrono::steady_clock::now() < end &&
             (device.realm->wait_for_change(std::chrono::milliseconds(50)), true));
    if (count != wanted) device.print() << "gave up with " << count << "\n";
    else
      device.print() << count << " " << step["class"].text() << " where "
                     << step["query"].optional_text().value_or("TRUEPREDICATE") << "\n";
  });
}

void print_completeness(const device &device, json step) {
  with_results(*device.realm, step, [&](auto results) {
    auto version = results.complete_as_of();
    if (version && *version == 0) throw scenario_error("complete as of version 0");
    device.print() << (version ? "has every " : "may lack some ") << step["class"].text() << " where "
                   << step["query"].optional_text().value_or("TRUEPREDICATE") << "\n";
  });
}

template <typename Class>
void print_link(const device &device, const managed<Class *> &link, json step) {
  auto [state, key] = link.state();
  device.print() << step["property"].text() << " of " << step["id"].text();
  if (state == link_state::null) std::cout << " is null\n";
  else std::cout << (state == link_state::resolved ? " leads to " : " leads out of view to ") << key_text(key) << "\n";
}
template <typename Value>
void print_link(const device &, const managed<Value> &, json) {
  throw scenario_error("this property is no link");
}

void print_link_state(const device &device, json step) {
  with_object(*device.realm, step["class"].text(), step["id"].text(), [&](auto object) {
    for_each_property(object, [&](std::string_view name, auto property) {
      if (name == step["property"].text()) print_link(device, property, step);
    });
  });
}

void print_backlinks(const device &device, json step) {
  if (step["from"].text() != "Contact" || step["property"].text() != "friend")
    throw scenario_error("only contacts link to each other");
  auto contact = device.realm->find<Contact>(object_id(step["id"].text()));
  if (!contact) throw scenario_error("there is no contact " + step["id"].text());
  auto origins = contact->linking<&Contact::friend_>();
  device.print() << origins.size() << " Contact link to " << step["id"].text() << " by friend:";
  for (auto origin : origins) std::cout << " " << origin._id;
  std::cout << "\n";
}

void print_errors(const device &device, json step) {
  auto end = std::chrono::steady_clock::now() + wait_time;
  auto is_complete = [&] {
    std::lock_guard<std::mutex> lock(reverted_mutex);
    return reverted.size() >= step["count"].index();
  };
  while (!is_complete() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::lock_guard<std::mutex> lock(reverted_mutex);
  std::sort(reverted.begin(), reverted.end());
  for (auto &line : reverted) device.print() << line << "\n";
  reverted.clear();
}

void print_rejected(const device &device) {
  auto writes = device.realm->rejected_writes();
  device.print() << writes.size() << " rejected\n";
  for (auto &write : writes)
    device.print() << "  " << write.object_class_name << " " << key_text(write.primary_key)
                   << (write.state == rejected_write_state::resubmitted ? " resubmitted: " : " kept: ") << write.reason
                   << "\n";
}

void control_server(const std::string &action) {
  std::string command = control + " " + action;
  if (std::system(command.c_str()) != 0) throw scenario_error("'" + command + "' failed");
  std::cout << "server " << action << "ed\n";
}

void play_realm(device &device, const std::string &action, json step) {
  if (action == "close") {
    close(device);
    device.print() << "closed\n";
  } else if (action == "copy") copy(device, step);
  else if (action == "write") write(device, step);
  else if (action == "begin") device.realm->begin_write(), device.print() << "began\n";
  else if (action == "commit") device.realm->commit_write(), device.print() << "committed\n";
  else if (action == "cancel") device.realm->cancel_write(), device.print() << "canceled\n";
  else if (action == "sync") sync(device);
  else if (action == "suspend") device.realm->get_sync_session()->suspend(), device.print() << "suspended\n";
  else if (action == "resume") device.realm->get_sync_session()->resume(), device.print() << "resumed\n";
  else if (action == "dump") print_dump(device, *device.realm, step);
  else if (action == "match") print_match(device, step);
  else if (action == "objects") print_objects(device, step);
  else if (action == "freeze") device.frozen = device.realm->freeze(), device.print() << "froze\n";
  else if (action == "frozen") print_dump(device, device.frozen.value(), step);
  else if (action == "await") await(device, step);
  else if (action == "complete") print_completeness(device, step);
  else if (action == "linkState") print_link_state(device, step);
  else if (action == "backlinks") print_backlinks(device, step);
  else if (action == "errors") print_errors(device, step);
  else if (action == "rejected") print_rejected(device);
  else if (action == "discard") {
    device.realm->discard(rejected_write_to(*device.realm, step["class"].text(), step["id"].text()));
    device.print() << "discarded\n";
  } else throw scenario_error("unknown step " + action);
}

void play(json step) {
  std::string action = step["do"].text();
  if (action == "server") return control_server(step["action"].text());
  std::string name = step["device"].text();
  device &device = devices[name];
  device.name = name;
  if (action == "open") return open(device, step);
  if (action == "deleteFiles") return delete_files(device, step);
  // Steps about users need no realm.
  if (!device.realm) start(device);
  if (play_users(device, action, step) || play_subscriptions(device, action, step) ||
      play_observing(device, action, step))
    return;
  play_realm(device, action, step);
}

void play_file(const char *path) {
  json_error_t error;
  std::shared_ptr<json_t> scenario(json_load_file(path, 0, &error), json_decref);
  if (!scenario) throw scenario_error(std::string(path) + ": " + error.text);
  json steps = json(scenario.get())["steps"];
  for (size_t i = 0; i < steps.size(); i++) {
    play(steps.at(i));
    std::cout.flush();
  }
}

/// Plays the steps that come in, one a line, and says after each that it is done.
void play_input() {
  std::string line;
  while (std::getline(std::cin, line)) {
    json_error_t error;
    std::shared_ptr<json_t> step(json_loads(line.c_str(), 0, &error), json_decref);
    if (!step) throw scenario_error("'" + line + "' is no step: " + error.text);
    play(step.get());
    std::cout << "done" << std::endl;
  }
}

}  // namespace

rejected_write rejected_write_to(const db &realm, const std::string &class_name, const std::string &id) {
  for (auto &write : realm.rejected_writes())
    if (write.object_class_name == class_name && key_text(write.primary_key) == id) return write;
  throw scenario_error("there is no rejected write to " + class_name + " " + id);
}

int main(int argc, char **argv) try {
  if (argc != 6) throw scenario_error(std::string("usage: ") + argv[0] + " SCENARIO|- SERVER APP DATA SERVER_CONTROL");
  server = argv[2], app_id = argv[3], data = argv[4], control = argv[5];
  if (std::string(argv[1]) == "-") play_input();
  else play_file(argv[1]);
  devices.clear();
  return 0;
} catch (const std::exception &error) {
  std::cout.flush();
  std::cerr << "conformance: " << error.what() << "\n";
  return 2;
}
