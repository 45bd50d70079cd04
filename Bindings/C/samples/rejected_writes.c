/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rejected writes: the server reverts a write to an object that no subscription selects. The device is told why and
 * keeps what was written, which the program corrects and writes again, or discards.
 *
 *   cc rejected_writes.c $(pkg-config --cflags --libs flexsync) -o rejected_writes
 *   ./rejected_writes http://localhost:9090
 *
 * with a server of Examples/TaskTracker, which README.md says how to start. It prints:
 *
 *   the error handler: WRITE_REJECTED, 2 writes
 *   rejected: a Task, with its changes
 *   rejected: a Task, with its changes
 *   written again: 1 task; rejected writes: 0
 */
#include "sample.h"

enum { TIMEOUT_MS = 30000 };

/* A class of the server's app. */
static const flx_property_info_t PROPERTIES[] = {
    {.name = FLX_STRING_INIT("_id"), .type = FLX_TYPE_OBJECT_ID, .is_primary_key = true},
    {.name = FLX_STRING_INIT("taskName"), .type = FLX_TYPE_STRING},
    {.name = FLX_STRING_INIT("assignee"), .type = FLX_TYPE_STRING, .is_nullable = true},
};
static const flx_class_info_t CLASSES[] = {
    {.name = FLX_STRING_INIT("Task"), .properties = PROPERTIES, .property_count = 3},
};

/* Called on the library's thread, once for each transaction of which something was rejected. */
static void report(void *userdata, flx_session_t *session, const flx_sync_error_t *error) {
  (void)userdata, (void)session;
  printf("the error handler: %s, %zu writes\n", flx_status_name(error->status), error->compensating_write_count);
  for (size_t i = 0; i < error->compensating_write_count; i++)
    fprintf(stderr, "because: %.*s\n", TEXT(error->compensating_writes[i].reason));
}

static flx_results_t *tasks_of(flx_realm_t *realm, flx_string_t assignee) {
  flx_error_t error;
  flx_results_t *all, *some;
  flx_value_t value = {.type = FLX_TYPE_STRING, .string = assignee};
  flx_query_argument_t argument = {.values = &value, .count = 1};
  check(flx_results_create(realm, class_key(realm, FLX_STRING("Task")), &all, &error), &error);
  check(flx_results_filter(all, FLX_STRING("assignee == $0"), &argument, 1, &some, &error), &error);
  flx_results_release(all);
  return some;
}

/* Waits until the server has judged what was written here, and its answer is on this device. */
static void synchronize(flx_realm_t *realm) {
  flx_error_t error;
  flx_session_t *session = flx_realm_get_session(realm);
  check(flx_session_wait_blocking(session, FLX_DIRECTION_UPLOAD, TIMEOUT_MS, &error), &error);
  check(flx_session_wait_blocking(session, FLX_DIRECTION_DOWNLOAD, TIMEOUT_MS, &error), &error);
  check(flx_realm_refresh(realm, NULL, &error), &error);
  flx_session_release(session);
}

static void assign(flx_realm_t *realm, flx_object_t *task, flx_string_t assignee) {
  flx_error_t error;
  flx_property_key_t key = property_key(realm, class_key(realm, FLX_STRING("Task")), FLX_STRING("assignee"));
  flx_value_t value = {.type = FLX_TYPE_STRING, .string = assignee};
  check(flx_object_set(task, key, &value, &error), &error);
}

/* Writes the first rejected write again, for somebody whose tasks are subscribed to, and discards the others. */
static void decide(flx_realm_t *realm, flx_string_t assignee) {
  flx_error_t error;
  flx_rejected_writes_t *writes;
  flx_rejected_write_t write;
  check(flx_rejected_writes_get(realm, &writes, &error), &error);
  check(flx_realm_begin_write(realm, &error), &error);
  for (size_t i = 0; i < flx_rejected_writes_count(writes); i++) {
    check(flx_rejected_writes_at(writes, i, &write, &error), &error);
    printf("rejected: a %.*s, %s its changes\n", TEXT(write.class_name), write.has_changes ? "with" : "without");
    if (i > 0 || !write.has_changes) {
      check(flx_rejected_write_discard(realm, write.id, NULL, &error), &error);
      continue;
    }
    flx_object_t *task;
    check(flx_rejected_write_resubmit(realm, write.id, &error), &error);
    check(flx_object_find(realm, class_key(realm, write.class_name), &write.primary_key, &task, &error), &error);
    assign(realm, task, assignee);
    flx_object_release(task);
  }
  check(flx_realm_commit_write(realm, &error), &error);
  flx_rejected_writes_release(writes);
}

int main(int argc, char **argv) {
  const char *url = argc > 1 ? argv[1] : "http://localhost:9090";
  flx_app_config_t config = {.struct_size = sizeof config, .app_id = FLX_STRING("tasktracker-abcde"),
                             .base_url = {url, strlen(url)}, .storage_directory = FLX_STRING("rejected-data")};
  flx_credentials_t credentials = {.kind = FLX_CREDENTIALS_NEW_ANONYMOUS};
  flx_error_t error;
  flx_app_t *app;
  flx_user_t *user;
  flx_realm_t *realm;
  check(flx_app_create(&config, &app, &error), &error);
  flx_app_set_error_handler(app, report, NULL, NULL);
  check(flx_app_log_in_blocking(app, &credentials, &user, &error), &error);
  flx_realm_config_t realm_config = {.struct_size = sizeof realm_config, .user = user, .classes = CLASSES,
                                     .class_count = 1, .client_reset_mode = FLX_CLIENT_RESET_RECOVER_UNSYNCED};
  check(flx_realm_open(&realm_config, &realm, &error), &error);

  /* The subscription is to tasks of this user only, and the tasks are for somebody else. */
  flx_string_t me = flx_user_id(user);
  flx_results_t *mine = tasks_of(realm, me);
  flx_object_t *task;
  size_t count;
  check(flx_results_subscribe(mine, NULL, FLX_WAIT_NEVER, 0, NULL, NULL, NULL, &error), &error);
  check(flx_realm_begin_write(realm, &error), &error);
  for (int i = 0; i < 2; i++) {
    flx_value_t key = {.type = FLX_TYPE_OBJECT_ID, .object_id = flx_object_id_generate()};
    check(flx_object_create(realm, class_key(realm, FLX_STRING("Task")), &key, &task, &error), &error);
    assign(realm, task, FLX_STRING("somebody else"));
    flx_object_release(task);
  }
  check(flx_realm_commit_write(realm, &error), &error); /* succeeds: the server is not asked yet */
  synchronize(realm);

  decide(realm, me);
  synchronize(realm);
  flx_rejected_writes_t *writes;
  check(flx_rejected_writes_get(realm, &writes, &error), &error);
  check(flx_results_count(mine, &count, &error), &error);
  printf("written again: %zu task; rejected writes: %zu\n", count, flx_rejected_writes_count(writes));
  flx_rejected_writes_release(writes);
  flx_results_release(mine);
  flx_realm_release(realm);
  check(flx_user_remove_blocking(user, &error), &error);
  flx_user_release(user);
  flx_app_release(app);
  return 0;
}
