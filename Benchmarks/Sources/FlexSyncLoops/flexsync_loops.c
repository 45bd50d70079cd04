/* SPDX-License-Identifier: Apache-2.0 */
#include "flexsync_loops.h"

#include <stdio.h>
#include <string.h>

static const flx_property_info_t PROPERTIES[] = {
    {.name = {"_id", 3}, .type = FLX_TYPE_OBJECT_ID, .is_primary_key = true},
    {.name = {"taskName", 8}, .type = FLX_TYPE_STRING},
    {.name = {"assignee", 8}, .type = FLX_TYPE_STRING, .is_nullable = true},
    {.name = {"completed", 9}, .type = FLX_TYPE_BOOL},
    {.name = {"progressMinutes", 15}, .type = FLX_TYPE_INT},
    {.name = {"dueDate", 7}, .type = FLX_TYPE_TIMESTAMP},
};
static const flx_class_info_t TASK = {
    .name = {"Task", 4}, .properties = PROPERTIES, .property_count = sizeof PROPERTIES / sizeof *PROPERTIES};

static const flx_property_info_t INDEXED_PROPERTIES[] = {
    {.name = {"_id", 3}, .type = FLX_TYPE_OBJECT_ID, .is_primary_key = true},
    {.name = {"taskName", 8}, .type = FLX_TYPE_STRING},
    {.name = {"assignee", 8}, .type = FLX_TYPE_STRING, .is_nullable = true, .is_indexed = true},
    {.name = {"completed", 9}, .type = FLX_TYPE_BOOL},
    {.name = {"progressMinutes", 15}, .type = FLX_TYPE_INT},
    {.name = {"dueDate", 7}, .type = FLX_TYPE_TIMESTAMP},
};
static const flx_class_info_t INDEXED_TASK = {.name = {"Task", 4},
                                              .properties = INDEXED_PROPERTIES,
                                              .property_count = sizeof PROPERTIES / sizeof *PROPERTIES};

const flx_class_info_t *task_class(void) { return &TASK; }

const flx_class_info_t *task_class_with_index(void) { return &INDEXED_TASK; }

static bool fail(const flx_error_t *flx_error, work_error_t *error) {
  snprintf(error->message, sizeof error->message, "%s: %s", flx_status_name(flx_error->status), flx_error->message);
  return false;
}

static bool find_property(flx_realm_t *realm, flx_class_key_t task, const char *name, flx_property_key_t *out_key,
                          flx_error_t *error) {
  flx_property_info_t info;
  if (flx_realm_find_property(realm, task, (flx_string_t){name, strlen(name)}, &info, error)) return false;
  *out_key = info.key;
  return true;
}

bool task_realm_bind(flx_realm_t *realm, task_realm_t *out_realm, work_error_t *error) {
  flx_error_t flx_error;
  flx_class_info_t info;
  if (flx_realm_find_class(realm, FLX_STRING("Task"), &info, &flx_error)) return fail(&flx_error, error);
  out_realm->realm = realm;
  out_realm->task = info.key;
  if (find_property(realm, info.key, "_id", &out_realm->id, &flx_error) &&
      find_property(realm, info.key, "taskName", &out_realm->name, &flx_error) &&
      find_property(realm, info.key, "assignee", &out_realm->assignee, &flx_error) &&
      find_property(realm, info.key, "completed", &out_realm->completed, &flx_error) &&
      find_property(realm, info.key, "progressMinutes", &out_realm->minutes, &flx_error) &&
      find_property(realm, info.key, "dueDate", &out_realm->due, &flx_error))
    return true;
  return fail(&flx_error, error);
}

/* ---- writing ---- */

static flx_value_t id_value(const task_row_t *row) {
  flx_value_t value = {.type = FLX_TYPE_OBJECT_ID};
  memcpy(value.object_id.bytes, row->id, sizeof row->id);
  return value;
}

static flx_value_t text_value(const char *text, size_t size) {
  return (flx_value_t){.type = FLX_TYPE_STRING, .string = {text, size}};
}

static bool set_properties(const task_realm_t *realm, flx_object_t *object, const task_row_t *row, flx_error_t *error) {
  flx_value_t name = text_value(row->name, row->name_size), assignee = text_value(row->assignee, row->assignee_size);
  flx_value_t completed = {.type = FLX_TYPE_BOOL, .boolean = row->is_completed};
  flx_value_t minutes = {.type = FLX_TYPE_INT, .integer = row->progress_minutes};
  flx_value_t due = {.type = FLX_TYPE_TIMESTAMP, .timestamp = {row->due_seconds, row->due_nanoseconds}};
  return !flx_object_set(object, realm->name, &name, error) &&
         (!row->assignee_size || !flx_object_set(object, realm->assignee, &assignee, error)) &&
         !flx_object_set(object, realm->completed, &completed, error) &&
         !flx_object_set(object, realm->minutes, &minutes, error) && !flx_object_set(object, realm->due, &due, error);
}

static bool insert_row(const task_realm_t *realm, const task_row_t *row, flx_error_t *error) {
  flx_value_t id = id_value(row);
  flx_object_t *object;
  if (flx_object_create(realm->realm, realm->task, &id, &object, error)) return false;
  bool is_set = set_properties(realm, object, row, error);
  flx_object_release(object);
  return is_set;
}

bool task_realm_insert(const task_realm_t *realm, const task_row_t *rows, size_t count, size_t per_transaction,
                       work_error_t *error) {
  flx_error_t flx_error;
  for (size_t first = 0; first < count; first += per_transaction) {
    size_t end = first + per_transaction < count ? first + per_transaction : count;
    if (flx_realm_begin_write(realm->realm, &flx_error)) return fail(&flx_error, error);
    for (size_t i = first; i < end; i++)
      if (!insert_row(realm, &rows[i], &flx_error)) return fail(&flx_error, error);
    if (flx_realm_commit_write(realm->realm, &flx_error)) return fail(&flx_error, error);
  }
  return true;
}

/* ---- reading ---- */

bool task_realm_look_up(const task_realm_t *realm, const task_row_t *rows, const uint32_t *order, size_t count,
                        int64_t *out_minutes, work_error_t *error) {
  flx_error_t flx_error;
  int64_t minutes = 0;
  for (size_t i = 0; i < count; i++) {
    flx_value_t id = id_value(&rows[order[i]]), value;
    flx_object_t *object;
    if (flx_object_find(realm->realm, realm->task, &id, &object, &flx_error)) return fail(&flx_error, error);
    if (!object) {
      snprintf(error->message, sizeof error->message, "An object that was inserted is not found.");
      return false;
    }
    flx_status_t status = flx_object_get(object, realm->minutes, &value, &flx_error);
    flx_object_release(object);
    if (status) return fail(&flx_error, error);
    minutes += value.integer;
  }
  *out_minutes = minutes;
  return true;
}

static bool add_to_sums(const task_realm_t *realm, flx_object_t *object, task_sums_t *sums, flx_error_t *error) {
  flx_value_t value;
  if (flx_object_get(object, realm->name, &value, error)) return false;
  sums->name_bytes += value.string.size;
  if (flx_object_get(object, realm->completed, &value, error)) return false;
  sums->completed += value.boolean;
  if (flx_object_get(object, realm->minutes, &value, error)) return false;
  sums->progress_minutes += value.integer;
  sums->count++;
  return true;
}

static bool scan_results(const task_realm_t *realm, flx_results_t *results, task_sums_t *sums, flx_error_t *error) {
  for (size_t i = 0;; i++) {
    flx_object_t *object;
    flx_status_t status = flx_results_get_object(results, i, &object, error);
    if (status) return status == FLX_STATUS_INDEX_OUT_OF_BOUNDS;
    bool is_read = add_to_sums(realm, object, sums, error);
    flx_object_release(object);
    if (!is_read) return false;
  }
  return true;
}

enum { BATCH_ROWS = 1024, BATCH_BYTES = 64 * 1024 };

/* The columns of one batch. */
typedef struct batch {
  int64_t offsets[BATCH_ROWS + 1];
  char names[BATCH_BYTES];
  bool completed[BATCH_ROWS];
  int64_t minutes[BATCH_ROWS];
} batch_t;

static void add_batch_to_sums(const batch_t *batch, size_t count, task_sums_t *sums) {
  sums->count += count;
  for (size_t i = 0; i < count; i++) {
    sums->name_bytes += (uint64_t)(batch->offsets[i + 1] - batch->offsets[i]);
    sums->completed += batch->completed[i];
    sums->progress_minutes += batch->minutes[i];
  }
}

static bool scan_batches(const task_realm_t *realm, flx_results_t *results, task_sums_t *sums, flx_error_t *error) {
  static batch_t batch;
  const flx_column_t columns[] = {
      {.struct_size = sizeof *columns,
       .property = realm->name,
       .type = FLX_TYPE_STRING,
       .offsets = batch.offsets,
       .bytes = batch.names,
       .byte_capacity = sizeof batch.names},
      {.struct_size = sizeof *columns, .property = realm->completed, .type = FLX_TYPE_BOOL, .values = batch.completed},
      {.struct_size = sizeof *columns, .property = realm->minutes, .type = FLX_TYPE_INT, .values = batch.minutes},
  };
  size_t count = 0;
  for (size_t index = 0;; index += count) {
    if (flx_results_read(results, index, BATCH_ROWS, columns, 3, &count, error)) return false;
    if (!count) return true;
    add_batch_to_sums(&batch, count, sums);
  }
}

static bool scan_all(const task_realm_t *realm,
                     bool (*scan)(const task_realm_t *, flx_results_t *, task_sums_t *, flx_error_t *),
                     task_sums_t *out_sums, work_error_t *error) {
  flx_error_t flx_error;
  flx_results_t *results;
  task_sums_t sums = {0};
  if (flx_results_create(realm->realm, realm->task, &results, &flx_error)) return fail(&flx_error, error);
  bool is_read = scan(realm, results, &sums, &flx_error);
  flx_results_release(results);
  if (!is_read) return fail(&flx_error, error);
  *out_sums = sums;
  return true;
}

bool task_realm_scan(const task_realm_t *realm, task_sums_t *out_sums, work_error_t *error) {
  return scan_all(realm, scan_results, out_sums, error);
}

bool task_realm_scan_batches(const task_realm_t *realm, task_sums_t *out_sums, work_error_t *error) {
  return scan_all(realm, scan_batches, out_sums, error);
}

bool task_realm_count_matching(const task_realm_t *realm, const char *assignee, int64_t minutes, size_t *out_count,
                               work_error_t *error) {
  flx_error_t flx_error;
  flx_results_t *all, *matching;
  flx_value_t values[] = {{.type = FLX_TYPE_INT, .integer = minutes}, text_value(assignee, strlen(assignee))};
  flx_query_argument_t arguments[] = {{.values = &values[0], .count = 1}, {.values = &values[1], .count = 1}};
  flx_string_t query = FLX_STRING("completed == false AND progressMinutes > $0 AND assignee == $1");
  if (flx_results_create(realm->realm, realm->task, &all, &flx_error)) return fail(&flx_error, error);
  flx_status_t status = flx_results_filter(all, query, arguments, 2, &matching, &flx_error);
  flx_results_release(all);
  if (status) return fail(&flx_error, error);
  status = flx_results_count(matching, out_count, &flx_error);
  flx_results_release(matching);
  return status ? fail(&flx_error, error) : true;
}

static bool find_results(const task_realm_t *realm, const char *query, flx_results_t **out_results, flx_error_t *error) {
  flx_results_t *all;
  if (flx_results_create(realm->realm, realm->task, &all, error)) return false;
  flx_status_t status = flx_results_filter(all, (flx_string_t){query, strlen(query)}, NULL, 0, out_results, error);
  flx_results_release(all);
  return status == FLX_STATUS_OK;
}

bool task_realm_query_count(const task_realm_t *realm, const char *query, size_t *out_count, work_error_t *error) {
  flx_error_t flx_error;
  flx_results_t *results;
  if (!find_results(realm, query, &results, &flx_error)) return fail(&flx_error, error);
  flx_status_t status = flx_results_count(results, out_count, &flx_error);
  flx_results_release(results);
  return status ? fail(&flx_error, error) : true;
}

bool task_realm_query_read(const task_realm_t *realm, const char *query, size_t *out_count, int64_t *out_minutes,
                           work_error_t *error) {
  flx_error_t flx_error;
  flx_results_t *results;
  if (!find_results(realm, query, &results, &flx_error)) return fail(&flx_error, error);
  flx_status_t status = FLX_STATUS_OK;
  *out_minutes = 0;
  for (*out_count = 0; !status; *out_count += 1) {
    flx_object_t *object;
    flx_value_t value;
    status = flx_results_get_object(results, *out_count, &object, &flx_error);
    if (status) break;
    status = flx_object_get(object, realm->minutes, &value, &flx_error);
    if (!status) *out_minutes += value.integer;
    flx_object_release(object);
  }
  flx_results_release(results);
  return status == FLX_STATUS_INDEX_OUT_OF_BOUNDS || fail(&flx_error, error);
}

bool task_realm_delete_all(const task_realm_t *realm, work_error_t *error) {
  flx_error_t flx_error;
  flx_results_t *results;
  if (flx_results_create(realm->realm, realm->task, &results, &flx_error)) return fail(&flx_error, error);
  bool is_deleted = !flx_realm_begin_write(realm->realm, &flx_error) &&
                    !flx_results_delete_all(results, &flx_error) && !flx_realm_commit_write(realm->realm, &flx_error);
  flx_results_release(results);
  return is_deleted || fail(&flx_error, error);
}

bool parse_query(const char *query, size_t times, work_error_t *error) {
  flx_error_t flx_error;
  flx_string_t text = {query, strlen(query)};
  for (size_t i = 0; i < times; i++)
    if (flx_query_parse(text, NULL, &flx_error)) return fail(&flx_error, error);
  return true;
}

bool task_realm_count(const task_realm_t *realm, size_t *out_count, work_error_t *error) {
  flx_error_t flx_error;
  flx_results_t *all;
  if (flx_results_create(realm->realm, realm->task, &all, &flx_error)) return fail(&flx_error, error);
  flx_status_t status = flx_results_count(all, out_count, &flx_error);
  flx_results_release(all);
  return status ? fail(&flx_error, error) : true;
}

bool task_realm_contains(const task_realm_t *realm, const task_row_t *row, bool *out_found, work_error_t *error) {
  flx_error_t flx_error;
  flx_object_t *object;
  flx_value_t id = id_value(row);
  if (flx_object_find(realm->realm, realm->task, &id, &object, &flx_error)) return fail(&flx_error, error);
  *out_found = object != NULL;
  flx_object_release(object);
  return true;
}
