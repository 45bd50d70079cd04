/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the durability test runs as a device that may be killed at any moment:
 *
 *   durability SERVER APP DATA USER write COUNT   writes tasks 0 … COUNT−1 in transactions of 50, each of which also appends its
 *                                                 number to a list, and waits until the server has everything; a second
 *                                                 run goes on where the first was killed
 *   durability SERVER APP DATA USER verify COUNT  downloads everything and checks that each task and each number is there
 *                                                 exactly once
 */
#include <flexsync.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PER_TRANSACTION = 50, WAIT_MS = 120000 };

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
static const flx_class_info_t CLASSES[] = {
    {.name = {"Task", 4}, .properties = TASK_PROPERTIES, .property_count = 6},
    {.name = {"Team", 4}, .properties = TEAM_PROPERTIES, .property_count = 4},
};

static flx_app_t *app;
static flx_user_t *user;
static flx_realm_t *realm;
static flx_class_info_t task_class, team_class;
static flx_property_key_t minutes_key, members_key;

static void die(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "durability: ");
  vfprintf(stderr, format, arguments);
  fprintf(stderr, "\n");
  va_end(arguments);
  exit(1);
}

static void check(flx_status_t status, const flx_error_t *error) {
  if (status != FLX_STATUS_OK) die("%s: %s", flx_status_name(status), error->message);
}

static flx_string_t text(const char *string) { return (flx_string_t){string, strlen(string)}; }

static flx_property_key_t property(const flx_class_info_t *info, const char *name) {
  flx_error_t error;
  flx_property_info_t found;
  check(flx_realm_find_property(realm, info->key, text(name), &found, &error), &error);
  return found.key;
}

static void log_in(const char *name) {
  char email[128];
  flx_error_t error;
  snprintf(email, sizeof email, "%s@example.com", name);
  flx_status_t status = flx_app_register_email_blocking(app, text(email), FLX_STRING("password"), &error);
  if (status != FLX_STATUS_ACCOUNT_NAME_IN_USE) check(status, &error);
  flx_credentials_t credentials = {
      .kind = FLX_CREDENTIALS_EMAIL_PASSWORD, .name = text(email), .secret = FLX_STRING("password")};
  check(flx_app_log_in_blocking(app, &credentials, &user, &error), &error);
}

static void open_realm(const char *server, const char *app_id, const char *data, const char *name) {
  flx_error_t error;
  flx_app_config_t app_config = {.struct_size = sizeof app_config, .app_id = text(app_id), .base_url = text(server),
                                 .storage_directory = text(data)};
  check(flx_app_create(&app_config, &app, &error), &error);
  if (!(user = flx_app_get_current_user(app))) log_in(name);
  flx_realm_config_t config = {.struct_size = sizeof config, .user = user, .classes = CLASSES, .class_count = 2};
  check(flx_realm_open(&config, &realm, &error), &error);
  check(flx_realm_find_class(realm, FLX_STRING("Task"), &task_class, &error), &error);
  check(flx_realm_find_class(realm, FLX_STRING("Team"), &team_class, &error), &error);
  minutes_key = property(&task_class, "progressMinutes");
  members_key = property(&team_class, "members");
}

static void subscribe_to_all(void) {
  flx_error_t error;
  flx_subscription_set_t *set;
  flx_subscription_update_t *update;
  check(flx_subscription_set_get_latest(realm, &set, &error), &error);
  if (flx_subscription_set_count(set) == 0) {
    flx_subscription_set_release(set);
    check(flx_subscription_update_begin(realm, &update, &error), &error);
    for (int i = 0; i < 2; i++) {
      flx_results_t *results;
      check(flx_results_create(realm, (i ? team_class : task_class).key, &results, &error), &error);
      check(flx_subscription_update_add(update, results, NULL, FLX_NAME_CONFLICT_FAIL, &error), &error);
      flx_results_release(results);
    }
    check(flx_subscription_update_commit(update, &set, &error), &error);
  }
  check(flx_subscription_set_wait_blocking(set, WAIT_MS, &error), &error);
  flx_subscription_set_release(set);
  check(flx_realm_refresh(realm, NULL, &error), &error);
}

static void wait_for(flx_direction_t direction) {
  flx_error_t error;
  flx_session_t *session = flx_realm_get_session(realm);
  check(flx_session_wait_blocking(session, direction, WAIT_MS, &error), &error);
  flx_session_release(session);
  check(flx_realm_refresh(realm, NULL, &error), &error);
}

static flx_value_t id_value(uint32_t kind, uint32_t number) {
  flx_value_t value = {.type = FLX_TYPE_OBJECT_ID};
  memset(&value.object_id, 0, sizeof value.object_id);
  for (int i = 0; i < 4; i++) {
    value.object_id.bytes[i] = (uint8_t)(kind >> (24 - 8 * i));
    value.object_id.bytes[8 + i] = (uint8_t)(number >> (24 - 8 * i));
  }
  return value;
}

/* The list that holds a number for each transaction. In a write transaction it is made if it is missing. */
static flx_list_t *marks(bool create) {
  flx_error_t error;
  flx_object_t *team;
  flx_list_t *list;
  flx_value_t key = id_value(2, 0);
  check(flx_object_find(realm, team_class.key, &key, &team, &error), &error);
  if (!team && !create) return NULL;
  if (!team) check(flx_object_create(realm, team_class.key, &key, &team, &error), &error);
  check(flx_object_get_list(team, members_key, &list, &error), &error);
  flx_object_release(team);
  return list;
}

static void write_batch(uint32_t first, uint32_t end) {
  flx_error_t error;
  char number[16];
  size_t count;
  check(flx_realm_begin_write(realm, &error), &error);
  for (uint32_t i = first; i < end; i++) {
    flx_object_t *task;
    flx_value_t key = id_value(1, i), minutes = {.type = FLX_TYPE_INT, .integer = i};
    check(flx_object_create(realm, task_class.key, &key, &task, &error), &error);
    check(flx_object_set(task, minutes_key, &minutes, &error), &error);
    flx_object_release(task);
  }
  flx_list_t *list = marks(true);
  check(flx_list_count(list, &count, &error), &error);
  snprintf(number, sizeof number, "%" PRIu32, first / PER_TRANSACTION);
  flx_value_t mark = {.type = FLX_TYPE_STRING, .string = text(number)};
  check(flx_list_insert(list, count, &mark, &error), &error);
  flx_list_release(list);
  check(flx_realm_commit_write(realm, &error), &error);
}

/* Transactions are written in order, so what a killed run has left is a beginning. */
static void write_all(uint32_t count) {
  flx_error_t error;
  flx_results_t *tasks;
  size_t present;
  check(flx_results_create(realm, task_class.key, &tasks, &error), &error);
  check(flx_results_count(tasks, &present, &error), &error);
  flx_results_release(tasks);
  if (present % PER_TRANSACTION) die("a transaction is half there: %zu tasks", present);
  bool announced = false;
  for (uint32_t i = (uint32_t)present; i < count; i += PER_TRANSACTION) {
    write_batch(i, i + PER_TRANSACTION);
    if (announced || i < count / 4) continue;
    printf("a quarter is written\n");
    fflush(stdout);
    announced = true;
  }
  printf("written\n");
  fflush(stdout);
  wait_for(FLX_DIRECTION_UPLOAD);
  printf("uploaded\n");
}

static void verify(uint32_t count) {
  flx_error_t error;
  flx_results_t *tasks;
  size_t present, mark_count;
  wait_for(FLX_DIRECTION_DOWNLOAD);
  check(flx_results_create(realm, task_class.key, &tasks, &error), &error);
  check(flx_results_count(tasks, &present, &error), &error);
  flx_results_release(tasks);
  if (present != count) die("%zu tasks instead of %" PRIu32, present, count);
  for (uint32_t i = 0; i < count; i++) {
    flx_object_t *task;
    flx_value_t key = id_value(1, i), minutes;
    check(flx_object_find(realm, task_class.key, &key, &task, &error), &error);
    if (!task) die("task %" PRIu32 " is missing", i);
    check(flx_object_get(task, minutes_key, &minutes, &error), &error);
    if (minutes.integer != i) die("task %" PRIu32 " has %" PRId64 " minutes", i, minutes.integer);
    flx_object_release(task);
  }
  flx_list_t *list = marks(false);
  if (!list) die("the list is missing");
  check(flx_list_count(list, &mark_count, &error), &error);
  if (mark_count != count / PER_TRANSACTION) die("%zu marks instead of %" PRIu32, mark_count, count / PER_TRANSACTION);
  for (size_t i = 0; i < mark_count; i++) {
    flx_value_t mark;
    char number[16];
    int size = snprintf(number, sizeof number, "%zu", i);
    check(flx_list_get(list, i, &mark, &error), &error);
    if (mark.string.size != (size_t)size || memcmp(mark.string.data, number, mark.string.size))
      die("mark %zu is '%.*s'", i, (int)mark.string.size, mark.string.data);
  }
  flx_list_release(list);
  printf("%" PRIu32 " tasks and %zu marks are there exactly once\n", count, mark_count);
}

int main(int argc, char **argv) {
  if (argc != 7) die("usage: %s SERVER APP DATA USER write|verify COUNT", argv[0]);
  uint32_t count = (uint32_t)atol(argv[6]);
  open_realm(argv[1], argv[2], argv[3], argv[4]);
  subscribe_to_all();
  if (!strcmp(argv[5], "write")) write_all(count);
  else verify(count);
  flx_realm_release(realm);
  flx_user_release(user);
  flx_app_release(app);
  return 0;
}
