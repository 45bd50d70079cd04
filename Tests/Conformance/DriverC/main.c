/* SPDX-License-Identifier: Apache-2.0 */
/* Plays a conformance scenario through the C interface and prints its transcript. See ../README.md. */
#include "scenario.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const flx_property_info_t TASK_PROPERTIES[] = {
    {.name = {"_id", 3}, .type = FLX_TYPE_OBJECT_ID, .is_primary_key = true},
    {.name = {"taskName", 8}, .type = FLX_TYPE_STRING},
    {.name = {"assignee", 8}, .type = FLX_TYPE_STRING, .is_nullable = true},
    {.name = {"completed", 9}, .type = FLX_TYPE_BOOL},
    {.name = {"progressMinutes", 15}, .type = FLX_TYPE_INT},
    {.name = {"dueDate", 7}, .type = FLX_TYPE_TIMESTAMP},
};
static const flx_property_info_t TEAM_PROPERTIES[] = {
    {.name = {"_id", 3}, .type = FLX_TYPE_OBJECT_ID, .is_primary_key = true},
    {.name = {"teamName", 8}, .type = FLX_TYPE_STRING},
    {.name = {"tasks", 5}, .type = FLX_TYPE_LINK, .collection = FLX_COLLECTION_LIST, .link_target = {"Task", 4}},
    {.name = {"members", 7}, .type = FLX_TYPE_STRING, .collection = FLX_COLLECTION_LIST},
};
static const flx_property_info_t ITEM_PROPERTIES[] = {
    {.name = {"_id", 3}, .type = FLX_TYPE_OBJECT_ID, .is_primary_key = true},
    {.name = {"name", 4}, .type = FLX_TYPE_STRING},
    {.name = {"labels", 6}, .type = FLX_TYPE_STRING, .collection = FLX_COLLECTION_SET},
    {.name = {"numbers", 7}, .type = FLX_TYPE_INT, .collection = FLX_COLLECTION_SET, .is_nullable = true},
    {.name = {"related", 7}, .type = FLX_TYPE_LINK, .collection = FLX_COLLECTION_SET, .link_target = {"Item", 4}},
    {.name = {"counts", 6}, .type = FLX_TYPE_INT, .collection = FLX_COLLECTION_DICTIONARY},
    {.name = {"notes", 5}, .type = FLX_TYPE_STRING, .collection = FLX_COLLECTION_DICTIONARY, .is_nullable = true},
    {.name = {"dates", 5}, .type = FLX_TYPE_TIMESTAMP, .collection = FLX_COLLECTION_DICTIONARY},
    {.name = {"partners", 8}, .type = FLX_TYPE_LINK, .collection = FLX_COLLECTION_DICTIONARY, .link_target = {"Item", 4}},
};
static const flx_property_info_t CONTACT_PROPERTIES[] = {
    {.name = {"_id", 3}, .type = FLX_TYPE_OBJECT_ID, .is_primary_key = true},
    {.name = {"name", 4}, .type = FLX_TYPE_STRING},
    {.name = {"home", 4}, .type = FLX_TYPE_LINK, .link_target = {"Address", 7}},
    {.name = {"addresses", 9}, .type = FLX_TYPE_LINK, .collection = FLX_COLLECTION_LIST, .link_target = {"Address", 7}},
    {.name = {"places", 6}, .type = FLX_TYPE_LINK, .collection = FLX_COLLECTION_DICTIONARY, .link_target = {"Address", 7}},
    {.name = {"friend", 6}, .type = FLX_TYPE_LINK, .link_target = {"Contact", 7}},
};
static const flx_property_info_t ADDRESS_PROPERTIES[] = {
    {.name = {"street", 6}, .type = FLX_TYPE_STRING},
    {.name = {"number", 6}, .type = FLX_TYPE_INT, .is_nullable = true},
    {.name = {"country", 7}, .type = FLX_TYPE_LINK, .link_target = {"Country", 7}},
    {.name = {"landlord", 8}, .type = FLX_TYPE_LINK, .link_target = {"Contact", 7}},
};
static const flx_property_info_t COUNTRY_PROPERTIES[] = {{.name = {"name", 4}, .type = FLX_TYPE_STRING}};
static const flx_property_info_t NOTE_PROPERTIES[] = {
    {.name = {"_id", 3}, .type = FLX_TYPE_OBJECT_ID, .is_primary_key = true},
    {.name = {"name", 4}, .type = FLX_TYPE_STRING},
    {.name = {"price", 5}, .type = FLX_TYPE_DECIMAL},
    {.name = {"discount", 8}, .type = FLX_TYPE_DECIMAL, .is_nullable = true},
    {.name = {"prices", 6}, .type = FLX_TYPE_DECIMAL, .collection = FLX_COLLECTION_LIST},
    {.name = {"any", 3}, .type = FLX_TYPE_MIXED},
    {.name = {"anything", 8}, .type = FLX_TYPE_MIXED, .collection = FLX_COLLECTION_LIST},
    {.name = {"byName", 6}, .type = FLX_TYPE_MIXED, .collection = FLX_COLLECTION_DICTIONARY},
};
static const flx_property_info_t READING_PROPERTIES[] = {
    {.name = {"_id", 3}, .type = FLX_TYPE_OBJECT_ID, .is_primary_key = true},
    {.name = {"sensor", 6}, .type = FLX_TYPE_STRING},
    {.name = {"count", 5}, .type = FLX_TYPE_INT},
    {.name = {"site", 4}, .type = FLX_TYPE_LINK, .link_target = {"Site", 4}},
};
static const flx_property_info_t SITE_PROPERTIES[] = {{.name = {"name", 4}, .type = FLX_TYPE_STRING}};
static const flx_class_info_t CLASSES[] = {
    {.name = {"Task", 4}, .properties = TASK_PROPERTIES, .property_count = 6},
    {.name = {"Team", 4}, .properties = TEAM_PROPERTIES, .property_count = 4},
    {.name = {"Item", 4},
     .properties = ITEM_PROPERTIES,
     .property_count = sizeof ITEM_PROPERTIES / sizeof *ITEM_PROPERTIES},
    {.name = {"Contact", 7}, .properties = CONTACT_PROPERTIES, .property_count = 6},
    {.name = {"Address", 7}, .kind = FLX_CLASS_EMBEDDED, .properties = ADDRESS_PROPERTIES, .property_count = 4},
    {.name = {"Country", 7}, .kind = FLX_CLASS_EMBEDDED, .properties = COUNTRY_PROPERTIES, .property_count = 1},
    {.name = {"Note", 4},
     .properties = NOTE_PROPERTIES,
     .property_count = sizeof NOTE_PROPERTIES / sizeof *NOTE_PROPERTIES},
    {.name = {"Reading", 7}, .kind = FLX_CLASS_ASYMMETRIC, .properties = READING_PROPERTIES, .property_count = 4},
    {.name = {"Site", 4}, .kind = FLX_CLASS_EMBEDDED, .properties = SITE_PROPERTIES, .property_count = 1},
};

/* Local realms have no asymmetric class, which are last, and what is embedded in them. */
enum { CLASS_COUNT = sizeof CLASSES / sizeof *CLASSES, LOCAL_CLASS_COUNT = CLASS_COUNT - 2 };

static device_t devices[MAX_DEVICES];
static const char *server, *app_id, *data, *control;

/* Reverted writes of all devices, as lines of the transcript without the device. Written on loop threads. */
static pthread_mutex_t reverted_lock = PTHREAD_MUTEX_INITIALIZER;
static char reverted[MAX_REVERTED][512];
static size_t reverted_count;

void die(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fflush(stdout);
  fprintf(stderr, "conformance: ");
  vfprintf(stderr, format, arguments);
  fprintf(stderr, "\n");
  va_end(arguments);
  exit(2);
}

void check(flx_status_t status, const flx_error_t *error) {
  if (status != FLX_STATUS_OK) die("%s: %s", flx_status_name(status), error->message);
}

flx_string_t text(const char *string) { return (flx_string_t){string, strlen(string)}; }

const char *member(const json_t *step, const char *name) { return json_string_value(json_object_get(step, name)); }

const char *required(const json_t *step, const char *name) {
  const char *value = member(step, name);
  if (!value) die("a step lacks '%s'", name);
  return value;
}

flx_class_info_t class_named(device_t *device, const char *name) {
  flx_error_t error;
  flx_class_info_t info;
  check(flx_realm_find_class(device->realm, text(name), &info, &error), &error);
  return info;
}

flx_class_info_t class_with_key(device_t *device, flx_class_key_t key) {
  flx_error_t error;
  flx_class_info_t info;
  for (size_t i = 0; i < flx_realm_class_count(device->realm); i++) {
    check(flx_realm_class_at(device->realm, i, &info, &error), &error);
    if (info.key == key) return info;
  }
  die("there is no class %d", (int)key);
  return info;
}

static void collect_error(void *userdata, flx_session_t *session, const flx_sync_error_t *error) {
  (void)userdata, (void)session;
  pthread_mutex_lock(&reverted_lock);
  for (size_t i = 0; i < error->compensating_write_count && reverted_count < MAX_REVERTED; i++) {
    const flx_compensating_write_t *write = &error->compensating_writes[i];
    char hex[25] = "?";
    if (write->primary_key.type == FLX_TYPE_OBJECT_ID) flx_object_id_format(&write->primary_key.object_id, hex);
    snprintf(reverted[reverted_count++], sizeof *reverted, "reverted %.*s %s: %.*s", (int)write->class_name.size,
             write->class_name.data, hex, (int)write->reason.size, write->reason.data);
  }
  pthread_mutex_unlock(&reverted_lock);
}

static device_t *device_of(const json_t *step) {
  const char *name = required(step, "device");
  for (size_t i = 0; i < MAX_DEVICES; i++) {
    if (!strcmp(devices[i].name, name)) return &devices[i];
    if (devices[i].name[0]) continue;
    snprintf(devices[i].name, sizeof devices[i].name, "%s", name);
    return &devices[i];
  }
  die("too many devices");
  return NULL;
}

/* Registers the user if the server has no such account. */
static void log_in(device_t *device, const char *user) {
  char email[128];
  flx_error_t error;
  snprintf(email, sizeof email, "%s@example.com", user);
  flx_credentials_t credentials = {
      .kind = FLX_CREDENTIALS_EMAIL_PASSWORD, .name = text(email), .secret = FLX_STRING("password")};
  flx_status_t status = flx_app_log_in_blocking(device->app, &credentials, &device->user, &error);
  if (status != FLX_STATUS_INVALID_PASSWORD) {
    check(status, &error);
    return;
  }
  check(flx_app_register_email_blocking(device->app, text(email), FLX_STRING("password"), &error), &error);
  check(flx_app_log_in_blocking(device->app, &credentials, &device->user, &error), &error);
}

static flx_client_reset_mode_t reset_mode(const json_t *step) {
  const char *name = json_string_value(json_object_get(step, "reset"));
  if (!name) return FLX_CLIENT_RESET_MANUAL;
  if (!strcmp(name, "discard")) return FLX_CLIENT_RESET_DISCARD_UNSYNCED;
  if (!strcmp(name, "recover")) return FLX_CLIENT_RESET_RECOVER_UNSYNCED;
  die("unknown reset '%s'", name);
  return FLX_CLIENT_RESET_MANUAL;
}

/* Opens the app of a device, unless it is open. */
static void start(device_t *device) {
  char directory[512];
  flx_error_t error;
  if (device->app) return;
  snprintf(directory, sizeof directory, "%s/%s", data, device->name);
  flx_app_config_t app = {.struct_size = sizeof app, .app_id = text(app_id), .base_url = text(server),
                          .storage_directory = text(directory)};
  check(flx_app_create(&app, &device->app, &error), &error);
  flx_app_set_error_handler(device->app, collect_error, NULL, NULL);
}

/* Subscribes to what a step's "initial" lists. Called while the realm is being opened. */
static flx_status_t subscribe_initially(void *userdata, flx_realm_t *realm, flx_subscription_update_t *update,
                                        flx_error_t *error) {
  device_t *device = userdata;
  flx_status_t status = FLX_STATUS_OK;
  size_t index;
  json_t *one;
  device->realm = realm;
  json_array_foreach(device->initial, index, one) {
    if (!status) status = add_subscription(device, update, one, error);
  }
  device->realm = NULL;
  return status;
}

/* The path of a file that a scenario names, in memory of the caller. */
static flx_string_t path_of(const char *name, char path[static 512]) {
  snprintf(path, 512, "%s/%s.realm", data, name);
  return text(path);
}

static flx_open_mode_t open_mode(const json_t *step) {
  const char *wait = member(step, "wait");
  if (!wait) return FLX_OPEN_LOCAL;
  return strcmp(wait, "once") ? FLX_OPEN_DOWNLOAD_ALWAYS : FLX_OPEN_DOWNLOAD_ONCE;
}

static void do_open(device_t *device, const json_t *step) {
  flx_error_t error;
  char path[512], seed[512];
  const char *local = member(step, "local"), *in_memory = member(step, "inMemory"), *copy_of = member(step, "seed");
  bool is_synced = !local && !in_memory;
  start(device);
  flx_realm_config_t config = {.struct_size = sizeof config, .classes = CLASSES,
                               .class_count = is_synced ? CLASS_COUNT : LOCAL_CLASS_COUNT,
                               .client_reset_mode = reset_mode(step),
                               .starts_suspended = json_is_true(json_object_get(step, "offline")),
                               .refuse_unsubscribed_objects = json_is_true(json_object_get(step, "refuse")),
                               .read_only = json_is_true(json_object_get(step, "readOnly"))};
  if (local) config.path = path_of(local, path);
  if (in_memory) config.in_memory_name = text(in_memory);
  if (copy_of) config.seed_path = path_of(copy_of, seed);
  if (is_synced) {
    device->user = flx_app_get_current_user(device->app);
    if (!device->user) log_in(device, required(step, "user"));
    config.user = device->user;
  }
  device->initial = json_object_get(step, "initial");
  if (device->initial) {
    config.initial_subscriptions = subscribe_initially;
    config.initial_subscriptions_userdata = device;
  }
  flx_realm_t *realm;
  if (flx_realm_open_blocking(&config, open_mode(step), WAIT_MS, &realm, &error) != FLX_STATUS_OK) {
    printf("%s: failed: %s\n", device->name, error.message);
    return;
  }
  device->realm = realm;
  if (is_synced) printf("%s: opened as %s\n", device->name, required(step, "user"));
  else printf("%s: opened %s\n", device->name, local ? local : in_memory);
}

static void do_copy(device_t *device, const json_t *step) {
  flx_error_t error;
  char path[512];
  flx_realm_config_t config = {.struct_size = sizeof config, .path = path_of(required(step, "to"), path),
                               .user = json_is_true(json_object_get(step, "synced")) ? device->user : NULL};
  if (flx_realm_write_copy(device->realm, &config, &error) != FLX_STATUS_OK)
    printf("%s: failed: %s\n", device->name, error.message);
  else printf("%s: wrote a copy to %s\n", device->name, required(step, "to"));
}

static void do_delete_files(device_t *device, const json_t *step) {
  flx_error_t error;
  char path[512];
  bool deleted;
  const char *local = required(step, "local");
  flx_realm_config_t config = {.struct_size = sizeof config, .path = path_of(local, path)};
  if (flx_realm_delete_files(&config, &deleted, &error) != FLX_STATUS_OK)
    printf("%s: failed: %s\n", device->name, error.message);
  else printf(deleted ? "%s: deleted the files of %s\n" : "%s: there are no files of %s\n", device->name, local);
}

static void close_device(device_t *device) {
  end_observers(device);
  flx_realm_release(device->frozen);
  flx_realm_release(device->realm);
  flx_user_release(device->user);
  flx_app_release(device->app);
  device->frozen = NULL, device->realm = NULL, device->user = NULL, device->app = NULL;
  device->is_writing = false;
}

static void do_sync(device_t *device) {
  flx_error_t error;
  flx_session_t *session = flx_realm_get_session(device->realm);
  flx_status_t status = flx_session_wait_blocking(session, FLX_DIRECTION_UPLOAD, WAIT_MS, &error);
  if (status == FLX_STATUS_OK) status = flx_session_wait_blocking(session, FLX_DIRECTION_DOWNLOAD, WAIT_MS, &error);
  flx_session_release(session);
  if (status != FLX_STATUS_OK) {
    printf("%s: failed: %s\n", device->name, error.message);
    return;
  }
  check(flx_realm_refresh(device->realm, NULL, &error), &error);
  printf("%s: in sync\n", device->name);
}

static void set_suspended(device_t *device, bool suspended) {
  flx_session_t *session = flx_realm_get_session(device->realm);
  if (suspended) flx_session_suspend(session);
  else flx_session_resume(session);
  flx_session_release(session);
  printf("%s: %s\n", device->name, suspended ? "suspended" : "resumed");
}

static int by_text(const void *left, const void *right) { return strcmp(left, right); }

static void do_errors(device_t *device, const json_t *step) {
  size_t wanted = (size_t)json_integer_value(json_object_get(step, "count"));
  for (int waited = 0; waited < WAIT_MS; waited += 20) {
    pthread_mutex_lock(&reverted_lock);
    size_t count = reverted_count;
    pthread_mutex_unlock(&reverted_lock);
    if (count >= wanted) break;
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
  }
  pthread_mutex_lock(&reverted_lock);
  qsort(reverted, reverted_count, sizeof *reverted, by_text);
  for (size_t i = 0; i < reverted_count; i++) printf("%s: %s\n", device->name, reverted[i]);
  reverted_count = 0;
  pthread_mutex_unlock(&reverted_lock);
}

static void control_server(const char *action) {
  char command[1024];
  snprintf(command, sizeof command, "%s %s", control, action);
  if (system(command) != 0) die("'%s' failed", command);
  printf("server %sed\n", action);
}

/* Plays a step about users, which needs no realm; returns false for others. */
static bool play_users(device_t *device, const char *action, const json_t *step) {
  static const struct {
    const char *name;
    void (*play)(device_t *, const json_t *);
  } steps[] = {{"register", do_register}, {"login", do_login}, {"link", do_link}, {"switch", do_switch},
               {"logout", do_end},        {"remove", do_end},  {"delete", do_end}, {"users", do_users},
               {"key", do_key},           {"keys", do_keys}};
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    if (strcmp(steps[i].name, action)) continue;
    start(device);
    steps[i].play(device, step);
    return true;
  }
  return false;
}

static void play(const json_t *step) {
  const char *action = required(step, "do");
  if (!strcmp(action, "server")) return control_server(required(step, "action"));
  device_t *device = device_of(step);
  if (play_users(device, action, step)) return;
  if (!strcmp(action, "open")) do_open(device, step);
  else if (!strcmp(action, "close")) close_device(device), printf("%s: closed\n", device->name);
  else if (!strcmp(action, "copy")) do_copy(device, step);
  else if (!strcmp(action, "deleteFiles")) do_delete_files(device, step);
  else if (!strcmp(action, "update")) do_update(device, step);
  else if (!strcmp(action, "subscriptions")) do_subscriptions(device);
  else if (!strcmp(action, "subscribe")) do_subscribe(device, step);
  else if (!strcmp(action, "unsubscribe")) do_unsubscribe(device, step);
  else if (!strcmp(action, "write")) do_write(device, step);
  else if (!strcmp(action, "begin")) do_begin(device);
  else if (!strcmp(action, "commit")) do_commit(device);
  else if (!strcmp(action, "cancel")) do_cancel(device);
  else if (!strcmp(action, "sync")) do_sync(device);
  else if (!strcmp(action, "suspend")) set_suspended(device, true);
  else if (!strcmp(action, "resume")) set_suspended(device, false);
  else if (!strcmp(action, "dump")) do_dump(device, step);
  else if (!strcmp(action, "match")) do_match(device, step);
  else if (!strcmp(action, "observe")) do_observe(device, step);
  else if (!strcmp(action, "unobserve")) do_unobserve(device, step);
  else if (!strcmp(action, "changes")) do_changes(device);
  else if (!strcmp(action, "objects")) do_objects(device, step);
  else if (!strcmp(action, "backlinks")) do_backlinks(device, step);
  else if (!strcmp(action, "await")) do_await(device, step);
  else if (!strcmp(action, "complete")) do_complete(device, step);
  else if (!strcmp(action, "linkState")) do_link_state(device, step);
  else if (!strcmp(action, "freeze")) do_freeze(device);
  else if (!strcmp(action, "frozen")) do_frozen(device, step);
  else if (!strcmp(action, "errors")) do_errors(device, step);
  else if (!strcmp(action, "rejected")) do_rejected(device);
  else if (!strcmp(action, "discard")) do_discard(device, step);
  else die("unknown step '%s'", action);
}

static void play_file(const char *path) {
  json_error_t error;
  json_t *scenario = json_load_file(path, 0, &error), *step;
  if (!scenario) die("%s:%d: %s", path, error.line, error.text);
  size_t index;
  json_array_foreach(json_object_get(scenario, "steps"), index, step) {
    play(step);
    fflush(stdout);
  }
  json_decref(scenario);
}

/* Plays the steps that come in, one a line, and says after each that it is done. */
static void play_input(void) {
  char *line = NULL;
  size_t capacity = 0;
  while (getline(&line, &capacity, stdin) > 0) {
    json_error_t error;
    json_t *step = json_loads(line, 0, &error);
    if (!step) die("'%s' is no step: %s", line, error.text);
    play(step);
    json_decref(step);
    printf("done\n");
    fflush(stdout);
  }
  free(line);
}

int main(int argc, char **argv) {
  if (argc != 6) die("usage: %s SCENARIO|- SERVER APP DATA SERVER_CONTROL", argv[0]);
  server = argv[2], app_id = argv[3], data = argv[4], control = argv[5];
  if (!strcmp(argv[1], "-")) play_input();
  else play_file(argv[1]);
  for (size_t i = 0; i < MAX_DEVICES; i++) close_device(&devices[i]);
  return 0;
}
