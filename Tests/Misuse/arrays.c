/* SPDX-License-Identifier: Apache-2.0 */
/* NULL where a count says that there is something. */
#include "misuse.h"

/* NULL that the compiler does not see, so that it does not warn of it. */
static void *volatile nothing = NULL;

static void sorting_by_nothing(void) {
  flx_results_t *results = all_objects(open_realm("a.realm")), *derived = NULL;
  EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_results_sort(results, nothing, 3, &derived, &error));
  SAYS("NULL");
  EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_results_distinct(results, nothing, 2, &derived, &error));
  SAYS("NULL");
  OK(flx_results_sort(results, nothing, 0, &derived, &error));
}

static void adding_no_classes(void) {
  flx_realm_t *realm = open_realm("a.realm");
  EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_realm_add_classes(realm, nothing, 3, &error));
  SAYS("classes is NULL, but their count is 3");
  flx_class_info_t info = {.name = FLX_STRING("Other"), .property_count = 3};
  EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_realm_add_classes(realm, &info, 1, &error));
  OK(flx_realm_add_classes(realm, nothing, 0, &error));
}

static void opening_without_classes(void) {
  flx_realm_config_t config = {.struct_size = sizeof config, .path = text(scratch("a.realm")), .class_count = 2};
  flx_realm_t *realm = NULL;
  EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_realm_open(&config, &realm, &error));
  config.path = (flx_string_t){NULL, 5};
  EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_realm_open(&config, &realm, &error));
}

static void querying_without_arguments(void) {
  flx_realm_t *realm = open_realm("a.realm");
  flx_results_t *results = all_objects(realm), *derived = NULL;
  flx_query_t *query = NULL;
  EXPECT(FLX_STATUS_INVALID_ARGUMENT,
         flx_results_filter(results, FLX_STRING("done == $0"), NULL, 1, &derived, &error));
  EXPECT(FLX_STATUS_INVALID_ARGUMENT,
         flx_query_create(realm, class_key(realm), FLX_STRING("done == $0"), NULL, 1, &query, &error));
  flx_query_argument_t argument = {.count = 1};
  EXPECT(FLX_STATUS_INVALID_ARGUMENT,
         flx_results_filter(results, FLX_STRING("done == $0"), &argument, 1, &derived, &error));
  OK(flx_query_create(realm, class_key(realm), FLX_STRING("done == 1"), NULL, 0, &query, &error));
  EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_query_validate_for_sync(query, NULL, 2, &error));
}

static void text_without_data(void) {
  flx_realm_t *realm = open_realm("a.realm");
  flx_string_t none = {NULL, 7};
  flx_object_t *object = create_object(realm, 1);
  flx_value_t value = {.type = FLX_TYPE_STRING, .string = none};
  flx_class_info_t info;
  EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_object_set(object, property_key(realm, "name"), &value, &error));
  EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_realm_find_class(realm, none, &info, &error));
  EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_query_parse(none, NULL, &error));
}

static void reading_into_nothing(void) {
  flx_realm_t *realm = open_realm("a.realm");
  create_object(realm, 1);
  flx_results_t *results = all_objects(realm);
  size_t count = 7;
  EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_results_read(results, 0, 1, nothing, 2, &count, &error));
  SAYS("columns is NULL, but their count is 2");
  CHECK(count == 0);
  EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_results_read(results, 0, 1, nothing, 0, &count, &error));
  char bytes[8];
  int64_t offsets[2];
  flx_column_t column = {.struct_size = sizeof column, .property = property_key(realm, "name"), .type = FLX_TYPE_STRING};
  EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_results_read(results, 0, 1, &column, 1, &count, &error));
  SAYS("offsets");
  column.offsets = offsets;
  column.byte_capacity = sizeof bytes;
  EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_results_read(results, 0, 1, &column, 1, &count, &error));
  SAYS("bytes");
  column.bytes = bytes;
  OK(flx_results_read(results, 0, 1, &column, 1, &count, &error));
  column.struct_size = 0;
  EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_results_read(results, 0, 1, &column, 1, &count, &error));
  SAYS("struct_size");
  EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_results_read(results, 0, SIZE_MAX, &column, 1, &count, &error));
  SAYS("row_capacity");
  EXPECT(FLX_STATUS_INDEX_OUT_OF_BOUNDS, flx_results_read(results, SIZE_MAX, 1, &column, 1, &count, &error));
}

static void inserting_from_nothing(void) {
  flx_realm_t *realm = open_realm("a.realm");
  flx_class_key_t class = class_key(realm);
  size_t count = 7;
  OK(flx_realm_begin_write(realm, &error));
  EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_objects_insert(realm, class, nothing, 2, 1, &count, &error));
  SAYS("NULL");
  EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_objects_insert(realm, class, nothing, 0, 1, &count, &error));
  SAYS("primary key");
  int64_t ids[] = {1, 2}, offsets[] = {0, 1, 2};
  flx_column_t columns[] = {
      {.struct_size = sizeof *columns, .property = property_key(realm, "_id"), .type = FLX_TYPE_INT},
      {.struct_size = sizeof *columns, .property = property_key(realm, "name"), .type = FLX_TYPE_STRING},
  };
  EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_objects_insert(realm, class, columns, 2, 2, &count, &error));
  SAYS("values");
  columns[0].values = ids;
  EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_objects_insert(realm, class, columns, 2, 2, &count, &error));
  SAYS("offsets");
  columns[1].offsets = offsets;
  columns[1].byte_capacity = 2;
  EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_objects_insert(realm, class, columns, 2, 2, &count, &error));
  SAYS("bytes");
  CHECK(count == 0);
  columns[1].bytes = "ab";
  OK(flx_objects_insert(realm, class, columns, 2, 2, NULL, &error));
  OK(flx_realm_commit_write(realm, &error));
  OK(flx_results_count(all_objects(realm), &count, &error));
  CHECK(count == 2);
}

static const misuse_case_t CASES[] = {
    {"sort keys and key paths at NULL are refused", sorting_by_nothing, NULL},
    {"classes and properties at NULL are refused", adding_no_classes, NULL},
    {"a configuration with classes at NULL is refused", opening_without_classes, NULL},
    {"query arguments at NULL are refused", querying_without_arguments, NULL},
    {"text at NULL with a size is refused", text_without_data, NULL},
    {"columns without memory are refused", reading_into_nothing, NULL},
    {"objects from columns at NULL or without memory are refused", inserting_from_nothing, NULL},
};

MISUSE_MAIN(CASES)
