// SPDX-License-Identifier: Apache-2.0
// Users of a device: logging in in every way, linking, switching, API keys.
#include <algorithm>

#include "scenario.hpp"

using namespace flexsync;

namespace {

/// What the scenario calls a user, by the user's id, on all devices; and the API keys that were made, with what logs
/// in.
std::map<std::string, std::string> names;
std::map<std::string, api_key> keys;

std::string name_of(const user &user) {
  auto found = names.find(user.identifier());
  return found == names.end() ? "somebody" : found->second;
}

user user_of(const device &device, json step) {
  for (auto &user : device.app->all_users())
    if (name_of(user) == step["user"].text()) return user;
  throw scenario_error(device.name + " does not know the user " + step["user"].text());
}

void print_failure(const device &device, const error &error) {
  device.print_failure(error.server_code().empty() ? std::string(to_string(error.status())) : error.server_code());
}

credentials credentials_of(json step) {
  std::string with = step["with"].text();
  if (with == "anonymous") return credentials::anonymous();
  if (with == "token") return credentials::custom(step["secret"].text());
  if (with == "key") return credentials::api_key(keys.at(step["secret"].text()).key);
  if (with != "password") throw scenario_error("unknown credentials " + with);
  std::string email = step["email"].is_text() ? step["email"].text() : step["user"].text();
  return credentials::username_password(email + "@example.com", step["secret"].optional_text().value_or("password"));
}

void register_user(const device &device, json step) {
  device.app->register_user(step["user"].text() + "@example.com", "password").get();
  device.print() << "registered " << step["user"].text() << "\n";
}

void log_in_as(const device &device, json step) {
  auto user = device.app->login(credentials_of(step)).get();
  names.emplace(user.identifier(), step["user"].text());
  device.print() << name_of(user) << " logged in with " << user.provider() << "\n";
}

void link(const device &device, json step) {
  auto user = user_of(device, step);
  user.link(credentials_of(step)).get();
  device.print() << name_of(user) << " has";
  const char *separator = "";
  for (auto &identity : user.identities()) {
    std::cout << separator << " " << identity.provider;
    separator = ",";
  }
  std::cout << "\n";
}

void switch_user(const device &device, json step) {
  auto user = user_of(device, step);
  device.app->switch_user(user);
  device.print() << name_of(user) << " is the current user\n";
}

const char *state_of(const user &user) {
  switch (user.state()) {
    case user_state::logged_in: return "logged in";
    case user_state::logged_out: return "logged out";
    default: return "removed";
  }
}

/// Ends a user: "logout", "remove", "delete".
void end(const device &device, const std::string &action, json step) {
  auto user = user_of(device, step);
  if (action == "logout") user.log_out().get();
  else if (action == "remove") user.remove().get();
  else user.delete_account().get();
  device.print() << name_of(user) << " is " << state_of(user) << "\n";
}

void print_users(const device &device) {
  auto current = device.app->get_current_user();
  std::vector<std::string> lines;
  for (auto &user : device.app->all_users())
    lines.push_back(name_of(user) + " " + state_of(user) + (current && user == *current ? " (current)" : ""));
  std::sort(lines.begin(), lines.end());
  device.print() << "users: " << (lines.empty() ? "none" : "");
  for (size_t i = 0; i < lines.size(); i++) std::cout << (i ? ", " : "") << lines[i];
  std::cout << "\n";
}

void change_key(const device &device, json step) {
  auto user = user_of(device, step);
  std::string action = step["action"].text(), name = step["name"].text();
  if (action == "create") {
    auto key = user.create_api_key(name).get();
    keys.insert_or_assign(name, key);
    device.print() << "key " << key.name << " created\n";
    return;
  }
  object_id id = keys.at(name).id;
  if (action == "enable") user.enable_api_key(id).get();
  else if (action == "disable") user.disable_api_key(id).get();
  else user.delete_api_key(id).get();
  device.print() << "key " << name << " " << action << "d\n";
}

void print_keys(const device &device, json step) {
  auto found = user_of(device, step).fetch_api_keys().get();
  device.print() << "keys: " << (found.empty() ? "none" : "");
  for (size_t i = 0; i < found.size(); i++)
    std::cout << (i ? ", " : "") << found[i].name << (found[i].is_disabled ? " disabled" : " enabled");
  std::cout << "\n";
}

}  // namespace

user log_in(device &device, const std::string &user) {
  std::string email = user + "@example.com";
  auto credentials = credentials::username_password(email, "password");
  try {
    return device.app->login(credentials).get();
  } catch (const error &error) {
    if (error.status() != status::invalid_password) throw;
  }
  device.app->register_user(email, "password").get();
  return device.app->login(credentials).get();
}

bool play_users(device &device, const std::string &action, json step) try {
  if (action == "register") register_user(device, step);
  else if (action == "login") log_in_as(device, step);
  else if (action == "link") link(device, step);
  else if (action == "switch") switch_user(device, step);
  else if (action == "logout" || action == "remove" || action == "delete") end(device, action, step);
  else if (action == "users") print_users(device);
  else if (action == "key") change_key(device, step);
  else if (action == "keys") print_keys(device, step);
  else return false;
  return true;
} catch (const error &error) {
  print_failure(device, error);
  return true;
}
