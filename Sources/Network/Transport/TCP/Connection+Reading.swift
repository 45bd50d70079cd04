// SPDX-License-Identifier: Apache-2.0

import CLibuv
import FlexSyncScheduling

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension Connection {
  /// Stops reading, which slows the peer down. Data that has already arrived may still be delivered.
  public func pauseReading() {
    guard isReading else { return }
    isReading = false
    uv_read_stop(handle.pointer())
  }

  /// Resumes reading.
  public func resumeReading() {
    loop.assertInLoop()
    guard !isReading, state == .open || state == .finishing, !hasReceivedEnd else { return }
    isReading = true
    let code = uv_read_start(
      handle.pointer(),
      { handle, _, buffer in
        guard let connection = NativeHandle.owner(handle?.pointee.data, Connection.self) else { return }
        connection.acknowledgeQuickly()
        let memory = connection.loop.readBuffer
        buffer?.pointee = uv_buf_init(
          memory.baseAddress?.assumingMemoryBound(to: CChar.self),
          UInt32(memory.count)
        )
      },
      { stream, count, buffer in
        guard count != 0, let connection = NativeHandle.owner(stream?.pointee.data, Connection.self) else {
          return
        }
        connection.received(count, buffer?.pointee.base)
      }
    )
    if code != 0 { close(with: TransportError(code: code, action: "read from the connection")) }
  }

  /// Whether unread data, or the end of the stream, has arrived.
  var hasUnreadInput: Bool {
    guard descriptor >= 0 else { return false }
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, 0) > 0
  }

  func acknowledgeQuickly() {
    #if canImport(Glibc)
    guard options.acknowledgesQuickly, descriptor >= 0 else { return }
    var on: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_QUICKACK, &on, socklen_t(MemoryLayout<Int32>.size))
    #endif
  }

  func received(_ count: Int, _ base: UnsafeMutablePointer<CChar>?) {
    guard count > 0 else { return ended(Int32(truncatingIfNeeded: count)) }
    guard state == .open else { return }
    let bytes = UnsafeRawBufferPointer(start: base, count: count)
    if tls == nil {
      onRead?(bytes)
    } else {
      decrypt(bytes)
    }
  }

  func ended(_ status: Int32) {
    hasReceivedEnd = true
    guard status == UV_EOF.rawValue else {
      return close(with: TransportError(code: status, action: "read from the connection"))
    }
    switch state {
    case .finishing:
      isReading = false
      uv_read_stop(handle.pointer())
      closeIfFinished()
    case .open where tls?.isTruncatedByEnd == true:
      close(with: TransportError(.connectionLost, "the peer closed the connection without ending TLS"))
    default:
      close(with: nil)
    }
  }
}
