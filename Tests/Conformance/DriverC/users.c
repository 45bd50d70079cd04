/* SPDX-License-Identifier: Apache-2.0 */
/* Users of a device: logging in in every way, linking, switching, API keys. */
#include "scenario.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_KNOWN = 16 };

/* What the scenario calls a user, on all devices. */
static struct {
  char name[32], id[64];
} users[MAX_KNOWN];
static size_t user_count;

/* The API keys that were made, with what logs in. */
static struct {
  char name[32], secret[128];
  flx_object_id_t id;
} keys[MAX_KNOWN];
static size_t key_count;

static const char *name_of(const flx_user_t *user) {
  flx_string_t id = flx_user_id(user);
  for (size_t i = 0; i < user_count; i++)
    if (strlen(users[i].id) == id.size && !memcmp(users[i].id, id.data, id.size)) return users[i].name;
  return "somebody";
}

static void remember(const flx_user_t *user, const char *name) {
  if (strcmp(name_of(user), "somebody")) return;
  if (user_count == MAX_KNOWN) die("too many users");
  flx_string_t id = flx_user_id(user);
  snprintf(users[user_count].name, sizeof users->name, "%s", name);
  snprintf(users[user_count++].id, sizeof users->id, "%.*s", (int)id.size, id.data);
}

/* The user of a step; the caller releases it. */
static flx_user_t *user_of(device_t *device, const json_t *step) {
  const char *name = required(step, "user");
  for (size_t i = 0; i < flx_app_user_count(device->app); i++) {
    flx_user_t *user = flx_app_get_user_at(device->app, i);
    if (user && !strcmp(name_of(user), name)) return user;
    flx_user_release(user);
  }
  die("%s does not know the user '%s'", device->name, name);
  return NULL;
}

static void print_failure(device_t *device, flx_status_t status, const flx_error_t *error) {
  printf("%s: failed: %s\n", device->name, error->server_code[0] ? error->server_code : flx_status_name(status));
}

static size_t key_named(const char *name) {
  for (size_t i = 0; i < key_count; i++)
    if (!strcmp(keys[i].name, name)) return i;
  die("there is no key '%s'", name);
  return 0;
}

/* The credentials of a step; texts are borrowed from the step, and from `email`. */
static flx_credentials_t credentials_of(const json_t *step, char *email, size_t capacity) {
  const char *with = required(step, "with");
  if (!strcmp(with, "anonymous")) return (flx_credentials_t){.kind = FLX_CREDENTIALS_ANONYMOUS};
  if (!strcmp(with, "token"))
    return (flx_credentials_t){.kind = FLX_CREDENTIALS_JWT, .secret = text(required(step, "secret"))};
  if (!strcmp(with, "key"))
    return (flx_credentials_t){.kind = FLX_CREDENTIALS_API_KEY,
                               .secret = text(keys[key_named(required(step, "secret"))].secret)};
  if (strcmp(with, "password")) die("unknown credentials '%s'", with);
  const char *name = member(step, "email"), *password = member(step, "secret");
  snprintf(email, capacity, "%s@example.com", name ? name : required(step, "user"));
  return (flx_credentials_t){.kind = FLX_CREDENTIALS_EMAIL_PASSWORD,
                             .name = text(email),
                             .secret = text(password ? password : "password")};
}

void do_register(device_t *device, const json_t *step) {
  char email[128];
  flx_error_t error;
  snprintf(email, sizeof email, "%s@example.com", required(step, "user"));
  flx_status_t status = flx_app_register_email_blocking(device->app, text(email), FLX_STRING("password"), &error);
  if (status != FLX_STATUS_OK) return print_failure(device, status, &error);
  printf("%s: registered %s\n", device->name, required(step, "user"));
}

void do_login(device_t *device, const json_t *step) {
  char email[128];
  flx_error_t error;
  flx_user_t *user;
  flx_credentials_t credentials = credentials_of(step, email, sizeof email);
  flx_status_t status = flx_app_log_in_blocking(device->app, &credentials, &user, &error);
  if (status != FLX_STATUS_OK) return print_failure(device, status, &error);
  remember(user, required(step, "user"));
  flx_string_t provider = flx_user_provider(user);
  printf("%s: %s logged in with %.*s\n", device->name, name_of(user), (int)provider.size, provider.data);
  flx_user_release(user);
}

void do_link(device_t *device, const json_t *step) {
  char email[128];
  flx_error_t error;
  flx_user_t *user = user_of(device, step);
  flx_credentials_t credentials = credentials_of(step, email, sizeof email);
  flx_status_t status = flx_user_link_blocking(user, &credentials, &error);
  if (status != FLX_STATUS_OK) {
    print_failure(device, status, &error);
  } else {
    size_t count;
    flx_user_identity_t *identities = flx_user_identities_copy(user, &count);
    printf("%s: %s has", device->name, name_of(user));
    for (size_t i = 0; i < count; i++)
      printf("%s %.*s", i ? "," : "", (int)identities[i].provider.size, identities[i].provider.data);
    printf("\n");
    flx_free(identities);
  }
  flx_user_release(user);
}

void do_switch(device_t *device, const json_t *step) {
  flx_error_t error;
  flx_user_t *user = user_of(device, step);
  check(flx_app_switch_user(device->app, user, &error), &error);
  printf("%s: %s is the current user\n", device->name, name_of(user));
  flx_user_release(user);
}

static const char *state_of(const flx_user_t *user) {
  switch (flx_user_get_state(user)) {
  case FLX_USER_LOGGED_IN: return "logged in";
  case FLX_USER_LOGGED_OUT: return "logged out";
  default: return "removed";
  }
}

/* Ends a user: "logout", "remove", "delete". */
void do_end(device_t *device, const json_t *step) {
  flx_error_t error;
  const char *action = required(step, "do");
  flx_user_t *user = user_of(device, step);
  flx_status_t status = !strcmp(action, "logout")   ? flx_user_log_out_blocking(user, &error)
                        : !strcmp(action, "remove") ? flx_user_remove_blocking(user, &error)
                                                    : flx_user_delete_blocking(user, &error);
  if (status != FLX_STATUS_OK) print_failure(device, status, &error);
  else printf("%s: %s is %s\n", device->name, name_of(user), state_of(user));
  flx_user_release(user);
}

static int by_text(const void *left, const void *right) { return strcmp(left, right); }

void do_users(device_t *device, const json_t *step) {
  (void)step;
  char lines[MAX_KNOWN][64];
  flx_user_t *current = flx_app_get_current_user(device->app);
  size_t count = flx_app_user_count(device->app);
  if (count > MAX_KNOWN) die("too many users");
  for (size_t i = 0; i < count; i++) {
    flx_user_t *user = flx_app_get_user_at(device->app, i);
    snprintf(lines[i], sizeof *lines, "%s %s%s", name_of(user), state_of(user), user == current ? " (current)" : "");
    flx_user_release(user);
  }
  flx_user_release(current);
  qsort(lines, count, sizeof *lines, by_text);
  printf("%s: users: %s", device->name, count ? "" : "none");
  for (size_t i = 0; i < count; i++) printf("%s%s", i ? ", " : "", lines[i]);
  printf("\n");
}

static void create_key(device_t *device, flx_user_t *user, const char *name) {
  flx_error_t error;
  flx_api_key_t *key;
  flx_status_t status = flx_user_create_api_key_blocking(user, text(name), &key, &error);
  if (status != FLX_STATUS_OK) return print_failure(device, status, &error);
  if (key_count == MAX_KNOWN) die("too many keys");
  snprintf(keys[key_count].name, sizeof keys->name, "%s", name);
  snprintf(keys[key_count].secret, sizeof keys->secret, "%.*s", (int)key->key.size, key->key.data);
  keys[key_count++].id = key->id;
  printf("%s: key %.*s created\n", device->name, (int)key->name.size, key->name.data);
  flx_free(key);
}

/* Does something with an API key: "create", "enable", "disable", "delete". */
void do_key(device_t *device, const json_t *step) {
  flx_error_t error;
  flx_user_t *user = user_of(device, step);
  const char *action = required(step, "action"), *name = required(step, "name");
  if (!strcmp(action, "create")) {
    create_key(device, user, name);
  } else {
    const flx_object_id_t *id = &keys[key_named(name)].id;
    flx_status_t status = !strcmp(action, "enable")    ? flx_user_enable_api_key_blocking(user, id, &error)
                          : !strcmp(action, "disable") ? flx_user_disable_api_key_blocking(user, id, &error)
                                                       : flx_user_delete_api_key_blocking(user, id, &error);
    if (status != FLX_STATUS_OK) print_failure(device, status, &error);
    else printf("%s: key %s %sd\n", device->name, name, action);
  }
  flx_user_release(user);
}

void do_keys(device_t *device, const json_t *step) {
  flx_error_t error;
  flx_api_key_t *found;
  size_t count;
  flx_user_t *user = user_of(device, step);
  check(flx_user_fetch_api_keys_blocking(user, &found, &count, &error), &error);
  printf("%s: keys: %s", device->name, count ? "" : "none");
  for (size_t i = 0; i < count; i++)
    printf("%s%.*s %s", i ? ", " : "", (int)found[i].name.size, found[i].name.data,
           found[i].is_disabled ? "disabled" : "enabled");
  printf("\n");
  flx_free(found);
  flx_user_release(user);
}
