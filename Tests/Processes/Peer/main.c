/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Another process with a realm open, for the tests of several processes:
 *
 *   process-peer local PATH
 *   process-peer synced SERVER FOLDER PATH EMAIL
 *
 * It reads commands, one a line, and answers each with a line. Its objects are numbered: errands of a local realm, tasks of
 * the example app.
 *
 *   create N NAME, rename N NAME, remove N    in a transaction each
 *   fill N COUNT                              creates that many objects, numbered from N on, in one transaction
 *   names                                     all names, sorted
 *   observe                                   starts to observe all objects
 *   changes                                   waits for a report of changes, and says what it is
 *   subscribe QUERY                           replaces the subscription by one, and waits until it is complete
 *   upload, download                          waits
 *   progress                                  waits until a progress of uploads has been reported that is complete
 *   agent                                     whether this process is the sync agent
 *   suspend, resume
 *   rejected                                  the number of rejected writes
 */
#include <flexsync.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WAIT_MS = 20000 };

static const flx_property_info_t LOCAL[] = {
    {.name = {"_id", 3}, .type = FLX_TYPE_INT, .is_primary_key = true},
    {.name = {"name", 4}, .type = FLX_TYPE_STRING},
};
static const flx_property_info_t SYNCED[] = {
    {.name = {"_id", 3}, .type = FLX_TYPE_OBJECT_ID, .is_primary_key = true},
    {.name = {"taskName", 8}, .type = FLX_TYPE_STRING},
    {.name = {"assignee", 8}, .type = FLX_TYPE_STRING, .is_nullable = true},
    {.name = {"completed", 9}, .type = FLX_TYPE_BOOL},
    {.name = {"progressMinutes", 15}, .type = FLX_TYPE_INT},
    {.name = {"dueDate", 7}, .type = FLX_TYPE_TIMESTAMP},
};
static const flx_class_info_t ERRAND = {.name = {"Errand", 6}, .properties = LOCAL, .property_count = 2};
static const flx_class_info_t TASK = {.name = {"Task", 4}, .properties = SYNCED, .property_count = 6};

static flx_realm_t *realm;
static flx_session_t *session;
static flx_class_key_t class_key;
static flx_property_key_t name_property;
static flx_notification_token_t *observation, *progress;
static char report[4096];
static atomic_bool is_uploaded;

static void die(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  fprintf(stderr, "\n");
  va_end(arguments);
  exit(1);
}

static void check(flx_status_t status, const flx_error_t *error) {
  if (status != FLX_STATUS_OK) die("peer: %s: %s", flx_status_name(status), error->message);
}

static flx_string_t text(const char *string) { return (flx_string_t){string, strlen(string)}; }

static flx_value_t id(uint32_t number) {
  if (!session) return (flx_value_t){.integer = number, .type = FLX_TYPE_INT};
  flx_value_t value = {.type = FLX_TYPE_OBJECT_ID};
  for (int i = 0; i < 4; i++) value.object_id.bytes[8 + i] = (uint8_t)(number >> (24 - 8 * i));
  return value;
}

/* Opening. */

static void failed(void *userdata, flx_session_t *failing, const flx_sync_error_t *error) {
  (void)userdata;
  (void)failing;
  fprintf(stderr, "peer: sync: %s: %.*s\n", flx_status_name(error->status), (int)error->message.size,
          error->message.data);
}

static flx_user_t *log_in(const char *server, const char *folder, const char *email) {
  flx_error_t error;
  flx_app_t *app;
  flx_user_t *user;
  flx_app_config_t config = {.struct_size = sizeof config, .app_id = text("tasktracker-abcde"), .base_url = text(server),
                             .storage_directory = text(folder)};
  check(flx_app_create(&config, &app, &error), &error);
  flx_app_set_error_handler(app, failed, NULL, NULL);
  flx_credentials_t credentials = {.kind = FLX_CREDENTIALS_EMAIL_PASSWORD, .name = text(email),
                                   .secret = text("secret123")};
  check(flx_app_log_in_blocking(app, &credentials, &user, &error), &error);
  return user;
}

static void open_realm(const char *path, flx_user_t *user) {
  flx_error_t error;
  flx_class_info_t class_info;
  flx_property_info_t property;
  flx_realm_config_t config = {.struct_size = sizeof config, .path = text(path), .user = user,
                               .classes = user ? &TASK : &ERRAND, .class_count = 1,
                               .client_reset_mode = FLX_CLIENT_RESET_RECOVER_UNSYNCED};
  check(flx_realm_open(&config, &realm, &error), &error);
  session = flx_realm_get_session(realm);
  check(flx_realm_find_class(realm, config.classes->name, &class_info, &error), &error);
  class_key = class_info.key;
  check(flx_realm_find_property(realm, class_key, text(user ? "taskName" : "name"), &property, &error), &error);
  name_property = property.key;
}

/* Writing. */

static void begin(void) {
  flx_error_t error;
  check(flx_realm_begin_write(realm, &error), &error);
}

static void commit(void) {
  flx_error_t error;
  check(flx_realm_commit_write(realm, &error), &error);
}

static flx_object_t *find(uint32_t number) {
  flx_error_t error;
  flx_object_t *object;
  flx_value_t key = id(number);
  check(flx_object_find(realm, class_key, &key, &object, &error), &error);
  if (!object) die("peer: there is no object %" PRIu32, number);
  return object;
}

static void set_name(flx_object_t *object, const char *name) {
  flx_error_t error;
  flx_value_t value = {.string = text(name), .type = FLX_TYPE_STRING};
  check(flx_object_set(object, name_property, &value, &error), &error);
  flx_object_release(object);
}

static void create(uint32_t number, const char *name) {
  flx_error_t error;
  flx_object_t *object;
  flx_value_t key = id(number);
  check(flx_object_create(realm, class_key, &key, &object, &error), &error);
  set_name(object, name);
}

static void fill(uint32_t first, uint32_t count) {
  char name[32];
  begin();
  for (uint32_t number = first; number < first + count; number++) {
    snprintf(name, sizeof name, "object %" PRIu32, number);
    create(number, name);
  }
  commit();
}

/* Reading. */

static int compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void print_names(void) {
  flx_error_t error;
  flx_results_t *objects;
  size_t count;
  check(flx_realm_refresh(realm, NULL, &error), &error);
  check(flx_results_create(realm, class_key, &objects, &error), &error);
  check(flx_results_count(objects, &count, &error), &error);
  char **names = calloc(count + 1, sizeof *names);
  for (size_t i = 0; i < count; i++) {
    flx_object_t *object;
    flx_value_t name;
    check(flx_results_get_object(objects, i, &object, &error), &error);
    check(flx_object_get(object, name_property, &name, &error), &error);
    names[i] = strndup(name.string.data, name.string.size);
    flx_object_release(object);
  }
  qsort(names, count, sizeof *names, compare);
  for (size_t i = 0; i < count; i++) printf("%s%s", i ? "," : "", names[i]);
  printf("\n");
  for (size_t i = 0; i < count; i++) free(names[i]);
  free(names);
  flx_results_release(objects);
}

static void add_indexes(const char *kind, const size_t *indexes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    size_t used = strlen(report);
    snprintf(report + used, sizeof report - used, "%s%zu ", kind, indexes[i]);
  }
}

static void reported(void *userdata, const flx_collection_changes_t *changes) {
  (void)userdata;
  if (changes->is_initial) return;
  add_indexes("-", changes->deletions, changes->deletion_count);
  add_indexes("+", changes->insertions, changes->insertion_count);
  add_indexes("~", changes->modifications, changes->modification_count);
}

static void observe(void) {
  flx_error_t error;
  flx_results_t *objects;
  check(flx_results_create(realm, class_key, &objects, &error), &error);
  check(flx_results_observe(objects, reported, NULL, NULL, &observation, &error), &error);
  check(flx_realm_refresh(realm, NULL, &error), &error);
  flx_results_release(objects);
}

static void print_changes(void) {
  flx_error_t error;
  bool has_changed = true;
  while (!*report && has_changed) {
    check(flx_realm_wait_for_change(realm, WAIT_MS, &has_changed, &error), &error);
    check(flx_realm_refresh(realm, NULL, &error), &error);
  }
  printf("%s\n", report);
  *report = 0;
}

/* Sync. */

static void subscribe(const char *query) {
  flx_error_t error;
  flx_results_t *all, *objects;
  flx_subscription_update_t *update;
  flx_subscription_set_t *set;
  flx_string_t name = text("tasks");
  check(flx_results_create(realm, class_key, &all, &error), &error);
  check(flx_results_filter(all, text(query), NULL, 0, &objects, &error), &error);
  check(flx_subscription_update_begin(realm, &update, &error), &error);
  check(flx_subscription_update_add(update, objects, &name, FLX_NAME_CONFLICT_REPLACE, &error), &error);
  check(flx_subscription_update_commit(update, &set, &error), &error);
  check(flx_subscription_set_wait_blocking(set, WAIT_MS, &error), &error);
  flx_subscription_set_release(set);
  flx_results_release(objects);
  flx_results_release(all);
}

static void print_wait(flx_direction_t direction) {
  flx_error_t error;
  printf("%s\n", flx_status_name(flx_session_wait_blocking(session, direction, WAIT_MS, &error)));
}

static void progressed(void *userdata, const flx_progress_t *now) {
  (void)userdata;
  if (now->estimate >= 1) atomic_store(&is_uploaded, true);
}

static void print_progress(void) {
  flx_error_t error;
  atomic_store(&is_uploaded, false);
  check(flx_session_observe_progress(session, FLX_DIRECTION_UPLOAD, true, progressed, NULL, NULL, &progress, &error),
        &error);
  for (int i = 0; i < WAIT_MS && !atomic_load(&is_uploaded); i++) usleep(1000);
  flx_notification_token_release(progress);
  printf("%s\n", atomic_load(&is_uploaded) ? "complete" : "incomplete");
}

static void print_rejected(void) {
  flx_error_t error;
  flx_rejected_writes_t *writes;
  check(flx_rejected_writes_get(realm, &writes, &error), &error);
  printf("%zu\n", flx_rejected_writes_count(writes));
  flx_rejected_writes_release(writes);
}

/* Commands. */

static bool print_answer(const char *command) {
  if (!strcmp(command, "names")) return print_names(), true;
  if (!strcmp(command, "changes")) return print_changes(), true;
  if (!strcmp(command, "upload")) return print_wait(FLX_DIRECTION_UPLOAD), true;
  if (!strcmp(command, "download")) return print_wait(FLX_DIRECTION_DOWNLOAD), true;
  if (!strcmp(command, "progress")) return print_progress(), true;
  if (!strcmp(command, "agent")) return printf("%d\n", flx_session_is_sync_agent(session)), true;
  if (!strcmp(command, "rejected")) return print_rejected(), true;
  return false;
}

static void perform(const char *command, char *argument) {
  flx_error_t error;
  char *rest = argument;
  uint32_t number = (uint32_t)strtoul(argument, &rest, 10);
  if (*rest == ' ') rest++;
  if (!strcmp(command, "observe")) return observe();
  if (!strcmp(command, "subscribe")) return subscribe(argument);
  if (!strcmp(command, "suspend")) return flx_session_suspend(session);
  if (!strcmp(command, "resume")) return flx_session_resume(session);
  if (!strcmp(command, "fill")) return fill(number, (uint32_t)strtoul(rest, NULL, 10));
  begin();
  if (!strcmp(command, "create")) {
    create(number, rest);
  } else if (!strcmp(command, "rename")) {
    set_name(find(number), rest);
  } else if (!strcmp(command, "remove")) {
    flx_object_t *object = find(number);
    check(flx_object_delete(object, &error), &error);
    flx_object_release(object);
  } else {
    die("peer: unknown command '%s'", command);
  }
  commit();
}

int main(int argc, char **argv) {
  char line[1024];
  bool is_synced = argc == 6 && !strcmp(argv[1], "synced");
  if (!is_synced && !(argc == 3 && !strcmp(argv[1], "local"))) die("usage: %s local|synced …", argv[0]);
  flx_set_logger(FLX_LOG_ERROR, NULL, NULL, NULL);
  open_realm(is_synced ? argv[4] : argv[2], is_synced ? log_in(argv[2], argv[3], argv[5]) : NULL);
  printf("ready\n");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    char *argument = strchr(line, ' ');
    if (argument) *argument++ = 0;
    if (!print_answer(line)) {
      perform(line, argument ? argument : line + strlen(line));
      printf("done\n");
    }
    fflush(stdout);
  }
  flx_notification_token_release(observation);
  flx_session_release(session);
  flx_realm_release(realm);
  return 0;
}
