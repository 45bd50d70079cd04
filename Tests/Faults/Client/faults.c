/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device of the test of failing disks, which has to stay up:
 *
 *   faults-c SERVER APP DATA USER
 *
 * It reads commands, a line each, and answers with a line:
 *
 *   write N          makes N tasks, in a transaction each, up to the first that fails: "wrote N" or "refused STATUS: …"
 *   upload SECONDS   waits until the server has everything: "uploaded" or "not uploaded"
 *   download SECONDS waits until everything that the server has is there: "N tasks" or "not downloaded"
 *
 * In between it prints what its sync session reports: "error STATUS: …".
 */
#include <flexsync.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const flx_property_info_t TASK_PROPERTIES[] = {
    {.name = {"_id", 3}, .type = FLX_TYPE_OBJECT_ID, .is_primary_key = true},
    {.name = {"taskName", 8}, .type = FLX_TYPE_STRING},
    {.name = {"assignee", 8}, .type = FLX_TYPE_STRING, .is_nullable = true},
    {.name = {"completed", 9}, .type = FLX_TYPE_BOOL},
    {.name = {"progressMinutes", 15}, .type = FLX_TYPE_INT},
    {.name = {"dueDate", 7}, .type = FLX_TYPE_TIMESTAMP},
};
static const flx_class_info_t CLASSES[] = {
    {.name = {"Task", 4}, .properties = TASK_PROPERTIES, .property_count = 6}};

static flx_app_t *app;
static flx_user_t *user;
static flx_realm_t *realm;
static flx_class_info_t task_class;
static flx_property_info_t name_property;
static char task_name[3000];

static void die(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "faults-c: ");
  vfprintf(stderr, format, arguments);
  fprintf(stderr, "\n");
  va_end(arguments);
  exit(1);
}

static void say(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  flockfile(stdout);
  vprintf(format, arguments);
  putchar('\n');
  fflush(stdout);
  funlockfile(stdout);
  va_end(arguments);
}

static void check(flx_status_t status, const flx_error_t *error) {
  if (status != FLX_STATUS_OK) die("%s: %s", flx_status_name(status), error->message);
}

static flx_string_t text(const char *string) { return (flx_string_t){string, strlen(string)}; }

static void report(void *userdata, flx_session_t *session, const flx_sync_error_t *error) {
  (void)userdata, (void)session;
  say("error %s: %.*s", flx_status_name(error->status), (int)error->message.size, error->message.data);
}

static void log_in(const char *name) {
  char email[128];
  flx_error_t error;
  snprintf(email, sizeof email, "%s@example.com", name);
  check(flx_app_register_email_blocking(app, text(email), FLX_STRING("password"), &error), &error);
  flx_credentials_t credentials = {
      .kind = FLX_CREDENTIALS_EMAIL_PASSWORD, .name = text(email), .secret = FLX_STRING("password")};
  check(flx_app_log_in_blocking(app, &credentials, &user, &error), &error);
}

static void open_realm(char **arguments) {
  flx_error_t error;
  flx_app_config_t app_config = {.struct_size = sizeof app_config, .app_id = text(arguments[2]),
                                 .base_url = text(arguments[1]), .storage_directory = text(arguments[3])};
  check(flx_app_create(&app_config, &app, &error), &error);
  flx_app_set_error_handler(app, report, NULL, NULL);
  log_in(arguments[4]);
  flx_realm_config_t config = {.struct_size = sizeof config, .user = user, .classes = CLASSES, .class_count = 1};
  check(flx_realm_open(&config, &realm, &error), &error);
  check(flx_realm_find_class(realm, FLX_STRING("Task"), &task_class, &error), &error);
  check(flx_realm_find_property(realm, task_class.key, FLX_STRING("taskName"), &name_property, &error), &error);
}

static void subscribe_to_all(void) {
  flx_error_t error;
  flx_results_t *results;
  flx_subscription_set_t *set;
  flx_subscription_update_t *update;
  check(flx_subscription_update_begin(realm, &update, &error), &error);
  check(flx_results_create(realm, task_class.key, &results, &error), &error);
  check(flx_subscription_update_add(update, results, NULL, FLX_NAME_CONFLICT_FAIL, &error), &error);
  check(flx_subscription_update_commit(update, &set, &error), &error);
  check(flx_subscription_set_wait_blocking(set, 30000, &error), &error);
  flx_results_release(results);
  flx_subscription_set_release(set);
}

static flx_status_t add_task(flx_error_t *error) {
  flx_object_t *task;
  flx_value_t key = {.type = FLX_TYPE_OBJECT_ID};
  flx_value_t name = {.type = FLX_TYPE_STRING, .string = {task_name, sizeof task_name}};
  key.object_id = flx_object_id_generate();
  flx_status_t status = flx_object_create(realm, task_class.key, &key, &task, error);
  if (status != FLX_STATUS_OK) return status;
  status = flx_object_set(task, name_property.key, &name, error);
  flx_object_release(task);
  return status;
}

static flx_status_t write_task(flx_error_t *error) {
  flx_status_t status = flx_realm_begin_write(realm, error);
  if (status != FLX_STATUS_OK) return status;
  status = add_task(error);
  if (status == FLX_STATUS_OK) return flx_realm_commit_write(realm, error);
  flx_error_t ignored;
  flx_realm_cancel_write(realm, &ignored);
  return status;
}

static void write_tasks(long count) {
  flx_error_t error;
  for (long i = 0; i < count; i++) {
    flx_status_t status = write_task(&error);
    if (status != FLX_STATUS_OK) return say("refused %s: %s", flx_status_name(status), error.message);
  }
  say("wrote %ld", count);
}

static bool wait_for(flx_direction_t direction, long seconds) {
  flx_error_t error;
  flx_session_t *session = flx_realm_get_session(realm);
  flx_status_t status = flx_session_wait_blocking(session, direction, (uint64_t)seconds * 1000, &error);
  flx_session_release(session);
  return status == FLX_STATUS_OK;
}

static void say_count(void) {
  flx_error_t error;
  flx_results_t *tasks;
  size_t count;
  check(flx_realm_refresh(realm, NULL, &error), &error);
  check(flx_results_create(realm, task_class.key, &tasks, &error), &error);
  check(flx_results_count(tasks, &count, &error), &error);
  flx_results_release(tasks);
  say("%zu tasks", count);
}

int main(int count, char **arguments) {
  char line[100], command[20];
  long number;
  if (count != 5) die("usage: %s SERVER APP DATA USER", arguments[0]);
  memset(task_name, 'x', sizeof task_name);
  open_realm(arguments);
  subscribe_to_all();
  say("ready");
  while (fgets(line, sizeof line, stdin)) {
    if (sscanf(line, "%19s %ld", command, &number) != 2) die("what is '%s'?", line);
    if (!strcmp(command, "write")) write_tasks(number);
    else if (!strcmp(command, "upload")) say(wait_for(FLX_DIRECTION_UPLOAD, number) ? "uploaded" : "not uploaded");
    else if (strcmp(command, "download")) die("what is '%s'?", command);
    else if (wait_for(FLX_DIRECTION_DOWNLOAD, number)) say_count();
    else say("not downloaded");
  }
  flx_realm_release(realm);
  flx_user_release(user);
  flx_app_release(app);
  return 0;
}
