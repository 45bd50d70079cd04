/* SPDX-License-Identifier: Apache-2.0 */
/* One realm on several threads at once. */
#include "misuse.h"

#include <stdatomic.h>

/* `EXPECT` for threads that run at once, which cannot share an error. */
#define REFUSED(call)                                                                                                \
  do {                                                                                                               \
    flx_error_t failure = {0};                                                                                       \
    flx_status_t got = (call);                                                                                       \
    if (got != FLX_STATUS_WRONG_THREAD) FAIL("%s gave %s: %s", #call, flx_status_name(got), failure.message);        \
    if (!strstr(failure.message, "Another thread is using this realm")) FAIL("'%s' is unclear", failure.message);    \
  } while (0)

/* What a thread gets that runs beside another one. */
static void may_be_refused(flx_status_t status, const flx_error_t *failure) {
  if (status != FLX_STATUS_OK && status != FLX_STATUS_WRONG_THREAD)
    FAIL("%s: %s", flx_status_name(status), failure->message);
}

typedef struct things {
  flx_realm_t *realm;
  flx_object_t *object;
  flx_list_t *list;
  flx_results_t *results;
  flx_class_key_t class_key;
  flx_property_key_t done;
  atomic_int is_over;
} things_t;

/* Everything of a realm; the write transaction stays open. */
static things_t make_things(void) {
  things_t things = {.realm = open_realm("a.realm")};
  things.class_key = class_key(things.realm);
  things.done = property_key(things.realm, "done");
  things.object = create_object(things.realm, 1);
  things.results = all_objects(things.realm);
  OK(flx_object_get_list(things.object, property_key(things.realm, "tags"), &things.list, &error));
  return things;
}

static void *use_elsewhere(void *argument) {
  things_t *things = argument;
  flx_value_t value = integer(2);
  flx_object_t *object = NULL;
  size_t count = 0;
  REFUSED(flx_realm_commit_write(things->realm, &failure));
  REFUSED(flx_realm_cancel_write(things->realm, &failure));
  REFUSED(flx_realm_begin_write(things->realm, &failure));
  REFUSED(flx_realm_refresh(things->realm, NULL, &failure));
  REFUSED(flx_object_create(things->realm, things->class_key, &value, &object, &failure));
  REFUSED(flx_object_find(things->realm, things->class_key, &value, &object, &failure));
  REFUSED(flx_object_get(things->object, things->done, &value, &failure));
  REFUSED(flx_object_set(things->object, things->done, &value, &failure));
  REFUSED(flx_list_count(things->list, &count, &failure));
  REFUSED(flx_list_clear(things->list, &failure));
  REFUSED(flx_results_count(things->results, &count, &failure));
  REFUSED(flx_results_get_object(things->results, 0, &object, &failure));
  REFUSED(flx_results_delete_all(things->results, &failure));
  return NULL;
}

static void on_another_thread(void *(*body)(void *), void *argument) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, body, argument) == 0);
  pthread_join(thread, NULL);
}

static void a_transaction_of_another_thread(void) {
  things_t things = make_things();
  on_another_thread(use_elsewhere, &things);
  OK(flx_realm_commit_write(things.realm, &error));
  size_t count = 0;
  OK(flx_results_count(things.results, &count, &error));
  CHECK(count == 1);
}

static void *write_elsewhere(void *realm) {
  create_object(realm, 2);
  OK(flx_realm_commit_write(realm, &error));
  return NULL;
}

static void *write_elsewhere_again(void *realm) {
  create_object(realm, 4);
  OK(flx_realm_commit_write(realm, &error));
  return NULL;
}

static void a_realm_that_is_handed_over(void) {
  things_t things = make_things();
  OK(flx_realm_commit_write(things.realm, &error));
  on_another_thread(write_elsewhere, things.realm);
  size_t count = 0;
  OK(flx_results_count(things.results, &count, &error));
  CHECK(count == 2);
}

static void *write_more_elsewhere(void *realm) {
  create_object(realm, 2);
  return NULL;
}

static void a_transaction_that_is_handed_over(void) {
  flx_realm_t *realm = open_realm_with((flx_realm_config_t){.may_change_thread_in_write = true}, "a.realm");
  size_t count = 0;
  create_object(realm, 1);
  on_another_thread(write_more_elsewhere, realm);
  create_object(realm, 3);
  on_another_thread(write_elsewhere_again, realm);
  OK(flx_results_count(all_objects(realm), &count, &error));
  CHECK(count == 4 && !flx_realm_is_in_write(realm));
}

static void *leave_in_write(void *realm) {
  OK(flx_realm_begin_write(realm, &error));
  return NULL;
}

static void a_transaction_that_its_thread_left(void) {
  flx_realm_t *realm = open_realm("a.realm");
  on_another_thread(leave_in_write, realm);
  flx_realm_release(realm);
  create_object(open_realm("a.realm"), 1);
}

/* Reads and changes until the other thread is done. */
static void *use_often(void *argument) {
  things_t *things = argument;
  flx_error_t failure = {0};
  while (!atomic_load(&things->is_over)) {
    size_t count = 0;
    flx_value_t value;
    flx_object_t *object = NULL;
    bool has_changed = false;
    may_be_refused(flx_realm_refresh(things->realm, &has_changed, &failure), &failure);
    may_be_refused(flx_object_get(things->object, things->done, &value, &failure), &failure);
    may_be_refused(flx_results_count(things->results, &count, &failure), &failure);
    may_be_refused(flx_results_get_object(things->results, 0, &object, &failure), &failure);
    flx_object_release(object);
    may_be_refused(flx_list_count(things->list, &count, &failure), &failure);
  }
  return NULL;
}

/* Each write transaction either happens as a whole or is refused. */
static void *write_often(void *argument) {
  things_t *things = argument;
  flx_error_t failure = {0};
  long done = 0;
  for (int i = 0; i < 500; i++) {
    flx_status_t status = flx_realm_begin_write(things->realm, &failure);
    may_be_refused(status, &failure);
    if (status != FLX_STATUS_OK) continue;
    if (flx_object_add_integer(things->object, things->done, 1, &failure) != FLX_STATUS_OK) FAIL("%s", failure.message);
    if (flx_realm_commit_write(things->realm, &failure) != FLX_STATUS_OK) FAIL("%s", failure.message);
    done++;
  }
  return (void *)done;
}

static void uses_at_once(void) {
  things_t things = make_things();
  flx_value_t value = integer(0);
  OK(flx_object_set(things.object, things.done, &value, &error));
  OK(flx_realm_commit_write(things.realm, &error));
  pthread_t writers[2], user;
  long total = 0;
  pthread_create(&user, NULL, use_often, &things);
  for (int i = 0; i < 2; i++) pthread_create(&writers[i], NULL, write_often, &things);
  for (int i = 0; i < 2; i++) {
    void *done = NULL;
    pthread_join(writers[i], &done);
    total += (long)done;
  }
  atomic_store(&things.is_over, 1);
  pthread_join(user, NULL);
  OK(flx_object_get(things.object, things.done, &value, &error));
  CHECK(value.integer == total);
}

/* What a thread that uses a realm leaves to another one to be released. */
typedef struct basket {
  pthread_mutex_t lock;
  flx_results_t *results[4096];
  flx_notification_token_t *tokens[4096];
  size_t count;
  bool is_over;
} basket_t;

static basket_t basket = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void put_into_basket(flx_results_t *results, flx_notification_token_t *token) {
  pthread_mutex_lock(&basket.lock);
  basket.results[basket.count] = results;
  basket.tokens[basket.count++] = token;
  pthread_mutex_unlock(&basket.lock);
}

/* Releases one thing after the other until the basket is empty for good. */
static void *empty_basket(void *unused) {
  (void)unused;
  for (bool is_over = false; !is_over;) {
    flx_results_t *results = NULL;
    flx_notification_token_t *token = NULL;
    pthread_mutex_lock(&basket.lock);
    if (basket.count > 0) {
      results = basket.results[--basket.count];
      token = basket.tokens[basket.count];
    } else {
      is_over = basket.is_over;
    }
    pthread_mutex_unlock(&basket.lock);
    flx_notification_token_release(token);
    flx_results_release(results);
  }
  return NULL;
}

static void ignore_changes(void *userdata, const flx_collection_changes_t *changes) { (void)userdata, (void)changes; }

/* Results that have prepared statements, and are observed. */
static void use_and_leave(flx_results_t *all, int64_t bound) {
  flx_value_t value = integer(bound);
  flx_query_argument_t argument = {.values = &value, .count = 1};
  flx_results_t *results = NULL;
  flx_notification_token_t *token = NULL;
  flx_object_t *object = NULL;
  size_t count = 0;
  OK(flx_results_filter(all, FLX_STRING("_id < $0"), &argument, 1, &results, &error));
  OK(flx_results_count(results, &count, &error));
  OK(flx_results_get_object(results, 0, &object, &error));
  OK(flx_results_observe(results, ignore_changes, NULL, NULL, &token, &error));
  flx_object_release(object);
  put_into_basket(results, token);
}

static void leave_much(flx_realm_t *realm, int rounds) {
  flx_results_t *all = all_objects(realm);
  for (int i = 0; i < rounds; i++) {
    create_object(realm, i);
    use_and_leave(all, i + 1);
    OK(flx_realm_commit_write(realm, &error));
    use_and_leave(all, i + 1);
  }
  flx_results_release(all);
}

static void releases_beside_uses(void) {
  pthread_t releasers[2];
  for (int i = 0; i < 2; i++) pthread_create(&releasers[i], NULL, empty_basket, NULL);
  flx_realm_t *realm = open_realm("a.realm");
  leave_much(realm, 100);
  pthread_mutex_lock(&basket.lock);
  basket.is_over = true;
  pthread_mutex_unlock(&basket.lock);
  for (int i = 0; i < 2; i++) pthread_join(releasers[i], NULL);
  size_t count = 0;
  OK(flx_results_count(all_objects(realm), &count, &error));
  CHECK(count == 100);
}

/* The realm is closed, and goes with the last thing that was obtained from it. */
static void last_releases_at_once(void) {
  flx_realm_t *realm = open_realm("a.realm");
  leave_much(realm, 50);
  flx_realm_release(realm);
  basket.is_over = true;
  pthread_t releasers[4];
  for (int i = 0; i < 4; i++) pthread_create(&releasers[i], NULL, empty_basket, NULL);
  for (int i = 0; i < 4; i++) pthread_join(releasers[i], NULL);
  create_object(open_realm("a.realm"), 1000);
}

/* The object of results that another thread is to return. */
static _Atomic(flx_object_t *) lent;
static atomic_bool has_lent_all;

static void *return_lent(void *argument) {
  (void)argument;
  while (!atomic_load(&has_lent_all)) flx_object_release(atomic_exchange(&lent, NULL));
  return NULL;
}

/* Results lend one handle again and again, and end, or get another one, while a thread returns it. */
static void handles_that_others_return(void) {
  flx_realm_t *realm = open_realm("a.realm");
  for (int64_t i = 0; i < 100; i++) flx_object_release(create_object(realm, i));
  OK(flx_realm_commit_write(realm, &error));
  flx_property_key_t id = property_key(realm, "_id");
  pthread_t returner;
  pthread_create(&returner, NULL, return_lent, NULL);
  for (int i = 0; i < 300; i++) {
    flx_results_t *results = all_objects(realm);
    for (int64_t index = 0; index < i % 100 + 1; index++) {
      flx_object_t *object = NULL;
      flx_value_t value;
      OK(flx_results_get_object(results, (size_t)index, &object, &error));
      OK(flx_object_get(object, id, &value, &error));
      CHECK(value.integer == index);
      flx_object_release(atomic_exchange(&lent, object));
    }
    flx_results_release(results);
  }
  atomic_store(&has_lent_all, true);
  pthread_join(returner, NULL);
  flx_object_release(atomic_exchange(&lent, NULL));
}

static int inside[2], outside[2];

/* An observer that stays in its realm until it is told to leave. */
static void stay(void *userdata, flx_realm_t *realm) {
  char byte = 0;
  (void)userdata;
  CHECK(flx_realm_version(realm) > 0);
  CHECK(write(inside[1], &byte, 1) == 1 && read(outside[0], &byte, 1) == 1);
}

static void *refresh(void *realm) {
  flx_error_t failure = {0};
  if (flx_realm_refresh(realm, NULL, &failure) != FLX_STATUS_OK) FAIL("%s", failure.message);
  return NULL;
}

/* A thread that is in a refresh of the realm, until `outside` is written to. */
static pthread_t enter(flx_realm_t *realm) {
  char byte = 0;
  pthread_t thread;
  flx_notification_token_t *token = NULL;
  CHECK(pipe(inside) == 0 && pipe(outside) == 0);
  OK(flx_realm_observe(realm, stay, NULL, NULL, &token, &error));
  flx_realm_t *other = open_realm("a.realm");
  create_object(other, 7);
  OK(flx_realm_commit_write(other, &error));
  pthread_create(&thread, NULL, refresh, realm);
  CHECK(read(inside[0], &byte, 1) == 1);
  /* Tokens may go while another thread notifies. */
  flx_notification_token_release(token);
  return thread;
}

static void a_call_of_another_thread(void) {
  things_t things = make_things();
  OK(flx_realm_commit_write(things.realm, &error));
  pthread_t thread = enter(things.realm);
  use_elsewhere(&things);
  CHECK(write(outside[1], "", 1) == 1);
  pthread_join(thread, NULL);
  OK(flx_realm_refresh(things.realm, NULL, &error));
  flx_realm_release(things.realm);
}

static void a_release_in_a_call(void) {
  flx_realm_t *realm = open_realm("a.realm");
  enter(realm);
  flx_realm_release(realm);
}

static void a_look_in_a_call(void) {
  things_t things = make_things();
  OK(flx_realm_commit_write(things.realm, &error));
  enter(things.realm);
  (void)flx_object_is_valid(things.object);
}

static const misuse_case_t CASES[] = {
    {"a transaction belongs to the thread that began it", a_transaction_of_another_thread, NULL},
    {"a realm may be handed from thread to thread", a_realm_that_is_handed_over, NULL},
    {"a transaction may be handed over if the realm is opened for that", a_transaction_that_is_handed_over, NULL},
    {"results and tokens may be released while another thread uses their realm", releases_beside_uses, NULL},
    {"the handles that results lend may be returned by another thread", handles_that_others_return, NULL},
    {"what is left of a closed realm may be released on several threads at once", last_releases_at_once, NULL},
    {"a realm may be closed on another thread than the one that left it in a transaction", a_transaction_that_its_thread_left, NULL},
    {"uses by several threads at once happen or are refused", uses_at_once, NULL},
    {"while a thread is in a call others are refused", a_call_of_another_thread, NULL},
    {"closing a realm while another thread is in a call aborts", a_release_in_a_call,
     "flx_realm_release: the argument 'realm' belongs to a realm that another thread is using"},
    {"a function without a status aborts while another thread is in a call", a_look_in_a_call,
     "flx_object_is_valid: the argument 'object' belongs to a realm that another thread is using"},
};

MISUSE_MAIN(CASES)
