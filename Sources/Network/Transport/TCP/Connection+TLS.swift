// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling

extension Connection {
  func advanceHandshake() {
    guard let tls, !tls.isSecured else { return }
    sendOutput(of: tls) { () throws(TransportError) in try tls.handshake() }
    guard tls.isSecured else { return }
    onSecured?()
    scheduleFlush()
  }

  func decrypt(_ bytes: UnsafeRawBufferPointer) {
    guard let tls else { return }
    sendOutput(of: tls) { () throws(TransportError) in
      var rest = bytes
      while !rest.isEmpty, state == .open {
        rest = tls.receive(rest)
        if !tls.isSecured { advanceHandshake() }
        guard tls.isSecured else { continue }
        let ended = try tls.read(into: loop.plaintextBuffer) { plaintext in
          onRead?(plaintext)
          return state == .open
        }
        if ended, state == .open { close(with: nil) }
      }
    }
  }

  /// Runs `body` and sends what TLS has to say about it. If it fails, the connection closes after that.
  private func sendOutput(of tls: TLSSession, _ body: () throws(TransportError) -> Void) {
    var failure: TransportError?
    do { try body() } catch { failure = error }
    tls.takeOutput { send($0) }
    if let failure { close(with: failure) }
  }

  func encrypt(_ bytes: UnsafeRawBufferPointer) {
    guard let tls else { return }
    do {
      try tls.write(bytes) { send($0) }
    } catch {
      close(with: error)
    }
  }
}
