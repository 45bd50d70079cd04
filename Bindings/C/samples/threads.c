/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads: a frozen realm that two threads read at once, references with which each finds the same object in a realm of
 * its own, and the refusal of a realm that another thread is using.
 *
 *   cc threads.c $(pkg-config --cflags --libs flexsync) -pthread -o threads && ./threads
 *
 * It prints:
 *
 *   a realm in a write transaction: WRONG_THREAD
 *   the threads have counted 500 and 500 numbers in the frozen realm
 *   each thread has added 100 to the counter, which is 200
 *   the frozen realm still shows 0
 */
#include "sample.h"

#include <pthread.h>

static const flx_property_info_t PROPERTIES[] = {
    {.name = FLX_STRING_INIT("_id"), .type = FLX_TYPE_INT, .is_primary_key = true},
    {.name = FLX_STRING_INIT("value"), .type = FLX_TYPE_INT},
};
static const flx_class_info_t CLASSES[] = {
    {.name = FLX_STRING_INIT("Counter"), .properties = PROPERTIES, .property_count = 2},
};
static const flx_realm_config_t CONFIG = {
    .struct_size = sizeof CONFIG, .in_memory_name = FLX_STRING_INIT("counters"), .classes = CLASSES, .class_count = 1};

static flx_property_key_t value_key;

typedef struct {
  flx_realm_t *frozen;              /* used by both threads */
  const flx_reference_t *reference; /* leads to the counter, in any realm of the file */
  const char *query;
  size_t count;
} work_t;

static void *work(void *argument) {
  work_t *work = argument;
  flx_error_t error;
  flx_results_t *all, *some;
  check(flx_results_create(work->frozen, class_key(work->frozen, FLX_STRING("Counter")), &all, &error), &error);
  check(flx_results_filter(all, (flx_string_t){work->query, strlen(work->query)}, NULL, 0, &some, &error), &error);
  check(flx_results_count(some, &work->count, &error), &error);
  flx_results_release(some);
  flx_results_release(all);

  flx_realm_t *own; /* each thread opens the realm for itself, which is cheap */
  flx_object_t *counter;
  check(flx_realm_open(&CONFIG, &own, &error), &error);
  check(flx_realm_resolve_object(own, work->reference, &counter, &error), &error);
  for (int i = 0; i < 100; i++) {
    check(flx_realm_begin_write(own, &error), &error); /* waits for the other thread's transaction */
    check(flx_object_add_integer(counter, value_key, 1, &error), &error);
    check(flx_realm_commit_write(own, &error), &error);
  }
  flx_object_release(counter);
  flx_realm_release(own);
  return NULL;
}

static void *write_to_the_same_realm(void *realm) {
  flx_error_t error;
  printf("a realm in a write transaction: %s\n", flx_status_name(flx_realm_begin_write(realm, &error)));
  return NULL;
}

static int64_t value_of(flx_object_t *counter) {
  flx_error_t error;
  flx_value_t value;
  check(flx_object_get(counter, value_key, &value, &error), &error);
  return value.integer;
}

int main(void) {
  flx_error_t error;
  flx_realm_t *realm, *frozen;
  flx_object_t *counter;
  flx_reference_t *reference;
  pthread_t threads[2];
  check(flx_realm_open(&CONFIG, &realm, &error), &error);
  flx_class_key_t counters = class_key(realm, FLX_STRING("Counter"));
  value_key = property_key(realm, counters, FLX_STRING("value"));

  int64_t ids[1000];
  for (int i = 0; i < 1000; i++) ids[i] = i;
  flx_column_t column = {.struct_size = sizeof column, .property = property_key(realm, counters, FLX_STRING("_id")),
                         .type = FLX_TYPE_INT, .values = ids};
  check(flx_realm_begin_write(realm, &error), &error);
  check(flx_objects_insert(realm, counters, &column, 1, 1000, NULL, &error), &error);
  pthread_create(&threads[0], NULL, write_to_the_same_realm, realm);
  pthread_join(threads[0], NULL);
  check(flx_realm_commit_write(realm, &error), &error);

  flx_value_t key = {.type = FLX_TYPE_INT, .integer = 0};
  check(flx_object_find(realm, counters, &key, &counter, &error), &error);
  check(flx_object_make_reference(counter, &reference, &error), &error);
  check(flx_realm_freeze(realm, &frozen, &error), &error);
  work_t works[] = {{frozen, reference, "_id < 500", 0}, {frozen, reference, "_id >= 500", 0}};
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, &works[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  printf("the threads have counted %zu and %zu numbers in the frozen realm\n", works[0].count, works[1].count);

  flx_object_t *then;
  check(flx_realm_refresh(realm, NULL, &error), &error);
  check(flx_realm_resolve_object(frozen, reference, &then, &error), &error);
  printf("each thread has added 100 to the counter, which is %" PRId64 "\n", value_of(counter));
  printf("the frozen realm still shows %" PRId64 "\n", value_of(then));
  flx_object_release(then);
  flx_realm_release(frozen);
  flx_reference_release(reference);
  flx_object_release(counter);
  flx_realm_release(realm);
  return 0;
}
