// SPDX-License-Identifier: Apache-2.0

import CLibuv
import FlexSyncScheduling

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A connection that is moving from one loop to another. It is closed if no loop takes it.
///
/// It can be sent to another thread although it is mutable: the old loop has released everything in it, and only the
/// closure posted to the new loop holds it.
final class DetachedConnection: @unchecked Sendable {
  private var descriptor: Int32
  private let options: ConnectionOptions
  private let tls: TLSSession?
  private let share: AddressCounts.Share?

  fileprivate init(
    descriptor: Int32,
    options: ConnectionOptions,
    tls: TLSSession?,
    share: AddressCounts.Share?
  ) {
    self.descriptor = descriptor
    self.options = options
    self.tls = tls
    self.share = share
  }

  deinit {
    if descriptor >= 0 { _ = close(descriptor) }
  }

  /// Continues the connection on a loop. Call it on the loop's thread. Reading starts immediately, so the owner must
  /// set handlers in the same turn.
  /// - Returns: The connection, or nil if the loop is stopping or cannot take it.
  func attach(to loop: EventLoop) -> Connection? {
    loop.assertInLoop()
    guard !loop.isStopping, descriptor >= 0 else { return nil }
    let connection = Connection(loop: loop, options: options)
    guard uv_tcp_open(connection.handle.pointer(), descriptor) == 0 else {
      connection.close()
      return nil
    }
    descriptor = -1
    connection.tls = tls
    connection.share = share
    connection.start()
    return connection
  }
}

extension Connection {
  /// Removes the connection from its loop, so that another loop can continue it. None of its handlers or callbacks
  /// may be running, so call it at the end of a turn.
  /// - Returns: The detached connection, or nil if the peer has disconnected or is not reading the data sent to it;
  ///   the connection is then closed.
  func detach() -> DetachedConnection? {
    loop.assertInLoop()
    sendOutgoing()
    guard state == .open, tls?.isSecured != false, uv_stream_get_write_queue_size(handle.pointer()) == 0
    else {
      close(with: nil)
      return nil
    }
    // The handle closes its own descriptor before the copy is used.
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else {
      close(
        with: TransportError(.system, "a connection cannot be moved: \(String(cString: strerror(errno)))")
      )
      return nil
    }
    let detached = DetachedConnection(descriptor: copy, options: options, tls: tls, share: share)
    tls = nil
    share = nil
    close(with: nil)
    return detached
  }
}
