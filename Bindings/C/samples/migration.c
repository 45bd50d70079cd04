/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A migration: version 2 of a program renames a property, counts minutes instead of hours, and drops a class.
 *
 *   cc migration.c $(pkg-config --cflags --libs flexsync) -o migration && ./migration
 *
 * It prints:
 *
 *   without a migration: SCHEMA_MISMATCH
 *   migrating from version 1
 *   Write the report: 90 min
 *   an old program: INVALID_SCHEMA_VERSION
 */
#include "sample.h"

static const flx_property_info_t OLD_TASK[] = {
    {.name = FLX_STRING_INIT("_id"), .type = FLX_TYPE_INT, .is_primary_key = true},
    {.name = FLX_STRING_INIT("title"), .type = FLX_TYPE_STRING},
    {.name = FLX_STRING_INIT("hours"), .type = FLX_TYPE_DOUBLE},
};
static const flx_property_info_t DRAFT[] = {
    {.name = FLX_STRING_INIT("_id"), .type = FLX_TYPE_INT, .is_primary_key = true},
};
static const flx_class_info_t OLD_CLASSES[] = {
    {.name = FLX_STRING_INIT("Task"), .properties = OLD_TASK, .property_count = 3},
    {.name = FLX_STRING_INIT("Draft"), .properties = DRAFT, .property_count = 1},
};
static const flx_property_info_t NEW_TASK[] = {
    {.name = FLX_STRING_INIT("_id"), .type = FLX_TYPE_INT, .is_primary_key = true},
    {.name = FLX_STRING_INIT("name"), .type = FLX_TYPE_STRING},
    {.name = FLX_STRING_INIT("minutes"), .type = FLX_TYPE_INT},
};
static const flx_class_info_t NEW_CLASSES[] = {
    {.name = FLX_STRING_INIT("Task"), .properties = NEW_TASK, .property_count = 3},
};

static flx_realm_config_t configuration(uint64_t version) {
  return (flx_realm_config_t){.struct_size = sizeof(flx_realm_config_t), .path = FLX_STRING("migration.realm"),
                              .classes = version == 1 ? OLD_CLASSES : NEW_CLASSES, .class_count = version == 1 ? 2 : 1,
                              .schema_mode = FLX_SCHEMA_VERSIONED, .schema_version = version};
}

static void write_with_version_1(void) {
  flx_error_t error;
  flx_realm_t *realm;
  flx_object_t *task;
  bool deleted;
  flx_realm_config_t config = configuration(1);
  flx_value_t key = {.type = FLX_TYPE_INT, .integer = 1};
  flx_value_t values[] = {{.type = FLX_TYPE_STRING, .string = FLX_STRING("Write the report")},
                          {.type = FLX_TYPE_DOUBLE, .double_value = 1.5}};
  check(flx_realm_delete_files(&config, &deleted, &error), &error); /* each run begins anew */
  check(flx_realm_open(&config, &realm, &error), &error);
  flx_class_key_t task_class = class_key(realm, FLX_STRING("Task"));
  flx_property_key_t keys[] = {property_key(realm, task_class, FLX_STRING("title")),
                               property_key(realm, task_class, FLX_STRING("hours"))};
  check(flx_realm_begin_write(realm, &error), &error);
  check(flx_object_create(realm, task_class, &key, &task, &error), &error);
  check(flx_object_set_values(task, keys, values, 2, &error), &error);
  check(flx_realm_commit_write(realm, &error), &error);
  flx_object_release(task);
  flx_realm_release(realm);
}

/* Both realms have an object under the same row. Opening fails with what this returns; the file is then as before. */
static flx_status_t migrate(void *userdata, flx_realm_t *before, flx_realm_t *after, uint64_t old_version,
                            flx_error_t *error) {
  (void)userdata;
  printf("migrating from version %" PRIu64 "\n", old_version);
  bool deleted;
  flx_string_t name = FLX_STRING("Task");
  flx_class_key_t old_class = class_key(before, name), new_class = class_key(after, name);
  flx_property_key_t hours = property_key(before, old_class, FLX_STRING("hours"));
  flx_property_key_t minutes = property_key(after, new_class, FLX_STRING("minutes"));
  flx_status_t status = flx_migration_rename_property(after, name, FLX_STRING("title"), FLX_STRING("name"), error);
  if (!status) status = flx_migration_delete_class(after, FLX_STRING("Draft"), &deleted, error);
  flx_results_t *tasks = NULL;
  if (!status) status = flx_results_create(after, new_class, &tasks, error);
  flx_object_t *task;
  for (size_t i = 0; !status && !(status = flx_results_get_object(tasks, i, &task, error)); i++) {
    flx_object_t *old = NULL;
    flx_value_t value;
    flx_link_t row = {.row = flx_object_link(task).row, .target_class = old_class};
    status = flx_object_get_linked(before, row, &old, error);
    if (!status) status = flx_object_get(old, hours, &value, error);
    if (!status) {
      value = (flx_value_t){.type = FLX_TYPE_INT, .integer = (int64_t)(value.double_value * 60)};
      status = flx_object_set(task, minutes, &value, error);
    }
    flx_object_release(old);
    flx_object_release(task);
  }
  flx_results_release(tasks);
  return status == FLX_STATUS_INDEX_OUT_OF_BOUNDS ? FLX_STATUS_OK : status;
}

int main(void) {
  flx_error_t error;
  flx_realm_t *realm;
  write_with_version_1();

  flx_realm_config_t config = configuration(2);
  config.schema_version = 1; /* other properties, but the old version */
  printf("without a migration: %s\n", flx_status_name(flx_realm_open(&config, &realm, &error)));
  config.schema_version = 2;
  config.migration = migrate;
  check(flx_realm_open(&config, &realm, &error), &error);

  flx_class_key_t task_class = class_key(realm, FLX_STRING("Task"));
  flx_property_key_t keys[] = {property_key(realm, task_class, FLX_STRING("name")),
                               property_key(realm, task_class, FLX_STRING("minutes"))};
  flx_value_t key = {.type = FLX_TYPE_INT, .integer = 1}, values[2];
  flx_object_t *task;
  check(flx_object_find(realm, task_class, &key, &task, &error), &error);
  check(flx_object_get_values(task, keys, 2, values, &error), &error);
  printf("%.*s: %" PRId64 " min\n", TEXT(values[0].string), values[1].integer);
  flx_object_release(task);
  flx_realm_release(realm);

  config = configuration(1);
  printf("an old program: %s\n", flx_status_name(flx_realm_open(&config, &realm, &error)));
  return 0;
}
