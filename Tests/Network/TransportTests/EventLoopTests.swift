// SPDX-License-Identifier: Apache-2.0

import CLibuv
import FlexSyncTestSupport
import Synchronization
import Testing

@testable import FlexSyncScheduling
@testable import FlexSyncTransport

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Numbers that several threads have posted.
private final class Record: Sendable {
  private let state = Mutex<[[Int]]>(Array(repeating: [], count: 4))

  var numbers: [[Int]] { state.withLock { $0 } }

  func append(_ number: Int, of thread: Int) { state.withLock { $0[thread].append(number) } }
}

@Suite("Event loop")
struct EventLoopTests {
  @Test("Work posted from many threads runs on the loop, in the order of each thread")
  func execution() async throws {
    let loop = try EventLoop()
    try loop.start()
    let record = Record()
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<4 {
        group.addTask {
          for number in 0..<1000 {
            loop.execute {
              loop.assertInLoop()
              record.append(number, of: thread)
            }
          }
        }
      }
    }
    loop.stop()
    loop.join()
    #expect(record.numbers == Array(repeating: Array(0..<1000), count: 4))
    #expect(loop.execute {} == false)
  }

  @Test("Timers fire in order of time, may be moved, and not after they were cancelled")
  func timers() throws {
    let fired: [String] = try onLoop { scenario in
      let loop = scenario.loop
      var fired: [String] = []
      _ = loop.schedule(afterMilliseconds: 40) { scenario.finish(fired) }
      _ = loop.schedule(afterMilliseconds: 20) { fired.append("second") }
      _ = loop.schedule(afterMilliseconds: 5) { fired.append("first") }
      loop.schedule(afterMilliseconds: 5) { fired.append("cancelled") }.cancel()
      loop.schedule(afterMilliseconds: 1) { fired.append("moved") }.reschedule(afterMilliseconds: 30)
    }
    #expect(fired == ["first", "second", "moved"])
  }

  @Test("A repeated timer fires until it is cancelled, also by itself")
  func repeatedTimer() throws {
    let count: Int = try onLoop { scenario in
      var count = 0
      var timer: TimerHandle?
      timer = scenario.loop.scheduleRepeatedly(everyMilliseconds: 1) {
        count += 1
        guard count == 3 else { return }
        timer?.cancel()
        _ = scenario.loop.schedule(afterMilliseconds: 10) { scenario.finish(count) }
      }
    }
    #expect(count == 3)
  }

  @Test("What is due at the end of a turn runs once after all input of the turn")
  func endOfTurn() throws {
    let commits: [Int] = try onLoop { scenario in
      let loop = scenario.loop
      var gathered = 0
      var commits: [Int] = []
      let gather = LoopBound(
        {
          gathered += 1
          guard gathered == 1 else { return }
          loop.atEndOfTurn {
            commits.append(gathered)
            scenario.finish(commits)
          }
        },
        loop: loop
      )
      for _ in 0..<5 { loop.execute { gather.value() } }
    }
    #expect(commits == [5])
  }

  @Test("A stopped loop closes what lives on it and tells the owners")
  func stopping() throws {
    let loop = try EventLoop()
    var closed: [TransportError?] = []
    let listener = try Listener(loop: loop, endpoint: .anyLocal) { connection in
      connection.onClose = { closed.append($0) }
      connection.start()
      loop.stop()
    }
    Connection.connect(loop: loop, to: listener.endpoint) { result in
      guard case .success(let connection) = result else { return }
      connection.onClose = { closed.append($0) }
      connection.start()
    }
    loop.run()
    #expect(closed.count == 2)
    #expect(closed.allSatisfy { $0?.kind == .cancelled })
  }

  @Test("What an owner begins while the loop stops ends with an error, not with silence")
  func beginningWhileStopping() throws {
    let loop = try EventLoop()
    var outcomes: [TransportError.Kind?] = []
    let listener = try Listener(loop: loop, endpoint: .anyLocal) { $0.start() }
    let url = try WebURL(parsing: "http://\(listener.endpoint)")
    Connection.connect(loop: loop, to: listener.endpoint) { result in
      guard case .success(let connection) = result else { return }
      connection.onClose = { _ in
        _ = loop.schedule(afterMilliseconds: 1) { outcomes.append(nil) }
        #expect(throws: TransportError.loopStopped) { try Listener(loop: loop, endpoint: .anyLocal) { _ in } }
        Connection.connect(loop: loop, to: listener.endpoint) { result in
          if case .failure(let error) = result { outcomes.append(error.kind) }
        }
        HTTPClient(loop: loop).send(HTTPClientRequest(method: "GET", url: url)) { result in
          if case .failure(let error) = result { outcomes.append(error.kind) }
        }
      }
      connection.start()
      loop.stop()
    }
    loop.run()
    #expect(outcomes == [.cancelled, .cancelled])
  }

  @Test("A loop can be stopped before it ran")
  func stoppedEarly() throws {
    let loop = try EventLoop()
    loop.stop()
    loop.run()
    #expect(loop.execute {} == false)
  }

  @Test("Blocking work runs elsewhere and completes on the loop")
  func blockingWork() throws {
    let result: Bool = try onLoop { scenario in
      let loop = scenario.loop
      loop.performBlocking({ !loop.isInLoop }, completion: { scenario.finish($0 && loop.isInLoop) })
    }
    #expect(result)
  }

  @Test("A signal is delivered on the loop")
  func signals() throws {
    let got: Bool = try onLoop { scenario in
      _ = try scenario.loop.onSignal(.hangup) { scenario.finish(scenario.loop.isInLoop) }
      kill(getpid(), SIGHUP)
    }
    #expect(got)
  }

  @Test("Writes to a watched file are noticed on the loop")
  func watchedFile() throws {
    let folder = TemporaryFolder()
    let path = folder.file("watched")
    let descriptor = open(path, O_RDWR | O_CREAT, 0o600)
    defer { close(descriptor) }
    let got: Bool = try onLoop { scenario in
      _ = try scenario.loop.watchFile(path) { scenario.finish(scenario.loop.isInLoop) }
      pwrite(descriptor, "x", 1, 4096)
    }
    #expect(got)
  }

  @Test("A file that is not there cannot be watched")
  func missingFile() throws {
    let isRefused: Bool = try onLoop { scenario in
      do {
        _ = try scenario.loop.watchFile("/nowhere/at/all") {}
        scenario.finish(false)
      } catch {
        scenario.finish(true)
      }
    }
    #expect(isRefused)
  }
}

@Suite("Hosting of an event loop")
struct HostingTests {
  /// Sends a message through a connection on `loop` and calls back when it came.
  private func exchange(on loop: EventLoop, _ done: @escaping (String) -> Void) throws {
    let listener = try Listener(loop: loop, endpoint: .anyLocal) { connection in
      connection.onRead = { done($0.text) }
      connection.start()
    }
    RawClient(loop, listener.endpoint, "hello")
  }

  @Test("It lives on the loop of a host program, and leaves it intact")
  func hostLoop() throws {
    let host = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
    defer { host.deallocate() }
    uv_loop_init(host)
    let loop = try EventLoop(hostLoop: host)
    var received = ""
    try exchange(on: loop) {
      received = $0
      loop.stop()
    }
    uv_run(host, UV_RUN_DEFAULT)
    #expect(received == "hello")
    #expect(uv_loop_close(host) == 0)
  }

  @Test("It is driven by a host that polls a descriptor")
  func polling() throws {
    let loop = try EventLoop()
    var received = ""
    try exchange(on: loop) {
      received = $0
      loop.stop()
    }
    while loop.runPending() {
      var descriptor = pollfd(fd: loop.pollDescriptor, events: Int16(POLLIN), revents: 0)
      poll(&descriptor, 1, loop.pollTimeoutMilliseconds)
    }
    #expect(received == "hello")
    #expect(loop.runPending() == false)
  }
}
