/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that no sensible program passes: each ends in a status, or is as good as the nearest possible one. */
#include "misuse.h"

static void huge_timeouts(void) {
  flx_app_config_t config = app_config();
  config.request_timeout_ms = UINT64_MAX;
  config.connect_timeout_ms = UINT64_MAX;
  flx_app_t *app = NULL;
  OK(flx_app_create(&config, &app, &error));
  EXPECT(FLX_STATUS_CONNECTION_FAILED,
         flx_app_register_email_blocking(app, FLX_STRING("a@b.c"), FLX_STRING("password"), &error));
  SAYS("cannot reach the server");
  flx_app_release(app);
}

static void *write_later(void *path) {
  flx_realm_t *realm = open_realm(path);
  create_object(realm, 1);
  OK(flx_realm_commit_write(realm, &error));
  return NULL;
}

static void huge_wait_for_a_change(void) {
  flx_realm_t *realm = open_realm("a.realm");
  pthread_t writer;
  pthread_create(&writer, NULL, write_later, "a.realm");
  bool has_changed = false;
  OK(flx_realm_wait_for_change(realm, UINT64_MAX, &has_changed, &error));
  CHECK(has_changed);
  pthread_join(writer, NULL);
}

static const size_t SIZES[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2, SIZE_MAX / 2 + 1, SIZE_MAX / 16, SIZE_MAX / 16 + 1};
#define SIZE_COUNT (sizeof SIZES / sizeof *SIZES)

static void huge_indexes(void) {
  flx_realm_t *realm = open_realm("a.realm");
  flx_object_t *object = create_object(realm, 1);
  flx_list_t *list = NULL;
  OK(flx_object_get_list(object, property_key(realm, "tags"), &list, &error));
  flx_value_t value = {.type = FLX_TYPE_STRING, .string = FLX_STRING("x")};
  OK(flx_list_insert(list, 0, &value, &error));
  flx_results_t *results = all_objects(realm);
  flx_object_t *found = NULL;
  flx_class_info_t info;
  for (size_t i = 0; i < SIZE_COUNT; i++) {
    EXPECT(FLX_STATUS_INDEX_OUT_OF_BOUNDS, flx_list_get(list, SIZES[i], &value, &error));
    EXPECT(FLX_STATUS_INDEX_OUT_OF_BOUNDS, flx_list_set(list, SIZES[i], &value, &error));
    EXPECT(FLX_STATUS_INDEX_OUT_OF_BOUNDS, flx_list_insert(list, SIZES[i], &value, &error));
    EXPECT(FLX_STATUS_INDEX_OUT_OF_BOUNDS, flx_list_erase(list, SIZES[i], &error));
    EXPECT(FLX_STATUS_INDEX_OUT_OF_BOUNDS, flx_list_move(list, 0, SIZES[i], &error));
    EXPECT(FLX_STATUS_INDEX_OUT_OF_BOUNDS, flx_list_move(list, SIZES[i], 0, &error));
    EXPECT(FLX_STATUS_INDEX_OUT_OF_BOUNDS, flx_results_get_object(results, SIZES[i], &found, &error));
    CHECK(!strstr(error.message, "-"));
    EXPECT(FLX_STATUS_INDEX_OUT_OF_BOUNDS, flx_realm_class_at(realm, SIZES[i], &info, &error));
  }
}

static void huge_limits(void) {
  flx_realm_t *realm = open_realm("a.realm");
  create_object(realm, 1);
  flx_results_t *results = all_objects(realm), *limited = NULL;
  size_t count = 0;
  for (size_t i = 0; i < SIZE_COUNT; i++) {
    if (SIZES[i] > SIZE_MAX / 2) {
      EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_results_limit(results, SIZES[i], &limited, &error));
    } else {
      OK(flx_results_limit(results, SIZES[i], &limited, &error));
      OK(flx_results_count(limited, &count, &error));
      CHECK(count == 1);
    }
  }
}

static void huge_counts_and_sizes(void) {
  flx_realm_t *realm = open_realm("a.realm");
  flx_object_t *object = create_object(realm, 1);
  flx_results_t *results = all_objects(realm), *derived = NULL;
  flx_sort_key_t key = {.key_path = FLX_STRING("name")};
  flx_string_t path = FLX_STRING("name");
  flx_class_info_t info = {.name = FLX_STRING("Other")};
  flx_query_argument_t argument = {0};
  for (size_t i = 0; i < 4; i++) {
    EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_results_sort(results, &key, SIZES[i], &derived, &error));
    EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_results_distinct(results, &path, SIZES[i], &derived, &error));
    EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_realm_add_classes(realm, &info, SIZES[i], &error));
    EXPECT(FLX_STATUS_INVALID_ARGUMENT,
           flx_results_filter(results, FLX_STRING("done == $0"), &argument, SIZES[i], &derived, &error));
    argument = (flx_query_argument_t){.count = SIZES[i], .is_list = true};
    EXPECT(FLX_STATUS_INVALID_ARGUMENT,
           flx_results_filter(results, FLX_STRING("done IN $0"), &argument, 1, &derived, &error));
  }
  flx_string_t huge = {.data = "x", .size = SIZE_MAX};
  flx_value_t value = {.type = FLX_TYPE_STRING, .string = huge};
  EXPECT(FLX_STATUS_VALUE_TOO_LARGE, flx_object_set(object, property_key(realm, "name"), &value, &error));
  EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_realm_find_class(realm, huge, &info, &error));
  flx_object_id_t id;
  CHECK(!flx_object_id_parse(huge, &id));
}

static void extreme_values(void) {
  flx_realm_t *realm = open_realm("a.realm");
  flx_object_t *object = create_object(realm, INT64_MIN);
  flx_property_key_t done = property_key(realm, "done"), at = property_key(realm, "at");
  flx_value_t value = integer(INT64_MAX);
  OK(flx_object_set(object, done, &value, &error));
  OK(flx_object_add_integer(object, done, INT64_MAX, &error));
  OK(flx_object_add_integer(object, done, INT64_MIN, &error));
  int64_t seconds[] = {INT64_MIN, INT64_MAX, INT64_MIN + 1, 1LL << 62, -(1LL << 62)};
  flx_results_t *results = all_objects(realm), *found = NULL;
  size_t count = 0;
  for (size_t i = 0; i < 5; i++) {
    flx_timestamp_t time = {.seconds = seconds[i], .nanoseconds = seconds[i] < 0 ? -999999999 : 999999999};
    value = (flx_value_t){.type = FLX_TYPE_TIMESTAMP, .timestamp = time};
    OK(flx_object_set(object, at, &value, &error));
    flx_query_argument_t argument = {.values = &value, .count = 1};
    OK(flx_results_filter(results, FLX_STRING("at == $0 AND at >= $0 AND NOT at > $0"), &argument, 1, &found, &error));
    OK(flx_results_count(found, &count, &error));
    CHECK(count == 1);
    CHECK(flx_results_predicate(found).size > 0);
    OK(flx_results_aggregate(results, FLX_AGGREGATE_MAX, at, &value, &error));
    flx_results_release(found);
  }
  value.type = FLX_TYPE_TIMESTAMP;
  value.timestamp = (flx_timestamp_t){.seconds = 0, .nanoseconds = INT32_MIN};
  EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_object_set(object, at, &value, &error));
  value.type = (flx_type_t)77;
  EXPECT(FLX_STATUS_TYPE_MISMATCH, flx_object_set(object, at, &value, &error));
  flx_link_t nowhere = {.row = INT64_MIN, .target_class = class_key(realm)};
  flx_object_t *linked = object;
  OK(flx_object_get_linked(realm, nowhere, &linked, &error));
  CHECK(linked == NULL);
  OK(flx_realm_commit_write(realm, &error));
}

/* Any 128 bits are a decimal for C. */
static void any_decimals(void) {
  uint64_t state = 88172645463325252u;
  flx_decimal_t last = {0};
  for (int i = 0; i < 1000; i++) {
    flx_decimal_t decimal;
    uint64_t *words[] = {&decimal.high, &decimal.low};
    for (int word = 0; word < 2; word++) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      *words[word] = i % 7 == 0 ? state | 0x7800000000000000u : i % 5 == 0 ? ~(state & 0xff) : state;
    }
    char words_of[FLX_DECIMAL_TEXT_SIZE + 1];
    words_of[FLX_DECIMAL_TEXT_SIZE] = '!';
    flx_decimal_format(decimal, words_of);
    CHECK(strlen(words_of) < FLX_DECIMAL_TEXT_SIZE && words_of[FLX_DECIMAL_TEXT_SIZE] == '!');
    (void)flx_decimal_compare(decimal, last);
    (void)flx_decimal_add(decimal, last);
    (void)flx_decimal_subtract(decimal, last);
    (void)flx_decimal_multiply(decimal, last);
    (void)flx_decimal_divide(decimal, last);
    last = decimal;
  }
}

static void unknown_constants(void) {
  flx_app_config_t config = app_config();
  flx_app_t *app = NULL;
  config.loop_mode = (flx_loop_mode_t)9;
  EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_app_create(&config, &app, &error));
  config.loop_mode = FLX_LOOP_OWN_THREAD;
  OK(flx_app_create(&config, &app, &error));
  CHECK(flx_app_get_user_at(app, SIZE_MAX) == NULL);
  flx_credentials_t credentials = {.kind = (flx_credentials_kind_t)99};
  flx_user_t *user = NULL;
  EXPECT(FLX_STATUS_INVALID_ARGUMENT, flx_app_log_in_blocking(app, &credentials, &user, &error));
  flx_realm_t *realm = open_realm("a.realm");
  flx_value_t value;
  EXPECT(FLX_STATUS_INVALID_ARGUMENT,
         flx_results_aggregate(all_objects(realm), (flx_aggregate_t)-1, property_key(realm, "done"), &value, &error));
  flx_object_t *object = create_object(realm, 1);
  EXPECT(FLX_STATUS_NO_SUCH_PROPERTY, flx_object_get(object, UINT32_MAX, &value, &error));
  EXPECT(FLX_STATUS_NO_SUCH_CLASS, flx_object_find(realm, UINT32_MAX, &value, &object, &error));
  CHECK(strcmp(flx_status_name((flx_status_t)-5), "UNKNOWN") == 0);
}

static const misuse_case_t CASES[] = {
    {"timeouts of 2^64-1 ms are for ever", huge_timeouts, NULL},
    {"waiting for a change for 2^64-1 ms waits", huge_wait_for_a_change, NULL},
    {"huge indexes are out of bounds", huge_indexes, NULL},
    {"huge limits are refused or limit nothing", huge_limits, NULL},
    {"huge counts and sizes are refused", huge_counts_and_sizes, NULL},
    {"extreme values are stored and found", extreme_values, NULL},
    {"any bits are a decimal", any_decimals, NULL},
    {"unknown constants are refused", unknown_constants, NULL},
};

MISUSE_MAIN(CASES)
