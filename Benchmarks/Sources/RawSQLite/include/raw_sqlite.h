/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file The same work done with the C API of SQLite: what an app without sync would write, and the lower bound for
 * any database built on SQLite.
 *
 * The table has the columns and constraints of FlexSync's table for the class; page cache and write-ahead log are
 * configured identically. Functions that can fail return false and fill in the error.
 */
#ifndef RAW_SQLITE_H
#define RAW_SQLITE_H

#include "workload.h"

typedef struct raw_database raw_database_t;

/** Opens a new file. If `is_durable`, each commit is flushed to the device before it returns (synchronous=FULL). */
bool raw_open(const char *path, bool is_durable, raw_database_t **out_database, work_error_t *error);

/** Closes the file and checkpoints the write-ahead log into it. */
void raw_close(raw_database_t *database);

/** Inserts rows, `per_transaction` in each transaction. */
bool raw_insert(raw_database_t *database, const task_row_t *rows, size_t count, size_t per_transaction,
                work_error_t *error);

/** Reads one column of the rows numbered in `order`, looking each up by its id, in a single read transaction. */
bool raw_look_up(raw_database_t *database, const task_row_t *rows, const uint32_t *order, size_t count,
                 int64_t *out_minutes, work_error_t *error);

/** Reads three columns of all rows. */
bool raw_scan(raw_database_t *database, task_sums_t *out_sums, work_error_t *error);

/** Counts the open tasks of an assignee with more than `minutes` minutes. */
bool raw_count_matching(raw_database_t *database, const char *assignee, int64_t minutes, size_t *out_count,
                        work_error_t *error);

/** The number of rows. */
bool raw_count(raw_database_t *database, size_t *out_count, work_error_t *error);

/** Deletes all rows one by one, in one transaction. */
bool raw_delete_each(raw_database_t *database, work_error_t *error);

/** Runs a statement without parameters, for example to create an index. */
bool raw_execute(raw_database_t *database, const char *sql, work_error_t *error);

/** Prepares a SELECT and counts its rows; `out_sum` is the sum of their first column. */
bool raw_query(raw_database_t *database, const char *sql, size_t *out_count, int64_t *out_sum, work_error_t *error);

/** Prepares a statement `times` times without running it. */
bool raw_prepare(raw_database_t *database, const char *sql, size_t times, work_error_t *error);

/** The version of SQLite. */
const char *raw_version(void);

#endif
