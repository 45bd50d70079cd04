/* SPDX-License-Identifier: Apache-2.0 */
#include "raw_sqlite.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

struct raw_database {
  sqlite3 *handle;
  sqlite3_stmt *begin, *begin_write, *commit, *insert, *look_up, *scan, *count_matching, *count;
};

static const char *SETTINGS =
    "PRAGMA journal_mode=WAL; PRAGMA temp_store=MEMORY; PRAGMA cache_size=-16384; PRAGMA journal_size_limit=67108864;"
    "CREATE TABLE Task (row INTEGER PRIMARY KEY, _id BLOB UNIQUE NOT NULL, taskName TEXT NOT NULL DEFAULT '',"
    " assignee TEXT, completed INTEGER NOT NULL DEFAULT 0, progressMinutes INTEGER NOT NULL DEFAULT 0,"
    " dueDate INTEGER NOT NULL DEFAULT 0, dueDate_ns INTEGER NOT NULL DEFAULT 0)";

static bool fail(sqlite3 *handle, const char *what, work_error_t *error) {
  snprintf(error->message, sizeof error->message, "SQLite cannot %s: %s", what, sqlite3_errmsg(handle));
  return false;
}

static bool prepare(raw_database_t *database, const char *sql, sqlite3_stmt **out_statement) {
  return sqlite3_prepare_v3(database->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, out_statement, NULL) == SQLITE_OK;
}

static bool run(sqlite3_stmt *statement) {
  int result = sqlite3_step(statement);
  sqlite3_reset(statement);
  return result == SQLITE_DONE;
}

static bool prepare_all(raw_database_t *database) {
  return prepare(database, "BEGIN", &database->begin) && prepare(database, "BEGIN IMMEDIATE", &database->begin_write) &&
         prepare(database, "COMMIT", &database->commit) &&
         prepare(database,
                 "INSERT INTO Task (_id, taskName, assignee, completed, progressMinutes, dueDate, dueDate_ns)"
                 " VALUES (?, ?, ?, ?, ?, ?, ?)",
                 &database->insert) &&
         prepare(database, "SELECT progressMinutes FROM Task WHERE _id = ?", &database->look_up) &&
         prepare(database, "SELECT taskName, completed, progressMinutes FROM Task ORDER BY row", &database->scan) &&
         prepare(database,
                 "SELECT count(*) FROM Task WHERE completed = 0 AND progressMinutes > ? AND assignee = ?",
                 &database->count_matching) &&
         prepare(database, "SELECT count(*) FROM Task", &database->count);
}

bool raw_open(const char *path, bool is_durable, raw_database_t **out_database, work_error_t *error) {
  raw_database_t *database = calloc(1, sizeof *database);
  if (!database) {
    snprintf(error->message, sizeof error->message, "Memory is exhausted.");
    return false;
  }
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  const char *synchronous = is_durable ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL";
  if (sqlite3_open_v2(path, &database->handle, flags, NULL) != SQLITE_OK ||
      sqlite3_exec(database->handle, synchronous, NULL, NULL, NULL) != SQLITE_OK ||
      sqlite3_exec(database->handle, SETTINGS, NULL, NULL, NULL) != SQLITE_OK || !prepare_all(database)) {
    fail(database->handle, "open the file", error);
    raw_close(database);
    return false;
  }
  *out_database = database;
  return true;
}

void raw_close(raw_database_t *database) {
  sqlite3_stmt *statements[] = {database->begin,   database->begin_write, database->commit,         database->insert,
                                database->look_up, database->scan,        database->count_matching, database->count};
  for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) sqlite3_finalize(statements[i]);
  sqlite3_close(database->handle);
  free(database);
}

static bool insert_row(sqlite3_stmt *insert, const task_row_t *row) {
  sqlite3_bind_blob(insert, 1, row->id, sizeof row->id, SQLITE_STATIC);
  sqlite3_bind_text(insert, 2, row->name, (int)row->name_size, SQLITE_STATIC);
  if (row->assignee_size)
    sqlite3_bind_text(insert, 3, row->assignee, (int)row->assignee_size, SQLITE_STATIC);
  else
    sqlite3_bind_null(insert, 3);
  sqlite3_bind_int(insert, 4, row->is_completed);
  sqlite3_bind_int64(insert, 5, row->progress_minutes);
  sqlite3_bind_int64(insert, 6, row->due_seconds);
  sqlite3_bind_int(insert, 7, row->due_nanoseconds);
  return run(insert);
}

bool raw_insert(raw_database_t *database, const task_row_t *rows, size_t count, size_t per_transaction,
                work_error_t *error) {
  for (size_t first = 0; first < count; first += per_transaction) {
    size_t end = first + per_transaction < count ? first + per_transaction : count;
    if (!run(database->begin_write)) return fail(database->handle, "begin a transaction", error);
    for (size_t i = first; i < end; i++)
      if (!insert_row(database->insert, &rows[i])) return fail(database->handle, "insert a row", error);
    if (!run(database->commit)) return fail(database->handle, "commit", error);
  }
  return true;
}

bool raw_look_up(raw_database_t *database, const task_row_t *rows, const uint32_t *order, size_t count,
                 int64_t *out_minutes, work_error_t *error) {
  int64_t minutes = 0;
  if (!run(database->begin)) return fail(database->handle, "begin a transaction", error);
  for (size_t i = 0; i < count; i++) {
    sqlite3_bind_blob(database->look_up, 1, rows[order[i]].id, sizeof rows->id, SQLITE_STATIC);
    if (sqlite3_step(database->look_up) != SQLITE_ROW) return fail(database->handle, "find a row", error);
    minutes += sqlite3_column_int64(database->look_up, 0);
    sqlite3_reset(database->look_up);
  }
  if (!run(database->commit)) return fail(database->handle, "end a transaction", error);
  *out_minutes = minutes;
  return true;
}

bool raw_scan(raw_database_t *database, task_sums_t *out_sums, work_error_t *error) {
  task_sums_t sums = {0};
  int result;
  while ((result = sqlite3_step(database->scan)) == SQLITE_ROW) {
    sums.count++;
    /* Fetches the text as well, as a real reader would. */
    if (sqlite3_column_text(database->scan, 0)) sums.name_bytes += (uint64_t)sqlite3_column_bytes(database->scan, 0);
    sums.completed += (uint64_t)sqlite3_column_int(database->scan, 1);
    sums.progress_minutes += sqlite3_column_int64(database->scan, 2);
  }
  sqlite3_reset(database->scan);
  if (result != SQLITE_DONE) return fail(database->handle, "read the rows", error);
  *out_sums = sums;
  return true;
}

static bool read_count(raw_database_t *database, sqlite3_stmt *statement, size_t *out_count, work_error_t *error) {
  if (sqlite3_step(statement) != SQLITE_ROW) return fail(database->handle, "count rows", error);
  *out_count = (size_t)sqlite3_column_int64(statement, 0);
  sqlite3_reset(statement);
  return true;
}

bool raw_count_matching(raw_database_t *database, const char *assignee, int64_t minutes, size_t *out_count,
                        work_error_t *error) {
  sqlite3_bind_int64(database->count_matching, 1, minutes);
  sqlite3_bind_text(database->count_matching, 2, assignee, -1, SQLITE_TRANSIENT);
  return read_count(database, database->count_matching, out_count, error);
}

bool raw_count(raw_database_t *database, size_t *out_count, work_error_t *error) {
  return read_count(database, database->count, out_count, error);
}

bool raw_delete_each(raw_database_t *database, work_error_t *error) {
  sqlite3_stmt *rows, *deletion;
  if (!run(database->begin_write) ||
      sqlite3_prepare_v2(database->handle, "SELECT row FROM Task ORDER BY row", -1, &rows, NULL) != SQLITE_OK ||
      sqlite3_prepare_v2(database->handle, "DELETE FROM Task WHERE row = ?1", -1, &deletion, NULL) != SQLITE_OK)
    return fail(database->handle, "prepare to delete rows", error);
  bool is_deleted = true;
  while (is_deleted && sqlite3_step(rows) == SQLITE_ROW) {
    sqlite3_bind_int64(deletion, 1, sqlite3_column_int64(rows, 0));
    is_deleted = run(deletion);
  }
  sqlite3_finalize(rows);
  sqlite3_finalize(deletion);
  return (is_deleted && run(database->commit)) || fail(database->handle, "delete rows", error);
}

bool raw_execute(raw_database_t *database, const char *sql, work_error_t *error) {
  if (sqlite3_exec(database->handle, sql, NULL, NULL, NULL) == SQLITE_OK) return true;
  return fail(database->handle, sql, error);
}

bool raw_query(raw_database_t *database, const char *sql, size_t *out_count, int64_t *out_sum, work_error_t *error) {
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v2(database->handle, sql, -1, &statement, NULL) != SQLITE_OK)
    return fail(database->handle, "prepare a query", error);
  size_t count = 0;
  int64_t sum = 0;
  int result;
  while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
    count++;
    sum += sqlite3_column_int64(statement, 0);
  }
  sqlite3_finalize(statement);
  if (result != SQLITE_DONE) return fail(database->handle, "run a query", error);
  *out_count = count;
  *out_sum = sum;
  return true;
}

bool raw_prepare(raw_database_t *database, const char *sql, size_t times, work_error_t *error) {
  for (size_t i = 0; i < times; i++) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(database->handle, sql, -1, &statement, NULL) != SQLITE_OK)
      return fail(database->handle, "prepare a query", error);
    sqlite3_finalize(statement);
  }
  return true;
}

const char *raw_version(void) { return sqlite3_libversion(); }
