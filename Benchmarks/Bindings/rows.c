// SPDX-License-Identifier: Apache-2.0
// What Scripts/benchmark-bindings measures, in C: see there. Prints lines of a quantity and objects per second.
#include <flexsync.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCH = 1024 };

static flx_error_t error;

static void check(flx_status_t status) {
  if (status == FLX_STATUS_OK) return;
  fprintf(stderr, "rows: %s\n", error.message);
  exit(1);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void tell(const char *what, size_t count, double begin) {
  printf("%s\t%.0f\n", what, (double)count / (now() - begin));
}

static flx_property_key_t key_of(flx_realm_t *realm, flx_class_key_t class_key, flx_string_t name) {
  flx_property_info_t info;
  check(flx_realm_find_property(realm, class_key, name, &info, &error));
  return info.key;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  size_t count = strtoul(argv[2], NULL, 10);
  flx_property_info_t properties[] = {
      {.name = FLX_STRING("_id"), .type = FLX_TYPE_INT, .is_primary_key = true},
      {.name = FLX_STRING("name"), .type = FLX_TYPE_STRING},
      {.name = FLX_STRING("minutes"), .type = FLX_TYPE_INT},
      {.name = FLX_STRING("share"), .type = FLX_TYPE_DOUBLE},
  };
  flx_class_info_t row = {.name = FLX_STRING("Row"), .properties = properties, .property_count = 4};
  flx_realm_config_t config = {.struct_size = sizeof config, .path = {argv[1], strlen(argv[1])}, .classes = &row, .class_count = 1};
  flx_realm_t *realm;
  check(flx_realm_open(&config, &realm, &error));
  flx_class_info_t info;
  check(flx_realm_find_class(realm, row.name, &info, &error));
  flx_property_key_t keys[3];
  for (int i = 0; i < 3; i++) keys[i] = key_of(realm, info.key, properties[i + 1].name);

  double begin = now();
  check(flx_realm_begin_write(realm, &error));
  for (size_t i = 0; i < count; i++) {
    char name[32];
    flx_object_t *object;
    flx_value_t id = {.type = FLX_TYPE_INT, .integer = (int64_t)i};
    check(flx_object_create(realm, info.key, &id, &object, &error));
    flx_value_t values[] = {{.type = FLX_TYPE_STRING, .string = {name, (size_t)snprintf(name, sizeof name, "row %zu", i)}},
                            {.type = FLX_TYPE_INT, .integer = (int64_t)i % 60},
                            {.type = FLX_TYPE_DOUBLE, .double_value = (double)i / 7}};
    for (int j = 0; j < 3; j++) check(flx_object_set(object, keys[j], &values[j], &error));
    flx_object_release(object);
  }
  check(flx_realm_commit_write(realm, &error));
  tell("insert", count, begin);

  flx_results_t *results;
  check(flx_results_create(realm, info.key, &results, &error));
  int64_t minutes = 0;
  size_t length = 0;
  double share = 0;
  begin = now();
  for (size_t i = 0; i < count; i++) {
    flx_object_t *object;
    flx_value_t value;
    check(flx_results_get_object(results, i, &object, &error));
    check(flx_object_get(object, keys[0], &value, &error));
    length += value.string.size;
    check(flx_object_get(object, keys[1], &value, &error));
    minutes += value.integer;
    check(flx_object_get(object, keys[2], &value, &error));
    share += value.double_value;
    flx_object_release(object);
  }
  tell("read", count, begin);

  // All values of the column at once, as the other languages have them afterwards.
  begin = now();
  int64_t *offsets = malloc((count + 1) * sizeof *offsets), *numbers = malloc(count * sizeof *numbers);
  double *shares = malloc(count * sizeof *shares);
  char *bytes = malloc(count * 32);
  if (!offsets || !numbers || !shares || !bytes) abort();
  flx_column_t columns[] = {
      {.struct_size = sizeof *columns, .property = keys[0], .type = FLX_TYPE_STRING, .offsets = offsets, .bytes = bytes,
       .byte_capacity = count * 32},
      {.struct_size = sizeof *columns, .property = keys[1], .type = FLX_TYPE_INT, .values = numbers},
      {.struct_size = sizeof *columns, .property = keys[2], .type = FLX_TYPE_DOUBLE, .values = shares},
  };
  size_t got = 0;
  check(flx_results_read(results, 0, count, columns, 3, &got, &error));
  tell("read columns", got, begin);
  if (got != count || length != (size_t)offsets[count]) abort();
  fprintf(stderr, "%lld %zu %.0f\n", (long long)minutes, length, share);
  flx_results_release(results);
  flx_realm_release(realm);
}
