/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sync: registering and logging in, a subscription and its state, writing, waiting for the server; what can go wrong.
 *
 *   cc sync.c $(pkg-config --cflags --libs flexsync) -o sync && ./sync http://localhost:9090
 *
 * with a server of Examples/TaskTracker, which README.md says how to start. It prints:
 *
 *   a wrong password: INVALID_PASSWORD
 *   without a subscription: NO_SUBSCRIPTION_FOR_WRITE
 *   the subscription is pending
 *   the subscription is complete
 *   both tasks are on the server
 *   a connection: yes
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

/* Called on the library's thread. The errors are in the log as well, also without such a handler. */
static void report(void *userdata, flx_session_t *session, const flx_sync_error_t *error) {
  (void)userdata, (void)session;
  fprintf(stderr, "sync: %s: %.*s\n", flx_status_name(error->status), TEXT(error->message));
}

/* Subscribes to the tasks of an assignee, and waits until those that the server has are on this device. */
static void subscribe(flx_realm_t *realm, flx_string_t assignee) {
  flx_error_t error;
  flx_results_t *all, *mine;
  flx_subscription_update_t *update;
  flx_subscription_set_t *set;
  flx_value_t value = {.type = FLX_TYPE_STRING, .string = assignee};
  flx_query_argument_t argument = {.values = &value, .count = 1};
  flx_string_t name = FLX_STRING("mine");
  check(flx_results_create(realm, class_key(realm, FLX_STRING("Task")), &all, &error), &error);
  check(flx_results_filter(all, FLX_STRING("assignee == $0"), &argument, 1, &mine, &error), &error);
  check(flx_subscription_update_begin(realm, &update, &error), &error);
  check(flx_subscription_update_add(update, mine, &name, FLX_NAME_CONFLICT_REPLACE, &error), &error);
  check(flx_subscription_update_commit(update, &set, &error), &error); /* on the disk; sent in the background */
  printf("the subscription is %s\n", flx_subscription_set_state(set) == FLX_SUBSCRIPTION_PENDING ? "pending" : "sent");
  check(flx_subscription_set_wait_blocking(set, TIMEOUT_MS, &error), &error);
  if (flx_subscription_set_state(set) == FLX_SUBSCRIPTION_COMPLETE) printf("the subscription is complete\n");
  check(flx_realm_refresh(realm, NULL, &error), &error); /* shows what has arrived */
  flx_subscription_set_release(set);
  flx_results_release(mine);
  flx_results_release(all);
}

/* Writes a task in a transaction; what fails is undone. */
static flx_status_t add_task(flx_realm_t *realm, flx_string_t name, flx_string_t assignee, flx_error_t *error) {
  flx_class_key_t task_class = class_key(realm, FLX_STRING("Task"));
  flx_property_key_t properties[] = {property_key(realm, task_class, FLX_STRING("taskName")),
                                     property_key(realm, task_class, FLX_STRING("assignee"))};
  flx_value_t values[] = {{.type = FLX_TYPE_STRING, .string = name}, {.type = FLX_TYPE_STRING, .string = assignee}};
  flx_value_t key = {.type = FLX_TYPE_OBJECT_ID, .object_id = flx_object_id_generate()};
  flx_object_t *task = NULL;
  flx_status_t status = flx_realm_begin_write(realm, error);
  if (status) return status;
  status = flx_object_create(realm, task_class, &key, &task, error);
  if (!status) status = flx_object_set_values(task, properties, values, 2, error);
  flx_object_release(task);
  if (!status) return flx_realm_commit_write(realm, error);
  flx_realm_cancel_write(realm, NULL);
  return status;
}

int main(int argc, char **argv) {
  const char *url = argc > 1 ? argv[1] : "http://localhost:9090";
  flx_app_config_t config = {.struct_size = sizeof config, .app_id = FLX_STRING("tasktracker-abcde"),
                             .base_url = {url, strlen(url)}, .storage_directory = FLX_STRING("sync-data")};
  flx_error_t error;
  flx_app_t *app;
  check(flx_app_create(&config, &app, &error), &error); /* needs no connection */
  flx_app_set_error_handler(app, report, NULL, NULL);

  flx_credentials_t ada = {.kind = FLX_CREDENTIALS_EMAIL_PASSWORD, .name = FLX_STRING("ada@example.com"),
                           .secret = FLX_STRING("not hers")};
  flx_user_t *user;
  flx_status_t status = flx_app_register_email_blocking(app, ada.name, FLX_STRING("password"), &error);
  if (status != FLX_STATUS_ACCOUNT_NAME_IN_USE) check(status, &error); /* an earlier run has registered her */
  printf("a wrong password: %s\n", flx_status_name(flx_app_log_in_blocking(app, &ada, &user, &error)));
  ada.secret = FLX_STRING("password");
  check(flx_app_log_in_blocking(app, &ada, &user, &error), &error); /* stays on the device, for later runs */

  flx_realm_config_t realm_config = {.struct_size = sizeof realm_config, .user = user, .classes = CLASSES,
                                     .class_count = 1, .client_reset_mode = FLX_CLIENT_RESET_RECOVER_UNSYNCED};
  flx_realm_t *realm;
  bool deleted;
  check(flx_realm_delete_files(&realm_config, &deleted, &error), &error); /* each run begins anew */
  check(flx_realm_open(&realm_config, &realm, &error), &error);
  flx_string_t report_name = FLX_STRING("Write the report");
  printf("without a subscription: %s\n", flx_status_name(add_task(realm, report_name, FLX_STRING("Ada"), &error)));
  subscribe(realm, FLX_STRING("Ada"));
  check(add_task(realm, report_name, FLX_STRING("Ada"), &error), &error);
  check(add_task(realm, FLX_STRING("Order paper"), FLX_STRING("Ada"), &error), &error);

  flx_session_t *session = flx_realm_get_session(realm);
  check(flx_session_wait_blocking(session, FLX_DIRECTION_UPLOAD, TIMEOUT_MS, &error), &error);
  printf("both tasks are on the server\n");
  printf("a connection: %s\n", flx_session_get_connection_state(session) == FLX_CONNECTION_CONNECTED ? "yes" : "no");
  flx_session_release(session);
  flx_realm_release(realm);
  flx_user_release(user);
  flx_app_release(app);
  return 0;
}
