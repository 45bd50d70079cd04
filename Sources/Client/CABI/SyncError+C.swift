// SPDX-License-Identifier: Apache-2.0

import CFlexSync

extension SyncError {
  func report(
    _ session: SyncSession,
    to callback: flx_sync_error_callback_t,
    _ userdata: Userdata
  ) {
    Handle.lend(session, to: "flx_sync_error_callback_t") { session in
      withCError { error in userdata.lend { callback($0, session, error) } }
    }
  }

  /// Lends the error to C for the duration of `body`.
  func withCError(_ body: (In<flx_sync_error_t>) -> Void) {
    var texts = TextArena()
    let writes = compensatingWrites.map { write in
      var structure = flx_compensating_write_t()
      structure.class_name = texts.copy(write.className)
      structure.primary_key = write.primaryKey.lent(&texts)
      structure.reason = texts.copy(write.reason)
      return structure
    }
    writes.withUnsafeBufferPointer { writes in
      var error = flx_sync_error_t()
      error.status = flx_status_t(status)
      error.protocol_code = protocolCode
      error.is_fatal = isFatal
      error.message = texts.copy(message)
      error.server_log_url = texts.copy(serverLogURL)
      error.compensating_writes = writes.baseAddress
      error.compensating_write_count = writes.count
      error.recovery_path = texts.copy(recoveryPath)
      body(&error)
    }
    texts.removeAll()
  }
}

extension TextArena {
  fileprivate mutating func copy(_ text: String) -> flx_string_t {
    var text = text
    return text.withUTF8 { copy(UnsafeRawBufferPointer($0)) }
  }
}
