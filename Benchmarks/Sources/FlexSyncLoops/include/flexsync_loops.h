/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file The benchmark loops over flexsync.h, written in C so that only the library is measured.
 *
 * Functions that can fail return false and fill in the error.
 */
#ifndef FLEXSYNC_LOOPS_H
#define FLEXSYNC_LOOPS_H

#include <flexsync.h>
#include <workload.h>

/** An open realm with the keys of its class Task and of the properties of that class. */
typedef struct task_realm {
  flx_realm_t *realm;
  flx_class_key_t task;
  flx_property_key_t id, name, assignee, completed, minutes, due;
} task_realm_t;

/** The class Task of Examples/TaskTracker. Static memory. */
const flx_class_info_t *task_class(void);

/** The class Task with an index on the assignee. Static memory. */
const flx_class_info_t *task_class_with_index(void);

/** Looks up the keys of the class and its properties. */
bool task_realm_bind(flx_realm_t *realm, task_realm_t *out_realm, work_error_t *error);

/** Inserts rows, `per_transaction` in each transaction. */
bool task_realm_insert(const task_realm_t *realm, const task_row_t *rows, size_t count, size_t per_transaction,
                       work_error_t *error);

/** Rows as columns. */
typedef struct task_columns task_columns_t;

/** Copies rows into columns. The caller frees them with `task_columns_free`. */
task_columns_t *task_columns_create(const task_row_t *rows, size_t count);

void task_columns_free(task_columns_t *columns);

/** Inserts the rows of columns in one transaction. */
bool task_realm_insert_columns(const task_realm_t *realm, const task_columns_t *columns, work_error_t *error);

/** Reads one property of the objects numbered in `order`, looking each up by its primary key. */
bool task_realm_look_up(const task_realm_t *realm, const task_row_t *rows, const uint32_t *order, size_t count,
                        int64_t *out_minutes, work_error_t *error);

/** Reads three properties of all objects. */
bool task_realm_scan(const task_realm_t *realm, task_sums_t *out_sums, work_error_t *error);

/** The same, in batches of 1024 objects. */
bool task_realm_scan_batches(const task_realm_t *realm, task_sums_t *out_sums, work_error_t *error);

/** Counts the open tasks of an assignee with more than `minutes` minutes, using a query created for this call. */
bool task_realm_count_matching(const task_realm_t *realm, const char *assignee, int64_t minutes, size_t *out_count,
                               work_error_t *error);

/** Counts the objects that match a query created for this call. */
bool task_realm_query_count(const task_realm_t *realm, const char *query, size_t *out_count, work_error_t *error);

/** Counts the objects that match a query created for this call, reads each one and adds up their minutes. */
bool task_realm_query_read(const task_realm_t *realm, const char *query, size_t *out_count, int64_t *out_minutes,
                           work_error_t *error);

/** Deletes all objects in one transaction. */
bool task_realm_delete_all(const task_realm_t *realm, work_error_t *error);

/** Parses a query text `times` times. */
bool parse_query(const char *query, size_t times, work_error_t *error);

/** The number of objects. */
bool task_realm_count(const task_realm_t *realm, size_t *out_count, work_error_t *error);

/** Whether an object with the id of `row` exists. */
bool task_realm_contains(const task_realm_t *realm, const task_row_t *row, bool *out_found, work_error_t *error);

#endif
