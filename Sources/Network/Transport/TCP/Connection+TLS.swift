// SPDX-License-Identifier: Apache-2.0

extension Connection {
  func advanceHandshake() {
    guard let tls, !tls.isSecured else { return }
    do {
      let isSecured = try tls.handshake()
      tls.takeOutput { send($0) }
      if isSecured {
        onSecured?()
        scheduleFlush()
      }
    } catch {
      tls.takeOutput { send($0) }
      close(with: error)
    }
  }

  func decrypt(_ bytes: UnsafeRawBufferPointer) {
    guard let tls else { return }
    do {
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
      tls.takeOutput { send($0) }
    } catch {
      tls.takeOutput { send($0) }
      close(with: error)
    }
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
