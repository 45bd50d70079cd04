// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Where a connection ends: right after that message of all that one side sends over WebSocket connections.
struct Cut {
  enum Sender: CaseIterable {
    case server
    case client
  }

  let number: Int
  let sender: Sender

  init(after number: Int, from sender: Sender) {
    self.number = number
    self.sender = sender
  }
}

/// Stands between clients and a server and cuts one connection, once.
final class CuttingProxy: SyncAddress, @unchecked Sendable {
  let url: String
  private let server: sockaddr_in
  private let cut: Cut?
  private let listener: Int32
  private let lock = NSLock()
  private var messageCount = 0

  init(to server: SyncServer, _ cut: Cut?) throws {
    let port = server.address.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
    self.server = CuttingProxy.address(port: port)
    self.cut = cut
    let listener = CuttingProxy.makeSocket()
    var own = CuttingProxy.address(port: 0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &own) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, size) == 0 && listen(listener, 16) == 0
          && getsockname(listener, address, &size) == 0
      }
    }
    guard isListening else { throw InteropError("the proxy cannot listen") }
    self.listener = listener
    url = "http://127.0.0.1:\(UInt16(bigEndian: own.sin_port))"
    inBackground { [weak self] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0, let self else { return }
        self.connect(client)
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  /// Whether as many messages came as were to come before the cut.
  var hasCut: Bool { lock.withLock { cut.map { messageCount >= $0.number } ?? false } }

  // MARK: Connections

  private func connect(_ client: Int32) {
    let upstream = CuttingProxy.makeSocket()
    var address = server
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Foundation.connect(upstream, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    let pair = SocketPair(client, upstream)
    guard isConnected else { return pair.end() }
    inBackground { self.forward(from: client, to: upstream, pair, .client) }
    inBackground { self.forward(from: upstream, to: client, pair, .server) }
  }

  private func forward(from source: Int32, to target: Int32, _ pair: SocketPair, _ sender: Cut.Sender) {
    defer { pair.end() }
    var splitter = WebSocketSplitter()
    var chunk = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = read(source, &chunk, chunk.count)
      guard count > 0 else { return }
      for part in splitter.take(chunk[..<count]) {
        guard send(part.bytes, to: target) else { return }
        if part.isMessage, isLast(sender) { return }
      }
    }
  }

  /// Counts a message, and tells whether the connection ends after it.
  private func isLast(_ sender: Cut.Sender) -> Bool {
    lock.withLock {
      guard let cut, cut.sender == sender else { return false }
      messageCount += 1
      return messageCount == cut.number
    }
  }

  private func send(_ bytes: [UInt8], to target: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(target, $0.baseAddress, $0.count) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private func inBackground(_ work: @escaping @Sendable () -> Void) {
    Thread.detachNewThread(work)
  }

  // MARK: Sockets

  private static func makeSocket() -> Int32 {
    #if canImport(Darwin)
    socket(AF_INET, SOCK_STREAM, 0)
    #else
    socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    #endif
  }

  private static func address(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return address
  }
}

/// The two sockets of a connection, which end together; both threads that use them close them, the last one at last.
private final class SocketPair: @unchecked Sendable {
  private let sockets: [Int32]

  init(_ first: Int32, _ second: Int32) { sockets = [first, second] }

  deinit { for socket in sockets { close(socket) } }

  func end() { for socket in sockets { shutdown(socket, Int32(SHUT_RDWR)) } }
}
