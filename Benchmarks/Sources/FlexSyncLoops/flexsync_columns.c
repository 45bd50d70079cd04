/* SPDX-License-Identifier: Apache-2.0 */
#include "flexsync_loops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct task_columns {
  size_t count;
  flx_object_id_t *ids;
  int64_t *name_offsets, *assignee_offsets;
  char *names, *assignees;
  uint8_t *has_assignee;
  bool *completed;
  int64_t *minutes;
  flx_timestamp_t *due;
};

task_columns_t *task_columns_create(const task_row_t *rows, size_t count) {
  task_columns_t *columns = calloc(1, sizeof *columns);
  columns->count = count;
  columns->ids = calloc(count, sizeof *columns->ids);
  columns->name_offsets = calloc(count + 1, sizeof *columns->name_offsets);
  columns->assignee_offsets = calloc(count + 1, sizeof *columns->assignee_offsets);
  columns->names = malloc(count * sizeof rows->name);
  columns->assignees = malloc(count * sizeof rows->assignee);
  columns->has_assignee = calloc(count, sizeof *columns->has_assignee);
  columns->completed = calloc(count, sizeof *columns->completed);
  columns->minutes = calloc(count, sizeof *columns->minutes);
  columns->due = calloc(count, sizeof *columns->due);
  for (size_t i = 0; i < count; i++) {
    const task_row_t *row = &rows[i];
    int64_t name = columns->name_offsets[i], assignee = columns->assignee_offsets[i];
    memcpy(columns->ids[i].bytes, row->id, sizeof row->id);
    memcpy(columns->names + name, row->name, row->name_size);
    memcpy(columns->assignees + assignee, row->assignee, row->assignee_size);
    columns->name_offsets[i + 1] = name + (int64_t)row->name_size;
    columns->assignee_offsets[i + 1] = assignee + (int64_t)row->assignee_size;
    columns->has_assignee[i] = row->assignee_size > 0;
    columns->completed[i] = row->is_completed;
    columns->minutes[i] = row->progress_minutes;
    columns->due[i] = (flx_timestamp_t){row->due_seconds, row->due_nanoseconds};
  }
  return columns;
}

void task_columns_free(task_columns_t *columns) {
  free(columns->ids);
  free(columns->name_offsets);
  free(columns->assignee_offsets);
  free(columns->names);
  free(columns->assignees);
  free(columns->has_assignee);
  free(columns->completed);
  free(columns->minutes);
  free(columns->due);
  free(columns);
}

static flx_column_t column(flx_property_key_t property, flx_type_t type, void *values) {
  return (flx_column_t){.struct_size = sizeof(flx_column_t), .property = property, .type = type, .values = values};
}

static flx_column_t text_column(flx_property_key_t property, int64_t *offsets, char *text, size_t count) {
  flx_column_t made = column(property, FLX_TYPE_STRING, NULL);
  made.offsets = offsets;
  made.bytes = text;
  made.byte_capacity = (size_t)offsets[count];
  return made;
}

bool task_realm_insert_columns(const task_realm_t *realm, const task_columns_t *columns, work_error_t *error) {
  flx_error_t flx_error;
  flx_column_t properties[] = {
      column(realm->id, FLX_TYPE_OBJECT_ID, columns->ids),
      text_column(realm->name, columns->name_offsets, columns->names, columns->count),
      text_column(realm->assignee, columns->assignee_offsets, columns->assignees, columns->count),
      column(realm->completed, FLX_TYPE_BOOL, columns->completed),
      column(realm->minutes, FLX_TYPE_INT, columns->minutes),
      column(realm->due, FLX_TYPE_TIMESTAMP, columns->due),
  };
  properties[2].validity = columns->has_assignee;
  if (!flx_realm_begin_write(realm->realm, &flx_error) &&
      !flx_objects_insert(realm->realm, realm->task, properties, sizeof properties / sizeof *properties, columns->count,
                          NULL, &flx_error) &&
      !flx_realm_commit_write(realm->realm, &flx_error))
    return true;
  snprintf(error->message, sizeof error->message, "%s: %s", flx_status_name(flx_error.status), flx_error.message);
  return false;
}
