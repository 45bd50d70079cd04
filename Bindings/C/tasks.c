/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A task tracker on the command line, in C: one command per run; data and login stay on disk between runs.
 *
 *   tasks --server http://localhost:9090 --app tasktracker-abcde --data ./phone register alice@example.com secret
 *   tasks … login alice@example.com secret
 *   tasks … subscribe mine 'assignee == "Nadia Zhang"'
 *   tasks … list 'completed == false SORT(dueDate ASC)'
 *   tasks … --offline add 'Write the report' 'Nadia Zhang' 45
 *   tasks … sync
 */
#define _POSIX_C_SOURCE 200809L
#include <flexsync.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TIMEOUT_MS = 30000 };

static const char *USAGE =
    "usage: tasks --server URL --app ID --data DIR [--offline] COMMAND\n"
    "  register EMAIL PASSWORD      make an account\n"
    "  login [EMAIL PASSWORD]       log in; without arguments anonymously\n"
    "  logout\n"
    "  subscribe NAME QUERY         keep the tasks that match on this device\n"
    "  unsubscribe NAME\n"
    "  subscriptions                show the subscriptions and their state\n"
    "  list [QUERY]                 show tasks on this device\n"
    "  count [QUERY]\n"
    "  add NAME [ASSIGNEE MINUTES]  add a task\n"
    "  complete ID                  mark a task as completed\n"
    "  sync                         wait until both sides have everything\n"
    "  watch SECONDS                show changes as they arrive\n";

/* The classes of the app; flexsyncd has the same ones in Examples/TaskTracker. */
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

/* The realm that is open and the numbers of the properties that the commands use. */
typedef struct {
  flx_app_t *app;
  flx_user_t *user;
  flx_realm_t *realm;
  flx_class_key_t task;
  flx_property_key_t id, name, assignee, completed, minutes, due;
} program_t;

static void die(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  exit(1);
}

static void check(flx_status_t status, const flx_error_t *error) {
  if (status != FLX_STATUS_OK) die("tasks: %s", error->message);
}

static flx_string_t text(const char *string) { return (flx_string_t){string, strlen(string)}; }

/* ---- opening ---- */

static void report_sync_error(void *userdata, flx_session_t *session, const flx_sync_error_t *error) {
  (void)userdata, (void)session;
  fprintf(stderr, "sync: %.*s\n", (int)error->message.size, error->message.data);
  for (size_t i = 0; i < error->compensating_write_count; i++) {
    const flx_compensating_write_t *write = &error->compensating_writes[i];
    fprintf(stderr, "sync: reverted %.*s: %.*s\n", (int)write->class_name.size, write->class_name.data,
            (int)write->reason.size, write->reason.data);
  }
}

static flx_property_key_t property_key(program_t *program, const char *name) {
  flx_property_info_t info;
  flx_error_t error;
  check(flx_realm_find_property(program->realm, program->task, text(name), &info, &error), &error);
  return info.key;
}

static void open_realm(program_t *program, bool offline) {
  program->user = flx_app_get_current_user(program->app);
  if (!program->user) die("tasks: nobody is logged in on this device; use 'login' first");
  flx_realm_config_t config = {.struct_size = sizeof config, .user = program->user, .classes = CLASSES,
                               .class_count = sizeof CLASSES / sizeof *CLASSES,
                               .client_reset_mode = FLX_CLIENT_RESET_RECOVER_UNSYNCED, .starts_suspended = offline};
  flx_error_t error;
  check(flx_realm_open(&config, &program->realm, &error), &error);
  flx_class_info_t info;
  check(flx_realm_find_class(program->realm, FLX_STRING("Task"), &info, &error), &error);
  program->task = info.key;
  program->id = property_key(program, "_id");
  program->name = property_key(program, "taskName");
  program->assignee = property_key(program, "assignee");
  program->completed = property_key(program, "completed");
  program->minutes = property_key(program, "progressMinutes");
  program->due = property_key(program, "dueDate");
}

/* ---- accounts ---- */

static void log_in(program_t *program, int count, char **arguments) {
  flx_credentials_t credentials = {.kind = FLX_CREDENTIALS_ANONYMOUS};
  if (count == 2) {
    credentials.kind = FLX_CREDENTIALS_EMAIL_PASSWORD;
    credentials.name = text(arguments[0]);
    credentials.secret = text(arguments[1]);
  }
  flx_error_t error;
  check(flx_app_log_in_blocking(program->app, &credentials, &program->user, &error), &error);
  flx_string_t id = flx_user_id(program->user);
  printf("logged in as %.*s\n", (int)id.size, id.data);
}

static void log_out(program_t *program) {
  program->user = flx_app_get_current_user(program->app);
  if (!program->user) die("tasks: nobody is logged in on this device");
  flx_error_t error;
  check(flx_user_log_out_blocking(program->user, &error), &error);
  printf("logged out\n");
}

/* ---- subscriptions ---- */

static const char *state_name(flx_subscription_state_t state) {
  switch (state) {
    case FLX_SUBSCRIPTION_PENDING: return "pending";
    case FLX_SUBSCRIPTION_BOOTSTRAPPING: return "bootstrapping";
    case FLX_SUBSCRIPTION_AWAITING_MARK: return "awaiting mark";
    case FLX_SUBSCRIPTION_COMPLETE: return "complete";
    case FLX_SUBSCRIPTION_ERROR: return "error";
    case FLX_SUBSCRIPTION_SUPERSEDED: return "superseded";
  }
  return "unknown";
}

/* Both are called on the library's thread while the main thread waits. */
static void print_state(void *userdata, flx_subscription_state_t state) {
  (void)userdata;
  if (state != FLX_SUBSCRIPTION_COMPLETE) printf("subscriptions are %s\n", state_name(state));
}

static void print_progress(void *userdata, const flx_progress_t *progress) {
  (void)userdata;
  printf("downloading: %3.0f %%\n", progress->estimate * 100);
}

/* Commits an update and waits for its data, saying how it goes; releases the update. */
static void commit_and_wait(program_t *program, flx_subscription_update_t *update) {
  flx_error_t error;
  flx_subscription_set_t *set;
  flx_notification_token_t *states, *progress;
  flx_session_t *session = flx_realm_get_session(program->realm);
  check(flx_subscription_update_commit(update, &set, &error), &error);
  check(flx_session_observe_progress(session, FLX_DIRECTION_DOWNLOAD, false, print_progress, NULL, NULL, &progress,
                                     &error), &error);
  check(flx_subscription_set_observe(set, print_state, NULL, NULL, &states, &error), &error);
  check(flx_subscription_set_wait_blocking(set, TIMEOUT_MS, &error), &error);
  check(flx_realm_refresh(program->realm, NULL, &error), &error);
  flx_notification_token_release(progress);
  flx_notification_token_release(states);
  flx_session_release(session);
  printf("subscriptions are %s\n", state_name(flx_subscription_set_state(set)));
  flx_subscription_set_release(set);
}

static flx_results_t *query_tasks(program_t *program, const char *query) {
  flx_error_t error;
  flx_results_t *all, *matching;
  check(flx_results_create(program->realm, program->task, &all, &error), &error);
  if (!query) return all;
  check(flx_results_filter(all, text(query), NULL, 0, &matching, &error), &error);
  flx_results_release(all);
  return matching;
}

static void subscribe(program_t *program, const char *name, const char *query) {
  flx_error_t error;
  flx_subscription_update_t *update;
  flx_string_t name_text = text(name);
  flx_results_t *results = query_tasks(program, query);
  check(flx_subscription_update_begin(program->realm, &update, &error), &error);
  check(flx_subscription_update_add(update, results, &name_text, FLX_NAME_CONFLICT_REPLACE, &error), &error);
  flx_results_release(results);
  commit_and_wait(program, update);
}

static void unsubscribe(program_t *program, const char *name) {
  flx_error_t error;
  flx_subscription_update_t *update;
  check(flx_subscription_update_begin(program->realm, &update, &error), &error);
  if (!flx_subscription_update_remove_named(update, text(name))) die("tasks: there is no subscription '%s'", name);
  commit_and_wait(program, update);
}

static void show_subscriptions(program_t *program) {
  flx_error_t error;
  flx_subscription_set_t *set;
  check(flx_subscription_set_get_latest(program->realm, &set, &error), &error);
  printf("version %" PRId64 " is %s\n", flx_subscription_set_version(set),
         state_name(flx_subscription_set_state(set)));
  for (size_t i = 0; i < flx_subscription_set_count(set); i++) {
    flx_subscription_t one;
    check(flx_subscription_set_at(set, i, &one, &error), &error);
    printf("  %.*s: %.*s where %.*s\n", (int)one.name.size, one.has_name ? one.name.data : "",
           (int)one.class_name.size, one.class_name.data, (int)one.query.size, one.query.data);
  }
  flx_subscription_set_release(set);
}

/* ---- tasks ---- */

static void print_task(program_t *program, flx_object_t *task) {
  flx_error_t error;
  flx_value_t value;
  char id[25];
  check(flx_object_get(task, program->id, &value, &error), &error);
  flx_object_id_format(&value.object_id, id);
  check(flx_object_get(task, program->completed, &value, &error), &error);
  printf("%s [%c] ", id, value.boolean ? 'x' : ' ');
  check(flx_object_get(task, program->minutes, &value, &error), &error);
  printf("%4" PRId64 " min  ", value.integer);
  check(flx_object_get(task, program->assignee, &value, &error), &error);
  if (value.type == FLX_TYPE_NULL) printf("%-9s ", "-");
  else printf("%-9.*s ", (int)value.string.size, value.string.data);
  check(flx_object_get(task, program->name, &value, &error), &error);
  printf("%.*s\n", (int)value.string.size, value.string.data);
}

static void list(program_t *program, const char *query) {
  flx_error_t error;
  size_t count;
  flx_results_t *results = query_tasks(program, query);
  check(flx_results_count(results, &count, &error), &error);
  for (size_t i = 0; i < count; i++) {
    flx_object_t *task;
    check(flx_results_get_object(results, i, &task, &error), &error);
    print_task(program, task);
    flx_object_release(task);
  }
  printf("%zu tasks\n", count);
  flx_results_release(results);
}

static void count_tasks(program_t *program, const char *query) {
  flx_error_t error;
  size_t count;
  flx_results_t *results = query_tasks(program, query);
  check(flx_results_count(results, &count, &error), &error);
  printf("%zu\n", count);
  flx_results_release(results);
}

static void set(flx_object_t *task, flx_property_key_t property, flx_value_t value) {
  flx_error_t error;
  check(flx_object_set(task, property, &value, &error), &error);
}

static void add(program_t *program, const char *name, const char *assignee, int64_t minutes) {
  flx_error_t error;
  flx_object_t *task;
  flx_value_t key = {.type = FLX_TYPE_OBJECT_ID, .object_id = flx_object_id_generate()};
  flx_timestamp_t due = {.seconds = (int64_t)time(NULL) + 7 * 24 * 3600};
  check(flx_realm_begin_write(program->realm, &error), &error);
  check(flx_object_create(program->realm, program->task, &key, &task, &error), &error);
  set(task, program->name, (flx_value_t){.type = FLX_TYPE_STRING, .string = text(name)});
  if (assignee) set(task, program->assignee, (flx_value_t){.type = FLX_TYPE_STRING, .string = text(assignee)});
  set(task, program->minutes, (flx_value_t){.type = FLX_TYPE_INT, .integer = minutes});
  set(task, program->due, (flx_value_t){.type = FLX_TYPE_TIMESTAMP, .timestamp = due});
  check(flx_realm_commit_write(program->realm, &error), &error);
  print_task(program, task);
  flx_object_release(task);
}

static void complete(program_t *program, const char *id) {
  flx_error_t error;
  flx_object_t *task;
  flx_value_t key = {.type = FLX_TYPE_OBJECT_ID};
  if (!flx_object_id_parse(text(id), &key.object_id)) die("tasks: '%s' is not an id of 24 hexadecimal digits", id);
  check(flx_object_find(program->realm, program->task, &key, &task, &error), &error);
  if (!task) die("tasks: there is no task %s on this device", id);
  check(flx_realm_begin_write(program->realm, &error), &error);
  set(task, program->completed, (flx_value_t){.type = FLX_TYPE_BOOL, .boolean = true});
  check(flx_realm_commit_write(program->realm, &error), &error);
  print_task(program, task);
  flx_object_release(task);
}

/* ---- syncing ---- */

/* Waits until the server has what was written here, and this device has what the server had. */
static void synchronize(program_t *program) {
  flx_error_t error;
  flx_session_t *session = flx_realm_get_session(program->realm);
  check(flx_session_wait_blocking(session, FLX_DIRECTION_UPLOAD, TIMEOUT_MS, &error), &error);
  check(flx_session_wait_blocking(session, FLX_DIRECTION_DOWNLOAD, TIMEOUT_MS, &error), &error);
  check(flx_realm_refresh(program->realm, NULL, &error), &error);
  flx_session_release(session);
}

typedef struct {
  program_t *program;
  flx_results_t *results;
} watcher_t;

static void print_changes(void *userdata, const flx_collection_changes_t *changes) {
  watcher_t *watcher = userdata;
  if (changes->is_initial) printf("watching\n");
  for (size_t i = 0; i < changes->deletion_count; i++) printf("gone: task number %zu\n", changes->deletions[i]);
  for (int pass = 0; pass < 2; pass++) {
    const size_t *indexes = pass == 0 ? changes->insertions : changes->modifications;
    size_t count = pass == 0 ? changes->insertion_count : changes->modification_count;
    for (size_t i = 0; i < count; i++) {
      flx_error_t error;
      flx_object_t *task;
      check(flx_results_get_object(watcher->results, indexes[i], &task, &error), &error);
      printf(pass == 0 ? "new: " : "changed: ");
      print_task(watcher->program, task);
      flx_object_release(task);
    }
  }
  fflush(stdout);
}

static void watch(program_t *program, long seconds) {
  flx_error_t error;
  watcher_t watcher = {.program = program, .results = query_tasks(program, NULL)};
  flx_notification_token_t *token;
  check(flx_results_observe(watcher.results, print_changes, &watcher, NULL, &token, &error), &error);
  check(flx_realm_refresh(program->realm, NULL, &error), &error);
  for (time_t end = time(NULL) + seconds; time(NULL) < end;) {
    bool changed;
    check(flx_realm_wait_for_change(program->realm, 200, &changed, &error), &error);
    check(flx_realm_refresh(program->realm, NULL, &error), &error);
  }
  flx_notification_token_release(token);
  flx_results_release(watcher.results);
}

/* ---- the command line ---- */

static bool run(program_t *program, const char *command, int count, char **arguments, bool offline) {
  flx_error_t error;
  if (!strcmp(command, "register") && count == 2) {
    check(flx_app_register_email_blocking(program->app, text(arguments[0]), text(arguments[1]), &error), &error);
    printf("registered %s\n", arguments[0]);
    return true;
  }
  if (!strcmp(command, "login") && (count == 0 || count == 2)) return log_in(program, count, arguments), true;
  if (!strcmp(command, "logout") && count == 0) return log_out(program), true;

  open_realm(program, offline);
  const char *query = count == 1 ? arguments[0] : NULL;
  if (!strcmp(command, "subscribe") && count == 2) return subscribe(program, arguments[0], arguments[1]), true;
  if (!strcmp(command, "unsubscribe") && count == 1) return unsubscribe(program, arguments[0]), true;
  if (!strcmp(command, "subscriptions") && count == 0) return show_subscriptions(program), true;
  if (!strcmp(command, "list") && count <= 1) return list(program, query), true;
  if (!strcmp(command, "count") && count <= 1) return count_tasks(program, query), true;
  if (!strcmp(command, "watch") && count == 1) return watch(program, atol(arguments[0])), true;
  if (!strcmp(command, "sync") && count == 0) return synchronize(program), printf("in sync\n"), true;
  if (!strcmp(command, "add") && (count == 1 || count == 3))
    add(program, arguments[0], count == 3 ? arguments[1] : NULL, count == 3 ? atoll(arguments[2]) : 0);
  else if (!strcmp(command, "complete") && count == 1)
    complete(program, arguments[0]);
  else
    return false;
  if (!offline) synchronize(program);
  return true;
}

int main(int argc, char **argv) {
  flx_app_config_t config = {.struct_size = sizeof config};
  bool offline = false;
  int next = 1;
  for (; next < argc && !strncmp(argv[next], "--", 2); next++) {
    if (!strcmp(argv[next], "--offline")) offline = true;
    else if (next + 1 == argc) break;
    else if (!strcmp(argv[next], "--server")) config.base_url = text(argv[++next]);
    else if (!strcmp(argv[next], "--app")) config.app_id = text(argv[++next]);
    else if (!strcmp(argv[next], "--data")) config.storage_directory = text(argv[++next]);
    else break;
  }
  if (next >= argc || !config.base_url.size || !config.app_id.size || !config.storage_directory.size) die("%s", USAGE);

  flx_error_t error;
  program_t program = {0};
  check(flx_app_create(&config, &program.app, &error), &error);
  flx_app_set_error_handler(program.app, report_sync_error, NULL, NULL);
  bool understood = run(&program, argv[next], argc - next - 1, argv + next + 1, offline);
  flx_realm_release(program.realm);
  flx_user_release(program.user);
  flx_app_release(program.app);
  if (!understood) die("%s", USAGE);
  return 0;
}
