// SPDX-License-Identifier: Apache-2.0

import FlexSyncConfiguration
import FlexSyncScheduling
import FlexSyncTransport

/// Hashes passwords on worker threads, a few at a time: each takes 32 MiB and a tenth of a second of CPU time.
/// Further requests wait. Each network address has its own line, and the lines take turns, so an address with many
/// requests delays only itself. The queues of several apps may share slots. Confined to the loop.
package final class PasswordQueue {
  /// A request waiting for a slot.
  private final class Waiting {
    let requester: Requester
    var address: String { requester.address }
    /// Starts the work in a slot, or completes the request at once if it cannot be prepared.
    let begin: () -> Void
    /// Completes the request with an error because there is no room.
    let refuse: (AccountError) -> Void

    init(_ requester: Requester, begin: @escaping () -> Void, refuse: @escaping (AccountError) -> Void) {
      self.requester = requester
      self.begin = begin
      self.refuse = refuse
    }
  }

  private let worker: any BlockingWorker
  private let slots: PasswordSlots
  /// The queue's number among the queues that share the slots.
  private var number: Int?
  /// The number of passwords being hashed, or hashed but not yet completed on the loop. An attempt counts until its
  /// completion, so there may be no more of these than slots.
  private var begunCount = 0
  private let greatestBegunCount: Int
  private let capacity: Int
  private let capacityPerAddress: Int
  /// The waiting requests by address. No line is empty.
  private var lines: [String: [Waiting]] = [:]
  /// The addresses with lines; the first is next.
  private var turns: [String] = []
  /// The number of requests waiting for a slot.
  private(set) var waitingCount = 0

  /// Creates a queue with its own slots.
  package convenience init(worker: any BlockingWorker, limits: ServerLimits) {
    self.init(worker: worker, limits: limits, slots: PasswordSlots(count: limits.passwordSlots))
  }

  private init(worker: any BlockingWorker, limits: ServerLimits, slots: PasswordSlots) {
    self.worker = worker
    self.slots = slots
    greatestBegunCount = limits.passwordSlots
    capacity = limits.waitingPasswords
    capacityPerAddress = limits.waitingPasswordsPerAddress
  }

  /// Creates a queue that shares slots with those of other apps, which may be on other threads.
  package convenience init(loop: EventLoop, limits: ServerLimits, slots: PasswordSlots) {
    self.init(worker: loop, limits: limits, slots: slots)
    let queue = LoopBound(self, loop: loop)
    number = slots.join {
      loop.execute { queue.value.fillSlots() }
    }
  }

  /// Hashes a password when it is the turn of the requester's address. A request cancelled before then is dropped
  /// without an answer.
  ///
  /// - Parameters:
  ///   - prepare: Runs on the loop at that turn and returns the work. If it throws, no work is done.
  ///   - completion: Runs on the loop.
  /// - Throws: `AccountError` if too many requests are already waiting.
  func perform<Value: Sendable>(
    for requester: Requester,
    prepare: @escaping () throws -> @Sendable () throws -> Value,
    completion: @escaping (Result<Value, any Error>) -> Void
  ) throws(AccountError) {
    let waiting = Waiting(requester) { [self] in
      begin(prepare, completion)
    } refuse: { error in
      completion(.failure(error))
    }
    guard !requester.cancellation.isCancelled else { return }
    if waitingCount == 0, takeSlot() { return waiting.begin() }
    try enqueue(waiting)
    requester.cancellation.onCancel = { [weak self, weak waiting] in
      if let self, let waiting { remove(waiting) }
    }
  }

  /// Does the work in a slot that has been taken.
  private func begin<Value: Sendable>(
    _ prepare: () throws -> @Sendable () throws -> Value,
    _ completion: @escaping (Result<Value, any Error>) -> Void
  ) {
    let work: @Sendable () throws -> Value
    do {
      work = try prepare()
    } catch {
      begunCount -= 1
      slots.giveBack()
      return completion(.failure(error))
    }
    worker.performBlocking { [slots] in
      let result = Result { try work() }
      // Right away: another app may need the slot while this app's thread is busy.
      slots.giveBack()
      return result
    } completion: { [self] result in
      begunCount -= 1
      // Waiting requests take precedence, because the completion may ask for another slot.
      fillSlots()
      completion(result)
    }
  }

  private func fillSlots() {
    while waitingCount > 0, takeSlot(), let next = takeNext() {
      next.requester.cancellation.onCancel = nil
      next.begin()
    }
  }

  /// - Returns: Whether a request may begin now. If not, `fillSlots` is called once one may.
  private func takeSlot() -> Bool {
    guard begunCount < greatestBegunCount, slots.take(for: number) else { return false }
    begunCount += 1
    return true
  }

  // MARK: Lines

  private func enqueue(_ waiting: Waiting) throws(AccountError) {
    let count = lines[waiting.address]?.count ?? 0
    guard count < capacityPerAddress else { throw .crowdedAddress }
    if waitingCount >= capacity { try makeRoom(forLineOf: count) }
    if count == 0 { turns.append(waiting.address) }
    lines[waiting.address, default: []].append(waiting)
    waitingCount += 1
  }

  /// Evicts the last request of the longest line, so a flood from a few addresses does not keep others out.
  private func makeRoom(forLineOf count: Int) throws(AccountError) {
    guard let longest = lines.values.max(by: { $0.count < $1.count }), longest.count > count + 1,
      let last = longest.last
    else { throw .busy }
    remove(last)
    last.requester.cancellation.onCancel = nil
    last.refuse(.busy)
  }

  private func takeNext() -> Waiting? {
    guard let address = turns.first, let next = lines[address]?.first else { return nil }
    remove(next)
    // Move the address to the back: the others come first.
    if lines[address] != nil {
      turns.removeFirst()
      turns.append(address)
    }
    return next
  }

  private func remove(_ waiting: Waiting) {
    guard var line = lines[waiting.address], let index = line.firstIndex(where: { $0 === waiting }) else {
      return
    }
    line.remove(at: index)
    waitingCount -= 1
    lines[waiting.address] = line.isEmpty ? nil : line
    if line.isEmpty { turns.removeAll { $0 == waiting.address } }
  }
}
