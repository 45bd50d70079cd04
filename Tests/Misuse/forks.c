/* SPDX-License-Identifier: Apache-2.0 */
/* A process that forks while it uses the library. */
#include "misuse.h"

#include <stdatomic.h>

/* Runs `body` in a forked child, which has to end well and soon. */
static void in_child(void (*body)(void *), void *argument) {
  pid_t child = fork();
  if (child == 0) {
    alarm(MISUSE_PATIENCE / 2);
    body(argument);
    exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) FAIL("the child ended with %d", status);
}

/* Runs `body` in a forked child, which has to end with a message. */
static void aborts_in_child(void (*body)(void *), void *argument, const char *words) {
  char said[4096] = "";
  int status = 0, ends[2];
  CHECK(pipe(ends) == 0);
  pid_t child = fork();
  if (child == 0) {
    alarm(MISUSE_PATIENCE / 2);
    dup2(ends[1], STDERR_FILENO);
    body(argument);
    exit(0);
  }
  waitpid(child, &status, 0);
  CHECK(read(ends[0], said, sizeof said - 1) >= 0);
  if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT) FAIL("the child ended with %d: %s", status, said);
  if (!strstr(said, words)) FAIL("'%s' is not in: %s", words, said);
}

static void refused(void *userdata, const flx_error_t *failure) {
  CHECK(failure && failure->status == FLX_STATUS_UNSUPPORTED);
  ++*(int *)userdata;
}

static void refused_user(void *userdata, flx_user_t *user, const flx_error_t *failure) {
  CHECK(!user);
  refused(userdata, failure);
}

static void complete_everything(void *app) {
  int calls = 0, freed = 0;
  flx_credentials_t credentials = {.kind = FLX_CREDENTIALS_ANONYMOUS};
  flx_realm_config_t config = {.struct_size = sizeof config, .path = text(scratch("b.realm"))};
  flx_app_log_in(app, &credentials, refused_user, &calls, NULL);
  flx_app_register_email(app, FLX_STRING("a"), FLX_STRING("b"), refused, &calls, NULL);
  flx_realm_open_async(&config, FLX_OPEN_LOCAL, 0, refused, &calls, NULL);
  flx_app_send_password_reset(app, FLX_STRING("a"), refused, &calls, NULL);
  CHECK(calls == 4);
  flx_app_send_password_reset(app, FLX_STRING("a"), refused, &freed, count_free);
  CHECK(freed == 2);
}

static void do_what_has_no_status(void *app) {
  int freed = 0;
  flx_set_logger(FLX_LOG_ALL, NULL, &freed, count_free);
  flx_app_set_error_handler(app, NULL, &freed, count_free);
  CHECK(freed == 2 && flx_app_retain(app) == app);
  flx_app_release(app);
  flx_app_release(app);
  flx_app_release(app);
}

static void count_users(void *app) { (void)flx_app_user_count(app); }

static void call_everything(void *app) {
  flx_realm_t *realm = NULL;
  flx_app_t *other = NULL;
  flx_app_config_t apps = app_config();
  flx_realm_config_t config = {.struct_size = sizeof config, .path = text(scratch("b.realm"))};
  bool is_true = false;
  EXPECT(FLX_STATUS_UNSUPPORTED, flx_app_create(&apps, &other, &error));
  SAYS("forked");
  EXPECT(FLX_STATUS_UNSUPPORTED, flx_app_register_email_blocking(app, FLX_STRING("a"), FLX_STRING("b"), &error));
  EXPECT(FLX_STATUS_UNSUPPORTED, flx_realm_open(&config, &realm, &error));
  EXPECT(FLX_STATUS_UNSUPPORTED, flx_realm_delete_files(&config, &is_true, &error));
  flx_app_release(app);
}

static void an_app(void) {
  flx_app_config_t config = app_config();
  flx_app_t *app = NULL;
  OK(flx_app_create(&config, &app, &error));
  in_child(call_everything, app);
  in_child(complete_everything, app);
  in_child(do_what_has_no_status, app);
  aborts_in_child(count_users, app, "flx_app_user_count: the argument 'app' belongs to the process");
  EXPECT(FLX_STATUS_CONNECTION_FAILED,
         flx_app_register_email_blocking(app, FLX_STRING("a"), FLX_STRING("b"), &error));
}

static void use_the_realm(void *realm) {
  bool is_true = false;
  EXPECT(FLX_STATUS_UNSUPPORTED, flx_realm_begin_write(realm, &error));
  EXPECT(FLX_STATUS_UNSUPPORTED, flx_realm_commit_write(realm, &error));
  EXPECT(FLX_STATUS_UNSUPPORTED, flx_realm_refresh(realm, &is_true, &error));
  EXPECT(FLX_STATUS_UNSUPPORTED, flx_realm_wait_for_change(realm, 0, &is_true, &error));
  flx_realm_release(realm);
}

static void a_realm(void) {
  flx_realm_t *realm = open_realm("a.realm");
  flx_object_t *object = create_object(realm, 1);
  in_child(use_the_realm, realm);
  OK(flx_realm_commit_write(realm, &error));
  CHECK(flx_object_is_valid(object));
}

typedef struct shared {
  flx_realm_t *realm;
  flx_object_t *object;
  flx_results_t *results;
  flx_notification_token_t *token;
  flx_property_key_t done;
  atomic_int rounds, is_over;
} shared_t;

static void ignore_changes(void *userdata, const flx_collection_changes_t *changes) { (void)userdata, (void)changes; }

static shared_t share(const char *name) {
  shared_t shared = {.realm = open_realm(name)};
  flx_value_t value;
  shared.done = property_key(shared.realm, "done");
  shared.object = create_object(shared.realm, 1);
  shared.results = all_objects(shared.realm);
  OK(flx_realm_commit_write(shared.realm, &error));
  OK(flx_object_get(shared.object, shared.done, &value, &error));
  OK(flx_results_observe(shared.results, ignore_changes, NULL, NULL, &shared.token, &error));
  return shared;
}

/* What a value was when it was read would be there without a look at the file. */
static void read_and_release(void *argument) {
  shared_t *shared = argument;
  flx_value_t value;
  flx_object_t *object = NULL;
  EXPECT(FLX_STATUS_UNSUPPORTED, flx_object_get(shared->object, shared->done, &value, &error));
  EXPECT(FLX_STATUS_UNSUPPORTED, flx_results_get_object(shared->results, 0, &object, &error));
  CHECK(flx_object_retain(shared->object) == shared->object);
  flx_object_release(shared->object);
  flx_object_release(shared->object);
  flx_notification_token_release(shared->token);
  flx_results_release(shared->results);
  flx_realm_set_changed_callback(shared->realm, NULL, NULL, NULL);
  flx_realm_release(shared->realm);
}

static void look_at_an_object(void *shared) { (void)flx_object_is_valid(((shared_t *)shared)->object); }

static void what_was_read(void) {
  shared_t shared = share("a.realm");
  in_child(read_and_release, &shared);
  aborts_in_child(look_at_an_object, &shared, "flx_object_is_valid: the argument 'object' belongs to the process");
  flx_results_release(shared.results);
  flx_object_release(shared.object);
  flx_notification_token_release(shared.token);
  flx_realm_release(shared.realm);
}

/* Takes and gives back every lock that there is, all the time. */
static void *stay_busy(void *argument) {
  shared_t *shared = argument, own = share("b.realm");
  flx_error_t failure;
  while (!atomic_load(&shared->is_over)) {
    flx_results_t *results = NULL;
    flx_notification_token_t *token = NULL;
    flx_object_id_generate();
    flx_set_logger(FLX_LOG_WARN, NULL, NULL, NULL);
    flx_realm_set_changed_callback(own.realm, NULL, NULL, NULL);
    if (flx_results_limit(own.results, 1, &results, &failure) != FLX_STATUS_OK) FAIL("%s", failure.message);
    if (flx_results_observe(results, ignore_changes, NULL, NULL, &token, &failure) != FLX_STATUS_OK) FAIL("%s", failure.message);
    flx_notification_token_release(token);
    flx_results_release(results);
    atomic_fetch_add(&shared->rounds, 1);
  }
  return NULL;
}

static void release_and_make_an_id(void *shared) {
  flx_object_id_generate();
  flx_set_logger(FLX_LOG_WARN, NULL, NULL, NULL);
  read_and_release(shared);
}

static void a_busy_parent(void) {
  shared_t shared = share("a.realm");
  pthread_t busy;
  pthread_create(&busy, NULL, stay_busy, &shared);
  // What a thread does for the first time goes through locks of Swift's runtime.
  while (atomic_load(&shared.rounds) == 0) usleep(1000);
  for (int i = 0; i < 50; i++) in_child(release_and_make_an_id, &shared);
  atomic_store(&shared.is_over, 1);
  pthread_join(busy, NULL);
}

static int ids[2];

static void make_an_id(void *unused) {
  (void)unused;
  flx_object_id_t id = flx_object_id_generate();
  CHECK(write(ids[1], &id, sizeof id) == sizeof id);
}

/* Only the seconds, the first four bytes, may be the same. */
static void ids_of_parent_and_children(void) {
  flx_object_id_t first = flx_object_id_generate(), made[3];
  CHECK(pipe(ids) == 0);
  in_child(make_an_id, NULL);
  in_child(make_an_id, NULL);
  make_an_id(NULL);
  CHECK(read(ids[0], made, sizeof made) == sizeof made);
  for (int i = 0; i < 3; i++) {
    bool is_own = memcmp(first.bytes + 4, made[i].bytes + 4, 5) == 0;
    CHECK(is_own == (i == 2));
    for (int j = 0; j < i; j++) CHECK(memcmp(made[i].bytes + 4, made[j].bytes + 4, 5) != 0);
  }
}

static void open_a_realm(void *unused) {
  (void)unused;
  create_object(open_realm("a.realm"), 1);
}

static void nothing_in_use(void) {
  CHECK(flx_version_number() > 0);
  in_child(open_a_realm, NULL);
}

static const misuse_case_t CASES[] = {
    {"in the child of a fork an app is refused", an_app, NULL},
    {"in the child of a fork a realm is refused, and the parent's is sound", a_realm, NULL},
    {"in the child of a fork nothing is read or released", what_was_read, NULL},
#ifndef MISUSE_UNDER_THREAD_SANITIZER
    // The sanitizer does not support forks while other threads are running.
    {"the child of a fork waits for no lock of its parent's threads", a_busy_parent, NULL},
#endif
    {"a process and its children make different object ids", ids_of_parent_and_children, NULL},
    {"the child of a fork may use what its parent does not", nothing_in_use, NULL},
};

MISUSE_MAIN(CASES)
