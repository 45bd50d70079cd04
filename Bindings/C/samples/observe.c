/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Observing: results with the indexes that have changed, an object with the values that it had, and key paths, which
 * limit what counts as a change. Another handle of the realm writes, as another thread or the sync session would.
 *
 *   cc observe.c $(pkg-config --cflags --libs flexsync) -o observe && ./observe
 *
 * It prints:
 *
 *   long tasks: there are 2
 *   long tasks: 1 gone, 1 new, 1 changed
 *     new at 0: Call the bank
 *     changed at 1: Write the report
 *   the report: minutes was 90
 *   names: 1 changed
 *   long tasks: 2 gone, 0 new, 0 changed
 *   the report is deleted
 */
#include "sample.h"

static const flx_property_info_t PROPERTIES[] = {
    {.name = FLX_STRING_INIT("_id"), .type = FLX_TYPE_INT, .is_primary_key = true},
    {.name = FLX_STRING_INIT("name"), .type = FLX_TYPE_STRING},
    {.name = FLX_STRING_INIT("minutes"), .type = FLX_TYPE_INT},
};
static const flx_class_info_t CLASSES[] = {
    {.name = FLX_STRING_INIT("Task"), .properties = PROPERTIES, .property_count = 3},
};
static const flx_realm_config_t CONFIG = {
    .struct_size = sizeof CONFIG, .in_memory_name = FLX_STRING_INIT("tasks"), .classes = CLASSES, .class_count = 1};

static flx_class_key_t task_class;
static flx_property_key_t name_key, minutes_key;

/* Called within flx_realm_refresh here: on the thread of the realm, whose objects it may read. */
static void print_results(void *userdata, const flx_collection_changes_t *changes) {
  flx_results_t *results = userdata;
  flx_error_t error;
  size_t count;
  if (changes->is_initial) {
    check(flx_results_count(results, &count, &error), &error);
    printf("long tasks: there are %zu\n", count);
    return;
  }
  printf("long tasks: %zu gone, %zu new, %zu changed\n", changes->deletion_count, changes->insertion_count,
         changes->modification_count);
  for (int pass = 0; pass < 2; pass++) {
    const size_t *indexes = pass ? changes->modifications : changes->insertions;
    for (size_t i = 0; i < (pass ? changes->modification_count : changes->insertion_count); i++) {
      flx_object_t *task;
      flx_value_t name;
      check(flx_results_get_object(results, indexes[i], &task, &error), &error);
      check(flx_object_get(task, name_key, &name, &error), &error);
      printf("  %s at %zu: %.*s\n", pass ? "changed" : "new", indexes[i], TEXT(name.string));
      flx_object_release(task);
    }
  }
}

static void print_object(void *userdata, const flx_object_changes_t *changes) {
  (void)userdata;
  if (changes->is_deleted) printf("the report is deleted\n");
  for (size_t i = 0; i < changes->property_count; i++)
    if (changes->properties[i] == minutes_key && changes->old_values)
      printf("the report: minutes was %" PRId64 "\n", changes->old_values[i].integer);
}

static void print_names(void *userdata, const flx_collection_changes_t *changes) {
  (void)userdata;
  if (changes->modification_count) printf("names: %zu changed\n", changes->modification_count);
}

/* Writes a task in a transaction of its own; without a name, the task keeps the one that it has. */
static flx_object_t *put(flx_realm_t *realm, int64_t id, const char *name, int64_t minutes) {
  flx_error_t error;
  flx_object_t *task;
  flx_value_t key = {.type = FLX_TYPE_INT, .integer = id};
  flx_property_key_t properties[] = {minutes_key, name_key};
  flx_value_t values[2] = {{.type = FLX_TYPE_INT, .integer = minutes}};
  if (name) values[1] = (flx_value_t){.type = FLX_TYPE_STRING, .string = {name, strlen(name)}};
  check(flx_realm_begin_write(realm, &error), &error);
  check(flx_object_find_or_create(realm, task_class, &key, &task, NULL, &error), &error);
  check(flx_object_set_values(task, properties, values, name ? 2 : 1, &error), &error);
  check(flx_realm_commit_write(realm, &error), &error);
  return task;
}

int main(void) {
  flx_error_t error;
  flx_realm_t *realm, *writer;
  check(flx_realm_open(&CONFIG, &realm, &error), &error);
  check(flx_realm_open(&CONFIG, &writer, &error), &error);
  task_class = class_key(realm, FLX_STRING("Task"));
  name_key = property_key(realm, task_class, FLX_STRING("name"));
  minutes_key = property_key(realm, task_class, FLX_STRING("minutes"));
  flx_object_t *report = put(realm, 1, "Report", 90);
  flx_object_release(put(realm, 2, "Order paper", 75));

  flx_results_t *all, *long_tasks;
  flx_notification_token_t *tokens[3];
  flx_string_t path = FLX_STRING("name");
  check(flx_results_create(realm, task_class, &all, &error), &error);
  check(flx_results_filter(all, FLX_STRING("minutes > 60 SORT(name ASC)"), NULL, 0, &long_tasks, &error), &error);
  check(flx_results_observe(long_tasks, print_results, long_tasks, NULL, &tokens[0], &error), &error);
  check(flx_object_observe(report, print_object, NULL, NULL, &tokens[1], &error), &error);
  check(flx_results_observe_key_paths(all, &path, 1, print_names, NULL, NULL, &tokens[2], &error), &error);
  check(flx_realm_refresh(realm, NULL, &error), &error); /* the first calls, with is_initial */

  flx_object_release(put(writer, 1, "Write the report", 120));
  flx_object_release(put(writer, 2, NULL, 30));
  flx_object_release(put(writer, 3, "Call the bank", 70));
  check(flx_realm_refresh(realm, NULL, &error), &error); /* one call for the three transactions */

  check(flx_realm_begin_write(realm, &error), &error);
  check(flx_results_delete_all(long_tasks, &error), &error);
  check(flx_realm_commit_write(realm, &error), &error); /* observers are told within the commit */

  for (int i = 0; i < 3; i++) flx_notification_token_release(tokens[i]);
  flx_object_release(report);
  flx_results_release(long_tasks);
  flx_results_release(all);
  flx_realm_release(writer);
  flx_realm_release(realm);
  return 0;
}
