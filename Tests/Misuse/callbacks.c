/* SPDX-License-Identifier: Apache-2.0 */
/* What callbacks, userdata and tokens may be put through. */
#include "misuse.h"

static pthread_mutex_t programs_lock = PTHREAD_MUTEX_INITIALIZER;
static int entered = 0;

static void wait_for(int *flag) {
  while (!__atomic_load_n(flag, __ATOMIC_SEQ_CST)) usleep(1000);
}



static void complete_with_a_lock(void *userdata, const flx_error_t *failure) {
  (void)userdata, (void)failure;
  __atomic_store_n(&entered, 1, __ATOMIC_SEQ_CST);
  pthread_mutex_lock(&programs_lock);
  pthread_mutex_unlock(&programs_lock);
}

/* While a completion of the loop is stuck, other threads go on. */
static void a_stuck_completion(void) {
  flx_app_config_t config = app_config();
  flx_app_t *app = NULL;
  OK(flx_app_create(&config, &app, &error));
  pthread_mutex_lock(&programs_lock);
  int freed = 0;
  flx_app_register_email(app, FLX_STRING("a"), FLX_STRING("b"), complete_with_a_lock, &freed, count_free);
  wait_for(&entered);
  CHECK(flx_app_user_count(app) == 0);
  flx_app_set_error_handler(app, NULL, &freed, count_free);
  CHECK(freed == 1);
  flx_app_t *same = NULL;
  OK(flx_app_create(&config, &same, &error));
  CHECK(same == app);
  flx_app_release(same);
  flx_realm_t *realm = open_realm("a.realm");
  create_object(realm, 1);
  OK(flx_realm_commit_write(realm, &error));
  pthread_mutex_unlock(&programs_lock);
  for (int i = 0; i < 5000 && __atomic_load_n(&freed, __ATOMIC_SEQ_CST) < 2; i++) usleep(1000);
  CHECK(freed == 2);
}

/* In poll mode a callback runs in whoever pumps: others must not wait for it. */
static void *pump(void *app) {
  flx_error_t failure;
  int64_t next = 0;
  while (!__atomic_load_n(&entered, __ATOMIC_SEQ_CST)) {
    if (flx_app_pump(app, &next, &failure) != FLX_STATUS_OK) FAIL("%s", failure.message);
    usleep(1000);
  }
  return NULL;
}

static void a_stuck_pump(void) {
  flx_app_config_t config = app_config();
  config.loop_mode = FLX_LOOP_POLL;
  flx_app_t *app = NULL;
  OK(flx_app_create(&config, &app, &error));
  pthread_mutex_lock(&programs_lock);
  flx_app_register_email(app, FLX_STRING("a"), FLX_STRING("b"), complete_with_a_lock, NULL, NULL);
  pthread_t pumper;
  pthread_create(&pumper, NULL, pump, app);
  wait_for(&entered);
  int64_t next = 0;
  OK(flx_app_pump(app, &next, &error));
  CHECK(next > 0);
  pthread_mutex_unlock(&programs_lock);
  pthread_join(pumper, NULL);
}

/* A thread that ends inside a callback, as that of an interpreter that shuts down, leaves nothing locked. */
static void end_the_thread(void *userdata, flx_log_level_t level, flx_string_t message) {
  (void)level, (void)message;
  *(int *)userdata += 1;
  if (*(int *)userdata == 1) pthread_exit(NULL);
}

static void *cause_a_log_line(void *unused) {
  (void)unused;
  flx_error_t failure;
  flx_realm_config_t config = {.struct_size = sizeof config, .in_memory_name = FLX_STRING("x")};
  flx_realm_t *realm = NULL;
  if (flx_realm_open(&config, &realm, &failure) != FLX_STATUS_OK) FAIL("%s", failure.message);
  flx_realm_release(realm);
  return NULL;
}

static void changed_and_ended(void *userdata) {
  *(int *)userdata += 1;
  pthread_exit(NULL);
}

static void *commit_something(void *unused) {
  (void)unused;
  flx_realm_t *realm = open_realm("a.realm");
  create_object(realm, 7);
  OK(flx_realm_commit_write(realm, &error));
  return NULL;
}

static void a_thread_that_ends_in_a_callback(void) {
  int calls = 0, lines = 0;
  flx_set_logger(FLX_LOG_ALL, end_the_thread, &lines, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, cause_a_log_line, NULL);
  pthread_join(thread, NULL);
  flx_set_logger(FLX_LOG_WARN, NULL, NULL, NULL);
  flx_realm_t *realm = open_realm("a.realm");
  flx_realm_set_changed_callback(realm, changed_and_ended, &calls, NULL);
  pthread_create(&thread, NULL, commit_something, NULL);
  pthread_join(thread, NULL);
  CHECK(calls == 1);
  flx_realm_set_changed_callback(realm, NULL, NULL, NULL);
  bool has_changed = false;
  OK(flx_realm_refresh(realm, &has_changed, &error));
  CHECK(has_changed);
  create_object(realm, 8);
  OK(flx_realm_commit_write(realm, &error));
}

/* Userdata: opening takes it over, whatever is wrong; questions and deleting do not. */
static flx_status_t no_subscriptions(void *userdata, flx_realm_t *realm, flx_subscription_update_t *update,
                                     flx_error_t *error) {
  (void)userdata, (void)realm, (void)update, (void)error;
  return FLX_STATUS_OK;
}

static void questions_leave_userdata_alone(void) {
  int freed = 0;
  flx_realm_config_t config = {.struct_size = sizeof config, .path = text(scratch("a.realm")),
                               .initial_subscriptions = no_subscriptions, .initial_subscriptions_userdata = &freed,
                               .free_initial_subscriptions_userdata = count_free, .client_reset_userdata = &freed,
                               .free_client_reset_userdata = count_free};
  bool is_true = true;
  OK(flx_realm_file_exists(&config, &is_true, &error));
  CHECK(!is_true && freed == 0);
  OK(flx_realm_delete_files(&config, &is_true, &error));
  CHECK(!is_true && freed == 0);
  config.struct_size = 0;
  EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_realm_file_exists(&config, &is_true, &error));
  CHECK(freed == 0);
}

static void opening_takes_userdata_over(void) {
  int freed = 0;
  flx_realm_config_t config = {.struct_size = sizeof config, .path = text(scratch("a.realm")),
                               .initial_subscriptions = no_subscriptions, .initial_subscriptions_userdata = &freed,
                               .free_initial_subscriptions_userdata = count_free, .client_reset_userdata = &freed,
                               .free_client_reset_userdata = count_free};
  size_t sizes[] = {0, 1, sizeof(size_t), SIZE_MAX, sizeof config};
  flx_realm_t *realm = NULL;
  int wanted = 0;
  for (int i = 0; i < 5; i++) {
    config.struct_size = sizes[i];
    config.class_count = 1; /* at NULL */
    EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_realm_open(&config, &realm, &error));
    CHECK(freed == (wanted += 2));
    EXPECT(FLX_STATUS_INVALID_ARGUMENT,
           flx_realm_open_blocking(&config, FLX_OPEN_LOCAL, 0, &realm, &error));
    CHECK(freed == (wanted += 2));
  }
  config.class_count = 0;
  OK(flx_realm_open(&config, &realm, &error));
  flx_realm_release(realm);
  CHECK(freed == wanted + 2);
}

static const misuse_case_t CASES[] = {
    {"a completion that is stuck holds up nobody else", a_stuck_completion, NULL},
    {"a callback that is stuck in a pump does not hold up another pump", a_stuck_pump, NULL},
    {"a thread that ends in a callback leaves nothing locked", a_thread_that_ends_in_a_callback, NULL},
    {"questions leave the userdata of a configuration alone", questions_leave_userdata_alone, NULL},
    {"opening frees the userdata once, also if it fails", opening_takes_userdata_over, NULL},
};

MISUSE_MAIN(CASES)
