#pragma once
#include <sqlite3.h>

// sqlite3_db_config is variadic, which Swift cannot call.
static inline int flx_sqlite_db_config_flag(sqlite3 *database, int option, int value) {
  int result = 0;
  return sqlite3_db_config(database, option, value, &result);
}

// Syncs the write-ahead log with all commits that it holds, of any connection. It is opened by the first read.
static inline int flx_sqlite_sync_log(sqlite3 *database) {
  sqlite3_file *log = 0;
  int result = sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
  if (result != SQLITE_OK) return result;
  return log && log->pMethods ? log->pMethods->xSync(log, SQLITE_SYNC_NORMAL) : SQLITE_OK;
}

// Whether statements that are prepared from now on compute equal constants once. SQLite looks for equal ones by comparing
// each constant with all before it. Without the test interface, in which SQLite has the switch, nothing changes.
static inline void flx_sqlite_share_constants(sqlite3 *database, int shares) {
  const int factor_out_constants = 8;
  sqlite3_test_control(SQLITE_TESTCTRL_OPTIMIZATIONS, database, shares ? 0 : factor_out_constants);
}
