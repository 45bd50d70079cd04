// SPDX-License-Identifier: Apache-2.0

import FlexSyncTransport
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The event loop of an app, in the mode that the program chose (Docs/Architecture.md). Any thread.
final class Runtime: Sendable {
  /// The party that runs the loop.
  enum Hosting: Sendable {
    /// The library, on a separate thread.
    case ownThread
    /// The program, which owns the `uv_loop_t`.
    case host
    /// The program, by calling `pump()`.
    case poll
  }

  /// The longest that a blocked caller sleeps in poll mode, because another thread may have processed what it waits
  /// for.
  private static let pollSlice: Int32 = 50

  /// The loop on which networking and sync run.
  let loop: EventLoop
  let hosting: Hosting
  /// The address of the program's loop, or 0.
  let hostLoop: UInt
  /// In poll mode: the thread that is currently pumping, or 0. It is not a lock, because the program's callbacks
  /// run in between.
  private let pumpingThread = Atomic<UInt>(0)

  /// - Parameter hostLoop: the `uv_loop_t *` for `.host`; the caller must be on its thread.
  /// - Throws: `TransportError` if the system has no descriptors or threads left.
  init(hosting: Hosting, hostLoop: UnsafeMutableRawPointer? = nil) throws {
    self.hosting = hosting
    self.hostLoop = UInt(bitPattern: hostLoop)
    if let hostLoop {
      loop = try EventLoop(hostLoop: hostLoop)
    } else {
      loop = try EventLoop()
    }
    if hosting == .ownThread {
      try loop.start()
      // The thread is never joined, because the last reference to an app may be dropped in one of its own
      // callbacks.
      loop.execute { pthread_detach(pthread_self()) }
      ExitGuard.watch(loop)
    }
  }

  deinit {
    loop.stop()
    guard hosting == .poll else { return }
    // The program no longer pumps, so close what is still open here.
    while loop.runPending() { sleepUntilDue(loop.pollTimeoutMilliseconds) }
  }

  /// Whether the caller is in a callback of the loop, where it must not wait for the loop.
  var isInCallback: Bool {
    switch hosting {
    case .ownThread, .host: loop.isInLoop
    case .poll: pumpingThread.load(ordering: .relaxed) == CurrentThread.number
    }
  }

  /// In poll mode: processes what is due, without blocking; does nothing while another thread is doing so.
  /// - Returns: the time until the next timer in ms, or -1.
  /// - Throws: `CoreError` INVALID_ARGUMENT if called in a callback of the loop.
  func pump() throws -> Int32 {
    guard !isInCallback else {
      throw CoreError.invalidArgument("the loop cannot be pumped from one of its own callbacks")
    }
    let claim = pumpingThread.compareExchange(
      expected: 0,
      desired: CurrentThread.number,
      ordering: .acquiringAndReleasing
    )
    guard claim.exchanged else { return Self.pollSlice }
    defer { pumpingThread.store(0, ordering: .releasing) }
    _ = loop.runPending()
    return loop.pollTimeoutMilliseconds
  }

  /// Starts an operation and blocks until it delivers its result.
  /// - Throws: `CoreError` INVALID_ARGUMENT on the thread of the loop, which would wait for itself; CANCELED if the
  ///   loop has stopped.
  func blocking<Value: Sendable>(_ start: (Blocker<Value>) throws -> Void) throws -> Value {
    guard !isInCallback else {
      throw CoreError.invalidArgument(
        "a blocking function cannot be called on the event loop's thread"
      )
    }
    guard !loop.isFinished else {
      throw CoreError(.canceled, "the event loop has stopped because the process is exiting")
    }
    let blocker = Blocker<Value>()
    try start(blocker)
    if hosting == .poll { _ = try pump(forMilliseconds: 0) { blocker.delivered != nil } }
    return blocker.wait()
  }

  /// In poll mode: pumps until a condition holds; returns false on timeout. The timeout is in milliseconds; 0 waits
  /// forever.
  func pump(forMilliseconds milliseconds: UInt64, until isMet: () -> Bool) throws -> Bool {
    let start = EventLoop.monotonicMilliseconds
    while true {
      let timeout = try pump()
      if isMet() { return true }
      if milliseconds > 0, EventLoop.monotonicMilliseconds - start >= milliseconds { return false }
      sleepUntilDue(timeout)
    }
  }

  private func sleepUntilDue(_ milliseconds: Int32) {
    var descriptor = pollfd(fd: loop.pollDescriptor, events: Int16(POLLIN), revents: 0)
    poll(&descriptor, 1, milliseconds < 0 ? Self.pollSlice : min(milliseconds, Self.pollSlice))
  }
}
