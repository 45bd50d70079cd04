// SPDX-License-Identifier: Apache-2.0
import { ConnectionState as Connection, Direction, SessionState as State, Status } from "./enumerations.js";
import { CompensatingWriteError, SyncError } from "./errors.js";
import { STATE, completed, namesOf, raw } from "./library.js";
import { Listeners } from "./observers.js";
import { milliseconds } from "./results.js";
import { fromNative } from "./values.js";

/** Whether a session syncs. */
export const SessionState = Object.freeze({
  /** Syncing, or trying to. */
  Active: "active",
  /** Paused, logged out, or ended by an error. */
  Inactive: "inactive",
  /** The realm is closed. */
  Invalid: "invalid",
});

/** Whether a session is connected to the server. */
export const ConnectionState = Object.freeze({ Disconnected: "disconnected", Connecting: "connecting", Connected: "connected" });

/** The direction of a transfer. */
export const ProgressDirection = Object.freeze({ Download: "download", Upload: "upload" });

/** How long progress is reported. */
export const ProgressMode = Object.freeze({
  /** Also of later transfers. */
  ReportIndefinitely: "reportIndefinitely",
  /** Until what is outstanding now is done. */
  ForCurrentlyOutstandingWork: "forCurrentlyOutstandingWork",
});

const STATES = { [State.ACTIVE]: SessionState.Active, [State.INACTIVE]: SessionState.Inactive, [State.CLOSED]: SessionState.Invalid };
const CONNECTIONS = namesOf(Connection, (name) => name.toLowerCase());
const DIRECTIONS = { [ProgressDirection.Download]: Direction.DOWNLOAD, [ProgressDirection.Upload]: Direction.UPLOAD };
const STATUS_NAMES = namesOf(Status);

/** The sync session of a realm: `realm.syncSession`. It ends when the realm is closed. */
export class SyncSession {
  constructor(realm, handle) {
    Object.defineProperty(this, STATE, { value: { realm, handle, listeners: new Listeners(realm) } });
  }

  /** The configuration of the realm's sync. */
  get config() {
    return this[STATE].realm._configuration.given.sync;
  }

  /** The user whose data is synced. */
  get user() {
    return this.config.user;
  }

  /** One of `SessionState`. */
  get state() {
    return this[STATE].realm.isClosed ? SessionState.Invalid : STATES[raw.flx_session_get_state(this[STATE].handle)];
  }

  /** One of `ConnectionState`: of this process's connection, which only the sync agent has. */
  get connectionState() {
    return this[STATE].realm.isClosed ? ConnectionState.Disconnected : CONNECTIONS[raw.flx_session_get_connection_state(this[STATE].handle)];
  }

  isConnected() {
    return this.connectionState === ConnectionState.Connected;
  }

  /**
   * Whether this process is the sync agent of the realm: of the processes that have it open, the one that connects to the
   * server, for all of them. If it closes the realm, pauses its session or ends, another process becomes the sync agent.
   */
  get isSyncAgent() {
    return !this[STATE].realm.isClosed && raw.flx_session_is_sync_agent(this[STATE].handle);
  }

  /**
   * Stops syncing in this process. What is written meanwhile is kept, and uploaded after `resume`. If other processes have the
   * realm open, one of them syncs it meanwhile.
   */
  pause() {
    raw.flx_session_suspend(this[STATE].handle);
  }

  /** Continues syncing. */
  resume() {
    raw.flx_session_resume(this[STATE].handle);
  }

  /** Connects now instead of waiting for the next attempt. */
  reconnect() {
    raw.flx_session_reconnect(this[STATE].handle);
  }

  /**
   * Waits until everything that was written before is on the server.
   *
   * It rejects with SESSION_INACTIVE, SESSION_FAILED or TIMED_OUT.
   * @param {number} [timeout] in ms.
   */
  async uploadAllLocalChanges(timeout) {
    await this.#wait(Direction.UPLOAD, timeout);
  }

  /** Waits until everything that the server has now is on the device, and shows it in the realm. As `uploadAllLocalChanges`. */
  async downloadAllServerChanges(timeout) {
    await this.#wait(Direction.DOWNLOAD, timeout);
    this[STATE].realm._refreshIfOpen();
  }

  #wait(direction, timeout) {
    const { realm, handle } = this[STATE];
    return realm._during(completed((completion) => raw.flx_session_wait(handle, direction, milliseconds(timeout), completion)));
  }

  /** Calls a function with the new and the old connection state whenever it changes. */
  addConnectionNotification(callback) {
    this[STATE].listeners.add(callback, () => raw.flx_session_observe_connection(this[STATE].handle,
      (old, now) => callback(CONNECTIONS[now], CONNECTIONS[old])));
  }

  removeConnectionNotification(callback) {
    this[STATE].listeners.remove(callback);
  }

  /**
   * Calls a function with the progress of transfers: the bytes that were transferred, those that there are to transfer, and
   * an estimate from 0 to 1.
   * @param {string} direction one of `ProgressDirection`.
   * @param {string} mode one of `ProgressMode`.
   */
  addProgressNotification(direction, mode, callback) {
    const isOutstanding = mode === ProgressMode.ForCurrentlyOutstandingWork;
    this[STATE].listeners.add(callback, () => raw.flx_session_observe_progress(this[STATE].handle, DIRECTIONS[direction], isOutstanding,
      (progress) => callback(progress.transferred_bytes, progress.transferrable_bytes, progress.estimate)));
  }

  removeProgressNotification(callback) {
    this[STATE].listeners.remove(callback);
  }
}

/** The error of a session for the program. */
export function syncErrorOf(error) {
  const details = {
    detail: error.protocol_code, isFatal: error.is_fatal, logUrl: error.server_log_url, recoveryPath: error.recovery_path,
    writes: error.compensating_writes.map((one) => ({
      objectName: one.class_name, primaryKey: fromNative(one.primary_key), reason: one.reason,
    })),
  };
  const Kind = error.status === Status.WRITE_REJECTED ? CompensatingWriteError : SyncError;
  return new Kind(error.status, STATUS_NAMES[error.status] ?? "UNKNOWN", error.message, details);
}
