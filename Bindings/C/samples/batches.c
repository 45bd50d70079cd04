/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many objects at once: inserted from columns and read into columns, without a handle for each. The columns have nearly
 * the layout of columnar formats: values one after the other, and offsets into one text. Whether a row has a value is a
 * byte, where Arrow has a bit.
 *
 *   cc batches.c $(pkg-config --cflags --libs flexsync) -o batches && ./batches
 *
 * It prints:
 *
 *   inserted 10000 readings
 *   read 3333 readings in 4 batches: the last note is 'reading 9999'
 *   the mean is 4999, and 1000 readings have no value
 *   refused after 2 rows: DUPLICATE_PRIMARY_KEY
 */
#include "sample.h"

enum { COUNT = 10000, BATCH = 1024 };

static const flx_property_info_t PROPERTIES[] = {
    {.name = FLX_STRING_INIT("_id"), .type = FLX_TYPE_INT, .is_primary_key = true},
    {.name = FLX_STRING_INIT("value"), .type = FLX_TYPE_DOUBLE, .is_nullable = true},
    {.name = FLX_STRING_INIT("note"), .type = FLX_TYPE_STRING},
};
static const flx_class_info_t CLASSES[] = {
    {.name = FLX_STRING_INIT("Reading"), .properties = PROPERTIES, .property_count = 3},
};

typedef struct {
  flx_class_key_t reading;
  flx_property_key_t id, value, note;
} keys_t;

static void insert(flx_realm_t *realm, const keys_t *keys) {
  int64_t *ids = malloc(COUNT * sizeof *ids), *offsets = malloc((COUNT + 1) * sizeof *offsets);
  double *values = malloc(COUNT * sizeof *values);
  uint8_t *validity = malloc(COUNT);
  char *text = malloc(COUNT * 16);
  if (!ids || !offsets || !values || !validity || !text) exit(1);
  offsets[0] = 0;
  for (int i = 0; i < COUNT; i++) {
    ids[i] = i;
    values[i] = i;
    validity[i] = i % 10 != 9; /* every tenth has no value */
    offsets[i + 1] = offsets[i] + sprintf(text + offsets[i], "reading %d", i);
  }
  flx_column_t columns[] = {
      {.struct_size = sizeof(flx_column_t), .property = keys->id, .type = FLX_TYPE_INT, .values = ids},
      {.struct_size = sizeof(flx_column_t), .property = keys->value, .type = FLX_TYPE_DOUBLE, .values = values,
       .validity = validity},
      {.struct_size = sizeof(flx_column_t), .property = keys->note, .type = FLX_TYPE_STRING, .offsets = offsets,
       .bytes = text, .byte_capacity = (size_t)offsets[COUNT]},
  };
  flx_error_t error;
  size_t inserted;
  check(flx_realm_begin_write(realm, &error), &error);
  check(flx_objects_insert(realm, keys->reading, columns, 3, COUNT, &inserted, &error), &error);
  check(flx_realm_commit_write(realm, &error), &error);
  printf("inserted %zu readings\n", inserted);
  free(ids), free(offsets), free(values), free(validity), free(text);
}

static void read_some(flx_realm_t *realm, const keys_t *keys) {
  flx_error_t error;
  flx_results_t *all, *some;
  check(flx_results_create(realm, keys->reading, &all, &error), &error);
  check(flx_results_filter(all, FLX_STRING("_id >= 6667"), NULL, 0, &some, &error), &error);
  static int64_t offsets[BATCH + 1];
  static char text[BATCH * 16], last[17];
  flx_column_t note = {.struct_size = sizeof note, .property = keys->note, .type = FLX_TYPE_STRING,
                       .offsets = offsets, .bytes = text, .byte_capacity = sizeof text};
  size_t rows = 0, batches = 0, count;
  flx_status_t status;
  while (!(status = flx_results_read(some, rows, BATCH, &note, 1, &count, &error)) && count) {
    memcpy(last, text + offsets[count - 1], (size_t)(offsets[count] - offsets[count - 1]));
    rows += count;
    batches++;
  }
  check(status, &error);
  printf("read %zu readings in %zu batches: the last note is '%s'\n", rows, batches, last);

  flx_value_t mean, known;
  check(flx_results_aggregate(all, FLX_AGGREGATE_AVERAGE, keys->value, &mean, &error), &error);
  check(flx_results_aggregate(all, FLX_AGGREGATE_COUNT, keys->value, &known, &error), &error);
  printf("the mean is %g, and %" PRId64 " readings have no value\n", mean.double_value, COUNT - known.integer);
  flx_results_release(some);
  flx_results_release(all);
}

/* A row that cannot be inserted ends the call: those before it are part of the transaction. */
static void insert_twice(flx_realm_t *realm, const keys_t *keys) {
  int64_t ids[] = {COUNT, COUNT + 1, 0, COUNT + 2};
  flx_column_t column = {.struct_size = sizeof column, .property = keys->id, .type = FLX_TYPE_INT, .values = ids};
  flx_error_t error;
  size_t inserted;
  check(flx_realm_begin_write(realm, &error), &error);
  flx_status_t status = flx_objects_insert(realm, keys->reading, &column, 1, 4, &inserted, &error);
  printf("refused after %zu rows: %s\n", inserted, flx_status_name(status));
  check(flx_realm_cancel_write(realm, &error), &error);
}

int main(void) {
  flx_realm_config_t config = {.struct_size = sizeof config, .in_memory_name = FLX_STRING("readings"),
                               .classes = CLASSES, .class_count = 1};
  flx_error_t error;
  flx_realm_t *realm;
  check(flx_realm_open(&config, &realm, &error), &error);
  keys_t keys = {.reading = class_key(realm, FLX_STRING("Reading"))};
  keys.id = property_key(realm, keys.reading, FLX_STRING("_id"));
  keys.value = property_key(realm, keys.reading, FLX_STRING("value"));
  keys.note = property_key(realm, keys.reading, FLX_STRING("note"));
  insert(realm, &keys);
  read_some(realm, &keys);
  insert_twice(realm, &keys);
  flx_realm_release(realm);
  return 0;
}
