// SPDX-License-Identifier: Apache-2.0

/**
 * An error of the library. `code` names it and stays the same in later versions: "DISK_FULL", "QUERY_INVALID" … Those of
 * sync sessions, which error handlers get, are of the class `SyncError`.
 */
export class FlexSyncError extends Error {
  constructor(status, code, message, details = {}) {
    super(message);
    this.name = "FlexSyncError";
    /** The name of the status. */
    this.code = code;
    /** The number of the status. */
    this.status = status;
    /** A more specific number, or 0: from SQLite for files, HTTP for apps. */
    this.detail = details.detail ?? 0;
    /** The server's name for the error, such as "AuthProviderNotFound"; empty if there is none. */
    this.serverCode = details.serverCode ?? "";
    /** The URL of the server's log; empty if the server gives none. */
    this.logUrl = details.logUrl ?? "";
  }
}

/** An error of a sync session. */
export class SyncError extends FlexSyncError {
  constructor(status, code, message, details = {}) {
    super(status, code, message, details);
    this.name = "SyncError";
    /** Whether the session has ended and will not resume by itself. */
    this.isFatal = details.isFatal ?? false;
    /**
     * For a client reset, the path to which the file is backed up before it is deleted. For INVALID_SESSION, the path of the
     * file, which stays, with what was not uploaded: `readOnly`, without `sync`, opens it.
     */
    this.recoveryPath = details.recoveryPath ?? "";
  }
}

/** Tells which writes the server has reverted. They are kept in `realm.rejectedWrites`. */
export class CompensatingWriteError extends SyncError {
  constructor(status, code, message, details = {}) {
    super(status, code, message, details);
    this.name = "CompensatingWriteError";
    /** The writes, each with `objectName`, `primaryKey` and `reason`. */
    this.writes = details.writes ?? [];
  }
}

/** Makes an error; the library's C layer calls it. */
export function errorWith(status, code, message, detail, serverCode, logUrl) {
  return new FlexSyncError(status, code, message, { detail, serverCode, logUrl });
}
