// SPDX-License-Identifier: Apache-2.0

/// A queue whose owners take turns, however many members each of them has in it. The members of one owner leave in the
/// order in which they came.
struct SharedLine<Member> {
  /// Those with members, each once.
  private var owners = Line<String>()
  private var members: [String: Line<Member>] = [:]

  var isEmpty: Bool { members.isEmpty }

  /// The number of owners that have members in it.
  var ownerCount: Int { members.count }

  mutating func append(_ member: Member, of owner: String) {
    if members[owner] == nil { owners.append(owner) }
    members[owner, default: Line()].append(member)
  }

  mutating func next() -> Member? {
    guard let owner = owners.next(), var line = members.removeValue(forKey: owner) else { return nil }
    let member = line.next()
    if !line.isEmpty {
      members[owner] = line
      owners.append(owner)
    }
    return member
  }
}
