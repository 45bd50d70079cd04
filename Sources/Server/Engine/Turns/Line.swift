// SPDX-License-Identifier: Apache-2.0

/// A first-in, first-out queue.
struct Line<Member> {
  /// Members in reverse order: the next one is last.
  private var leaving: [Member] = []
  private var arrived: [Member] = []

  var isEmpty: Bool { leaving.isEmpty && arrived.isEmpty }

  mutating func append(_ member: Member) { arrived.append(member) }

  mutating func next() -> Member? {
    if leaving.isEmpty {
      leaving = arrived.reversed()
      arrived = []
    }
    return leaving.popLast()
  }
}
