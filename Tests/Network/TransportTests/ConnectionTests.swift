// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling
import FlexSyncTransport
import Testing

@Suite("TCP connections")
struct ConnectionTests {
  private func connectError(_ endpoint: Endpoint, timeoutMilliseconds: UInt64 = 5_000) throws
    -> TransportError
  {
    try onLoop { scenario in
      Connection.connect(loop: scenario.loop, to: endpoint, timeoutMilliseconds: timeoutMilliseconds) {
        result in
        switch result {
        case .success: Issue.record("connected to \(endpoint)")
        case .failure(let error): scenario.finish(error)
        }
      }
    }
  }

  @Test("An address in use is named in the error")
  func addressInUse() throws {
    let error: TransportError = try onLoop { scenario in
      let first = try Listener(loop: scenario.loop, endpoint: .anyLocal) { _ in }
      do throws(TransportError) {
        _ = try Listener(loop: scenario.loop, endpoint: first.endpoint) { _ in }
      } catch {
        #expect(error.description.contains("\(first.endpoint)"))
        scenario.finish(error)
      }
    }
    #expect(error.kind == .addressInUse)
    #expect(error.description.contains("in use"))
  }

  @Test("Addresses that are not this machine's, or malformed, are errors")
  func invalidAddresses() throws {
    let kind: TransportError.Kind = try onLoop { scenario in
      do throws(TransportError) {
        _ = try Listener(loop: scenario.loop, endpoint: Endpoint(host: "192.0.2.1", port: 0)) { _ in }
      } catch {
        scenario.finish(error.kind)
      }
    }
    #expect(kind == .invalidAddress)
    for text in ["", "localhost", "1.2.3.4:x", "1.2.3.4:65536", "::1:80", "a b:80", "h:+80", "h:"] {
      #expect(throws: TransportError.self) { try Endpoint(parsing: text) }
    }
    let error = #expect(throws: TransportError.self) { try Endpoint(parsing: "127.0.0.1:99999") }
    #expect(error?.description.contains("\"99999\" is not a port") == true)
    #expect(try Endpoint(parsing: "[::1]:80") == Endpoint(host: "::1", port: 80))
    #expect(try Endpoint(parsing: "[::1]:80").description == "[::1]:80")
    #expect(try Endpoint(parsing: ":80") == Endpoint(host: "", port: 80))
    #expect(try Endpoint(parsing: "*:80") == Endpoint(host: "", port: 80))
  }

  @Test("Refused connections say so")
  func refused() throws {
    // The port was free a moment ago, and is again.
    let free: Endpoint = try onLoop { scenario in
      scenario.finish(try Listener(loop: scenario.loop, endpoint: .anyLocal) { _ in }.endpoint)
    }
    let error = try connectError(free)
    #expect(error.kind == .connectionRefused)
    #expect(error.description.contains("\(free)"))
  }

  @Test("A name that does not resolve says so")
  func unknownName() throws {
    let error = try connectError(Endpoint(host: "no-such-host.invalid", port: 80))
    #expect(error.kind == .nameNotFound || error.kind == .timedOut)
  }

  @Test("A name is resolved, and IPv6 works where the system has it")
  func names() throws {
    for (host, target) in [
      ("localhost", "127.0.0.1"), ("localhost", "localhost"), ("::1", "::1"), ("", "localhost"),
    ] {
      let text: String = try onLoop { scenario in
        let listener: Listener
        do {
          listener = try Listener(loop: scenario.loop, endpoint: Endpoint(host: host, port: 0)) {
            connection in
            connection.onRead = { scenario.finish($0.text) }
            connection.start()
          }
        } catch {
          return scenario.finish(host == "::1" ? "hello" : "\(error)")
        }
        RawClient(scenario.loop, Endpoint(host: target, port: listener.endpoint.port), "hello")
      }
      #expect(text == "hello")
    }
  }

  @Test("A peer that never answers the TLS handshake times out")
  func timeout() throws {
    let error: TransportError = try onLoop { scenario in
      let listener = try Listener(loop: scenario.loop, endpoint: .anyLocal) { $0.start() }
      Connection.connect(
        loop: scenario.loop,
        to: listener.endpoint,
        tls: try TLSContext.client(),
        timeoutMilliseconds: 50
      ) { result in
        if case .failure(let error) = result { scenario.finish(error) }
      }
    }
    #expect(error.kind == .timedOut)
  }

  @Test("A cancelled attempt never completes")
  func cancellation() throws {
    let completed: Bool = try onLoop { scenario in
      var completed = false
      let listener = try Listener(loop: scenario.loop, endpoint: .anyLocal) { $0.start() }
      Connection.connect(loop: scenario.loop, to: listener.endpoint) { _ in completed = true }.cancel()
      _ = scenario.loop.schedule(afterMilliseconds: 30) { scenario.finish(completed) }
    }
    #expect(!completed)
  }

  @Test("What is written in one turn arrives together")
  func coalescing() throws {
    let reads: Int = try onLoop { scenario in
      let listener = try Listener(loop: scenario.loop, endpoint: .anyLocal) { connection in
        connection.start()
        for number in 0..<1000 { connection.write([UInt8(truncatingIfNeeded: number)]) }
      }
      let client = RawClient(scenario.loop, listener.endpoint, pieces: [])
      client.onChange = { client in
        if client.received.count == 1000 { scenario.finish(client.reads) }
      }
    }
    #expect(reads == 1)
  }

  @Test("Megabytes arrive unchanged, and the writer is told when to stop and to go on")
  func backpressure() throws {
    struct Result {
      var bytes = 0
      var isIntact = true
      var wasUnwritable = false
      var resumptions = 0
    }
    let pattern = (0..<100_003).map { UInt8(truncatingIfNeeded: $0 / 7) }
    let total = pattern.count * 120
    let result: Result = try onLoop { scenario in
      var result = Result()
      let listener = try Listener(loop: scenario.loop, endpoint: .anyLocal) { connection in
        var written = 0
        func fill() {
          while written < total, connection.isWritable {
            connection.write(pattern)
            written += pattern.count
          }
          if !connection.isWritable { result.wasUnwritable = true }
        }
        connection.onWritable = {
          result.resumptions += 1
          fill()
        }
        connection.start()
        fill()
      }
      Connection.connect(loop: scenario.loop, to: listener.endpoint) { outcome in
        guard case .success(let connection) = outcome else { return }
        connection.onRead = { bytes in
          var rest = bytes
          while !rest.isEmpty {
            let expected = pattern[(result.bytes % pattern.count)...].prefix(rest.count)
            result.isIntact = result.isIntact && Array(rest.prefix(expected.count)) == Array(expected)
            result.bytes += expected.count
            rest = UnsafeRawBufferPointer(rebasing: rest[expected.count...])
          }
          if result.bytes == total { scenario.finish(result) }
        }
        connection.start()
      }
    }
    #expect(result.bytes == total)
    #expect(result.isIntact)
    #expect(result.wasUnwritable)
    #expect(result.resumptions > 0)
  }

  @Test("A peer that does not read is dropped at the limit")
  func outputLimit() throws {
    let error: TransportError? = try onLoop { scenario in
      var options = ConnectionOptions()
      options.maximumQueuedBytes = 1_000_000
      let listener = try Listener(loop: scenario.loop, endpoint: .anyLocal, options: options) { connection in
        connection.onClose = { scenario.finish($0) }
        connection.start()
        _ = scenario.loop.scheduleRepeatedly(everyMilliseconds: 1) {
          connection.write([UInt8](repeating: 0, count: 500_000))
        }
      }
      Connection.connect(loop: scenario.loop, to: listener.endpoint) { outcome in
        guard case .success(let connection) = outcome else { return }
        connection.start()
        connection.pauseReading()
      }
    }
    #expect(error?.kind == .tooLarge)
  }

  @Test("A connection that closes after flushing delivers everything, though the peer is still sending")
  func closeAfterFlushing() throws {
    let count: Int = try onLoop { scenario in
      let listener = try Listener(loop: scenario.loop, endpoint: .anyLocal) { connection in
        connection.start()
        connection.write([UInt8](repeating: 1, count: 3_000_000))
        connection.closeAfterFlushing()
      }
      let client = RawClient(
        scenario.loop,
        listener.endpoint,
        pieces: [[UInt8]](repeating: [UInt8](repeating: 2, count: 100_000), count: 5)
      )
      client.onClose = { _ in scenario.finish(client.received.count) }
    }
    #expect(count == 3_000_000)
  }

  @Test("A reset peer is a lost connection, not the end of the process")
  func reset() throws {
    let error: TransportError? = try onLoop { scenario in
      let listener = try Listener(loop: scenario.loop, endpoint: .anyLocal) { connection in
        connection.onClose = { scenario.finish($0) }
        connection.start()
        connection.pauseReading()
        _ = scenario.loop.scheduleRepeatedly(everyMilliseconds: 1) {
          connection.write([UInt8](repeating: 0, count: 100_000))
        }
      }
      Connection.connect(loop: scenario.loop, to: listener.endpoint) { outcome in
        guard case .success(let connection) = outcome else { return }
        connection.start()
        connection.pauseReading()
        // To close with unread input makes the system send a reset.
        _ = scenario.loop.schedule(afterMilliseconds: 20) { connection.close() }
      }
    }
    #expect(error?.kind == .connectionLost)
  }

  @Test("Five hundred connections echo at the same time")
  func manyConnections() throws {
    let count = 500
    let finished: Int = try onLoop { scenario in
      var finished = 0
      var options = ConnectionOptions()
      options.acknowledgesQuickly = true
      let listener = try Listener(loop: scenario.loop, endpoint: .anyLocal, options: options) { connection in
        connection.onRead = { connection.write($0) }
        connection.start()
      }
      for number in 0..<count {
        let client = RawClient(scenario.loop, listener.endpoint, "message \(number)")
        client.onChange = { client in
          guard client.text == "message \(number)" else { return }
          client.onChange = nil
          client.close()
          finished += 1
          if finished == count { scenario.finish(finished) }
        }
      }
    }
    #expect(finished == count)
  }
}
