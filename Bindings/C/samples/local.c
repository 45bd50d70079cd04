/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A local realm: a schema, a write transaction, an object by its key, a query with arguments, an order, an aggregate.
 *
 *   cc local.c $(pkg-config --cflags --libs flexsync) -o local && ./local
 *
 * It prints:
 *
 *   task 2 is 'Order paper'
 *   open tasks of Ada and Nadia, longest first:
 *     90 min  Write the report
 *     15 min  Order paper
 *   in total 105 min
 *   no task has the key 9
 */
#include "sample.h"

static const flx_property_info_t PROPERTIES[] = {
    {.name = FLX_STRING_INIT("_id"), .type = FLX_TYPE_INT, .is_primary_key = true},
    {.name = FLX_STRING_INIT("name"), .type = FLX_TYPE_STRING},
    {.name = FLX_STRING_INIT("assignee"), .type = FLX_TYPE_STRING, .is_nullable = true, .is_indexed = true},
    {.name = FLX_STRING_INIT("minutes"), .type = FLX_TYPE_INT},
    {.name = FLX_STRING_INIT("completed"), .type = FLX_TYPE_BOOL},
};
static const flx_class_info_t CLASSES[] = {
    {.name = FLX_STRING_INIT("Task"), .properties = PROPERTIES, .property_count = 5},
};

typedef struct {
  flx_class_key_t task;
  flx_property_key_t name, assignee, minutes, completed;
} keys_t;

static flx_value_t string(flx_string_t text) { return (flx_value_t){.type = FLX_TYPE_STRING, .string = text}; }
static flx_value_t integer(int64_t number) { return (flx_value_t){.type = FLX_TYPE_INT, .integer = number}; }

static void add(flx_realm_t *realm, const keys_t *keys, int64_t id, flx_string_t name, flx_string_t assignee,
                int64_t minutes) {
  flx_error_t error;
  flx_object_t *task;
  flx_value_t key = integer(id);
  flx_property_key_t properties[] = {keys->name, keys->assignee, keys->minutes};
  flx_value_t values[] = {string(name), string(assignee), integer(minutes)};
  check(flx_object_create(realm, keys->task, &key, &task, &error), &error);
  check(flx_object_set_values(task, properties, values, 3, &error), &error);
  flx_object_release(task);
}

static void print_open(flx_realm_t *realm, const keys_t *keys) {
  flx_error_t error;
  flx_results_t *all, *open, *sorted;
  flx_value_t done = {.type = FLX_TYPE_BOOL, .boolean = false};
  flx_value_t names[] = {string(FLX_STRING("Ada")), string(FLX_STRING("Nadia"))};
  flx_query_argument_t arguments[] = {{.values = &done, .count = 1}, {.values = names, .count = 2, .is_list = true}};
  flx_sort_key_t longest_first = {.key_path = FLX_STRING("minutes"), .is_ascending = false};
  check(flx_results_create(realm, keys->task, &all, &error), &error);
  check(flx_results_filter(all, FLX_STRING("completed == $0 AND assignee IN $1"), arguments, 2, &open, &error), &error);
  check(flx_results_sort(open, &longest_first, 1, &sorted, &error), &error);

  printf("open tasks of Ada and Nadia, longest first:\n");
  flx_property_key_t properties[] = {keys->minutes, keys->name};
  flx_value_t values[2], sum;
  flx_object_t *task;
  flx_status_t status;
  for (size_t i = 0; !(status = flx_results_get_object(sorted, i, &task, &error)); i++) {
    check(flx_object_get_values(task, properties, 2, values, &error), &error);
    printf("  %" PRId64 " min  %.*s\n", values[0].integer, TEXT(values[1].string));
    flx_object_release(task);
  }
  if (status != FLX_STATUS_INDEX_OUT_OF_BOUNDS) check(status, &error); /* the end of the results is no failure */
  check(flx_results_aggregate(open, FLX_AGGREGATE_SUM, keys->minutes, &sum, &error), &error);
  printf("in total %" PRId64 " min\n", sum.integer);
  flx_results_release(sorted);
  flx_results_release(open);
  flx_results_release(all);
}

int main(void) {
  flx_realm_config_t config = {.struct_size = sizeof config, .path = FLX_STRING("local.realm"), .classes = CLASSES,
                               .class_count = 1};
  flx_error_t error;
  flx_realm_t *realm;
  bool deleted;
  check(flx_realm_delete_files(&config, &deleted, &error), &error); /* each run begins anew */
  check(flx_realm_open(&config, &realm, &error), &error);
  keys_t keys = {.task = class_key(realm, FLX_STRING("Task"))};
  keys.name = property_key(realm, keys.task, FLX_STRING("name"));
  keys.assignee = property_key(realm, keys.task, FLX_STRING("assignee"));
  keys.minutes = property_key(realm, keys.task, FLX_STRING("minutes"));
  keys.completed = property_key(realm, keys.task, FLX_STRING("completed"));

  check(flx_realm_begin_write(realm, &error), &error);
  add(realm, &keys, 1, FLX_STRING("Write the report"), FLX_STRING("Ada"), 90);
  add(realm, &keys, 2, FLX_STRING("Order paper"), FLX_STRING("Nadia"), 15);
  add(realm, &keys, 3, FLX_STRING("Water the plants"), FLX_STRING("Bob"), 5);
  check(flx_realm_commit_write(realm, &error), &error); /* on the disk when this returns */

  flx_object_t *task;
  flx_value_t key = integer(2), name;
  check(flx_object_find(realm, keys.task, &key, &task, &error), &error);
  check(flx_object_get(task, keys.name, &name, &error), &error);
  printf("task %" PRId64 " is '%.*s'\n", key.integer, TEXT(name.string)); /* borrowed until the next call on the task */
  flx_object_release(task);

  print_open(realm, &keys);
  key = integer(9);
  check(flx_object_find(realm, keys.task, &key, &task, &error), &error);
  if (!task) printf("no task has the key 9\n");
  flx_realm_release(realm);
  return 0;
}
