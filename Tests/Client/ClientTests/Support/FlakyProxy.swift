// SPDX-License-Identifier: Apache-2.0

import FlexSyncTransport
import Synchronization

/// A TCP proxy before a server that cuts connections, on a thread of its own.
final class FlakyProxy: @unchecked Sendable {
  private struct State {
    /// After how many bytes of either direction the connections are cut, one after the other; then none is.
    var budgets: [Int] = []
    var cuts = 0
  }

  private(set) var url = ""
  private let target: Endpoint
  private let loop: EventLoop
  private let state = Mutex(State())
  /// Confined to the loop.
  private var links: [ObjectIdentifier: Link] = [:]

  /// How many connections were cut for their budget.
  var cuts: Int { state.withLock { $0.cuts } }

  init(before server: SyncServer) throws {
    loop = try EventLoop()
    target = Endpoint(host: "127.0.0.1", port: server.port)
    let listener = try Listener(loop: loop, endpoint: Endpoint(host: "127.0.0.1", port: 0)) {
      [weak self] connection in
      self?.accept(connection)
    }
    url = "http://\(listener.endpoint)"
    try loop.start()
  }

  deinit { loop.stop() }

  /// Cuts the next connections after so many bytes each.
  func cut(after budgets: [Int]) { state.withLock { $0.budgets = budgets } }

  /// Cuts all connections that are open now.
  func cutAll() {
    loop.execute { [self] in
      for link in Array(links.values) { link.close() }
    }
  }

  private func accept(_ connection: Connection) {
    let budget = state.withLock { state in state.budgets.isEmpty ? nil : state.budgets.removeFirst() }
    let link = Link(connection, budget: budget)
    links[ObjectIdentifier(link)] = link
    link.onEnd = { [weak self, unowned link] isCut in
      self?.links[ObjectIdentifier(link)] = nil
      if isCut { self?.state.withLock { $0.cuts += 1 } }
    }
    Connection.connect(loop: loop, to: target) { [weak link] result in
      guard case .success(let upstream) = result, let link else { return connection.close() }
      link.join(upstream)
    }
  }

  /// One connection and its other half.
  private final class Link {
    var onEnd: ((Bool) -> Void)?
    private let client: Connection
    private var upstream: Connection?
    private var budget: Int?
    private var isOver = false

    init(_ client: Connection, budget: Int?) {
      self.client = client
      self.budget = budget
    }

    func join(_ upstream: Connection) {
      self.upstream = upstream
      for (from, to) in [(client, upstream), (upstream, client)] {
        from.onRead = { [weak self, weak to] bytes in
          guard let self, let to else { return }
          pass(bytes, to)
        }
        from.onClose = { [weak self] _ in self?.close() }
        from.start()
      }
    }

    func close() { end(isCut: false) }

    private func pass(_ bytes: UnsafeRawBufferPointer, _ target: Connection) {
      guard let budget else { return target.write(bytes) }
      let passed = min(budget, bytes.count)
      target.write(UnsafeRawBufferPointer(rebasing: bytes[..<passed]))
      self.budget = budget - passed
      if passed < bytes.count || self.budget == 0 { end(isCut: true) }
    }

    private func end(isCut: Bool) {
      guard !isOver else { return }
      isOver = true
      client.closeAfterFlushing()
      upstream?.closeAfterFlushing()
      onEnd?(isCut)
    }
  }
}
