/* SPDX-License-Identifier: Apache-2.0 */
/* Queries with arguments, and what matches them. */
#include <stdlib.h>
#include <string.h>

#include "scenario.h"

enum { MAX_ARGUMENTS = 4, MAX_ELEMENTS = 8 };

/* The arguments of a query; text is borrowed from the step. */
typedef struct {
  flx_value_t values[MAX_ARGUMENTS][MAX_ELEMENTS];
  flx_query_argument_t list[MAX_ARGUMENTS];
  size_t count;
} arguments_t;

static void read_arguments(device_t *device, const json_t *step, arguments_t *arguments) {
  const json_t *given = json_object_get(step, "arguments");
  arguments->count = json_array_size(given);
  if (arguments->count > MAX_ARGUMENTS) die("too many arguments");
  for (size_t i = 0; i < arguments->count; i++) {
    const json_t *json = json_array_get(given, i);
    bool is_list = json_is_array(json);
    size_t count = is_list ? json_array_size(json) : 1;
    if (count > MAX_ELEMENTS) die("too many elements of an argument");
    for (size_t j = 0; j < count; j++)
      if (!scalar_from(device, is_list ? json_array_get(json, j) : json, &arguments->values[i][j]))
        die("an argument of a query is a value or a list of values");
    arguments->list[i] = (flx_query_argument_t){.values = arguments->values[i], .count = count, .is_list = is_list};
  }
}

flx_results_t *results_of(device_t *device, const json_t *step, flx_error_t *error) {
  flx_results_t *all, *matching;
  arguments_t arguments;
  check(flx_results_create(device->realm, class_named(device, required(step, "class")).key, &all, error), error);
  const char *query = member(step, "query");
  if (!query) return all;
  read_arguments(device, step, &arguments);
  flx_status_t status = flx_results_filter(all, text(query), arguments.list, arguments.count, &matching, error);
  flx_results_release(all);
  return status == FLX_STATUS_OK ? matching : NULL;
}

void do_match(device_t *device, const json_t *step) {
  flx_error_t error;
  flx_property_info_t property;
  size_t count;
  const char *class_name = required(step, "class"), *query = member(step, "query"), *by = member(step, "by");
  flx_results_t *results = results_of(device, step, &error);
  if (!results) {
    printf("%s: failed: %s\n", device->name, error.message);
    return;
  }
  flx_class_key_t key = class_named(device, class_name).key;
  check(flx_realm_find_property(device->realm, key, text(by ? by : "_id"), &property, &error), &error);
  check(flx_results_count(results, &count, &error), &error);
  printf("%s: %zu %s where %s", device->name, count, class_name, query ? query : "TRUEPREDICATE");
  for (size_t i = 0; i < count; i++) {
    flx_object_t *object;
    flx_value_t value;
    check(flx_results_get_object(results, i, &object, &error), &error);
    check(flx_object_get(object, property.key, &value, &error), &error);
    printf(i ? ", " : ": ");
    print_value(stdout, device, &value);
    flx_object_release(object);
  }
  printf("\n");
  flx_results_release(results);
}
