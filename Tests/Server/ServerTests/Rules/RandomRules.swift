// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncTestSupport

/// Random rule expressions, documents and users, all from small pools, so that conditions are met now and then.
struct RandomRules {
  var random: SeededGenerator

  /// A field, with values that it or its elements may have.
  struct Pool {
    enum Kind {
      case single, list, set
      /// Of any type.
      case mixed
    }

    let field: String
    let kind: Kind
    let values: [JSON]

    init(_ field: String, _ kind: Kind, _ values: [JSON]) {
      self.field = field
      self.kind = kind
      self.values = values
    }

    /// Whether the values have an order, as links have not.
    var isOrdered: Bool { !links.contains(field) }
  }

  /// Links, in documents the keys of their targets. Of the targets there is only the first.
  static let links: Set<String> = ["home", "stays", "visits"]

  /// The fields of `schema`.
  static let pools = [
    Pool("name", .single, ["ada", "bob", "", "Zoë"]),
    Pool("count", .single, [0, 1, 2, 7]),
    Pool("ratio", .single, [0.5, 1.0, 2.0, 7.25]),
    Pool("flag", .single, [true, false]),
    Pool("owner", .single, ids),
    Pool("home", .single, ids),
    Pool("at", .single, dates),
    Pool("extra", .mixed, ["ada", 1, 0.5, true, ["$oid": "64a000000000000000000001"]]),
    Pool("tags", .list, ["ada", "bob", "", "red"]),
    Pool("codes", .set, [0, 1, 2, 7]),
    Pool("friends", .list, ids),
    Pool("stays", .list, ids),
    Pool("visits", .set, ids),
  ]

  static let homeSchema =
    #"{"title":"Home","bsonType":"object","required":["_id"],"properties":{"_id":{"bsonType":"objectId"}}}"#
  static let relationships = ##"""
    {"home":{"ref":"#/relationship/db/main/homes","foreign_key":"_id"},
     "stays":{"ref":"#/relationship/db/main/homes","foreign_key":"_id","is_list":true},
     "visits":{"ref":"#/relationship/db/main/homes","foreign_key":"_id","is_list":true}}
    """##

  static let ids: [JSON] = [
    ["$oid": "64a000000000000000000001"], ["$oid": "64a000000000000000000002"],
    ["$oid": "64a000000000000000000003"],
  ]

  static let dates: [JSON] = [["$date": "2024-01-01T00:00:00Z"], ["$date": "2024-06-01T12:30:00Z"]]

  static let schema = """
    {"title":"Thing","bsonType":"object","required":["_id"],"properties":{
      "_id":{"bsonType":"long"},"name":{"bsonType":"string"},"count":{"bsonType":"long"},
      "ratio":{"bsonType":"double"},"flag":{"bsonType":"bool"},"owner":{"bsonType":"objectId"},"home":{"bsonType":"objectId"},
      "at":{"bsonType":"date"},"extra":{"bsonType":"mixed"},
      "tags":{"bsonType":"array","items":{"bsonType":["string","null"]}},
      "codes":{"bsonType":"array","uniqueItems":true,"items":{"bsonType":"long"}},
      "friends":{"bsonType":"array","items":{"bsonType":"objectId"}},
      "stays":{"bsonType":"array","items":{"bsonType":"objectId"}},
      "visits":{"bsonType":"array","uniqueItems":true,"items":{"bsonType":"objectId"}}}}
    """

  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &random)]
  }

  // MARK: Documents and users

  mutating func document(_ id: Int64) -> JSON {
    var members = [JSON.Member("_id", .integer(id))]
    for pool in Self.pools {
      if pool.kind == .list || pool.kind == .set {
        var elements: [JSON] = []
        for _ in 0..<Int.random(in: 0...3, using: &random) {
          let element: JSON = pool.field == "tags" && chance(10) ? nil : pick(pool.values)
          if pool.kind == .list || !elements.contains(element) { elements.append(element) }
        }
        members.append(JSON.Member(pool.field, .array(elements)))
      } else if !chance(20) {
        members.append(JSON.Member(pool.field, pick(pool.values)))
      }
    }
    return .object(members)
  }

  mutating func customData() -> JSON {
    var members: [JSON.Member] = []
    func add(_ name: String, _ value: JSON, _ isThere: Bool) {
      if isThere { members.append(JSON.Member(name, value)) }
    }
    add("team", chance(20) ? nil : pick(Self.pools[0].values), chance(70))
    add("level", pick(Self.pools[1].values), chance(70))
    add("isAdmin", .bool(chance(50)), chance(70))
    add("self", pick(Self.ids), chance(70))
    var (teams, codes, friends): ([JSON], [JSON], [JSON]) = ([], [], [])
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      teams.append(chance(10) ? nil : pick(Self.pools[7].values))
      codes.append(pick(Self.pools[8].values))
      friends.append(pick(Self.ids))
    }
    add("teams", .array(teams), chance(70))
    add("codes", .array(codes), chance(70))
    add("friends", .array(friends), chance(70))
    add("inner", ["team": pick(Self.pools[0].values)], chance(50))
    return .object(members)
  }

  // MARK: Expressions

  mutating func expression(depth: Int = 3) -> JSON {
    if chance(3) { return .bool(chance(50)) }
    if depth > 0, chance(45) {
      let sign = chance(70) ? "$" : "%"
      let count = Int.random(in: 1...3, using: &random)
      let parts = (0..<count).map { _ in expression(depth: depth - 1) }
      switch Int.random(in: 0..<4, using: &random) {
      case 0: return .object([JSON.Member("\(sign)and", .array(parts))])
      case 1: return .object([JSON.Member("\(sign)or", .array(parts))])
      case 2: return .object([JSON.Member("\(sign)nor", .array(parts))])
      default: return .object([JSON.Member("\(sign)not", parts[0])])
      }
    }
    var members: [JSON.Member] = []
    for _ in 0..<(chance(80) ? 1 : 2) {
      let member = test()
      if !members.contains(where: { $0.name == member.name }) { members.append(member) }
    }
    return .object(members)
  }

  private static let subjects = [
    "%%user.custom_data.team", "%%user.custom_data.isAdmin", "%%user.custom_data.teams", "%%user.type",
    "%%values.teams", "%%user.custom_data.level", "%%user.custom_data.inner.team", "%%user.data.email",
  ]

  private mutating func test() -> JSON.Member {
    if chance(15) {
      let name = pick(Self.subjects)
      return JSON.Member(name, condition(Pool(name, .list, pick(Self.pools).values)))
    }
    let pool = pick(Self.pools)
    return JSON.Member(pool.field, condition(pool))
  }

  private mutating func condition(_ pool: Pool) -> JSON {
    if chance(25) { return value(pool) }
    var members: [JSON.Member] = []
    for _ in 0..<(chance(80) ? 1 : 2) {
      let member = operation(pool)
      if !members.contains(where: { $0.name == member.name }) { members.append(member) }
    }
    return .object(members)
  }

  private mutating func operation(_ pool: Pool) -> JSON.Member {
    let sign = chance(80) ? "$" : "%"
    switch Int.random(in: 0..<17, using: &random) {
    case 0: return JSON.Member("\(sign)eq", value(pool))
    case 1: return JSON.Member("\(sign)ne", value(pool))
    case 2...5 where pool.isOrdered:
      return JSON.Member(sign + pick(["gt", "gte", "lt", "lte"]), operand(pool.values))
    case 2...7: return JSON.Member("\(sign)in", list(pool.values))
    case 8, 9: return JSON.Member("\(sign)nin", list(pool.values))
    case 10: return JSON.Member("\(sign)all", list(pool.values))
    case 11: return JSON.Member("\(sign)exists", .bool(chance(50)))
    case 12: return JSON.Member("\(sign)not", .object([operation(pool)]))
    case 13 where pool.kind != .mixed:
      let size: JSON = chance(20) ? "%%values.limit" : .integer(Int64.random(in: 0...3, using: &random))
      return JSON.Member("\(sign)size", size)
    case 14...15 where pool.kind != .mixed:
      return JSON.Member("\(sign)elemMatch", elementConditions(pool))
    default:
      let parts: [JSON] = [.object([operation(pool)]), .object([operation(pool)])]
      return JSON.Member(sign + pick(["and", "or"]), .array(parts))
    }
  }

  /// Conditions on one element: one on its order, or any that compare it with values.
  private mutating func elementConditions(_ pool: Pool) -> JSON {
    if pool.isOrdered, chance(20) {
      return .object([JSON.Member(pick(["$gt", "$gte", "%lt", "$lte"]), operand(pool.values))])
    }
    var members: [JSON.Member] = []
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      let member = elementOperation(pool)
      if !members.contains(where: { $0.name == member.name }) { members.append(member) }
    }
    return .object(members)
  }

  private mutating func elementOperation(_ pool: Pool) -> JSON.Member {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return JSON.Member("$eq", operand(pool.values))
    case 1: return JSON.Member("$ne", operand(pool.values))
    case 2, 3: return JSON.Member("$in", list(pool.values))
    case 4, 5: return JSON.Member("%nin", list(pool.values))
    case 6: return JSON.Member("$not", .object([elementOperation(pool)]))
    default:
      let parts: [JSON] = [.object([elementOperation(pool)]), .object([elementOperation(pool)])]
      return JSON.Member(pick(["$and", "%or"]), .array(parts))
    }
  }

  private static let scalarExpansions: [JSON] = [
    "%%user.id", "%%user.custom_data.team", "%%user.custom_data.level", "%%user.custom_data.self",
    "%%user.custom_data.isAdmin", "%%user.custom_data.inner.team", "%%values.limit", "%%values.nothing",
    ["%stringToOid": "%%user.id"], ["%stringToOid": "%%user.custom_data.team"],
    ["%oidToString": "%%user.custom_data.self"],
  ]

  private static let listExpansions: [JSON] = [
    "%%user.custom_data.teams", "%%user.custom_data.codes", "%%user.custom_data.friends", "%%values.teams",
    "%%values.nothing", "%%user.custom_data.team",
  ]

  /// What a field may equal: also a whole list, if that has an order.
  private mutating func value(_ pool: Pool) -> JSON {
    guard pool.kind != .mixed, chance(15) else { return operand(pool.values) }
    let count = Int.random(in: 0...(pool.kind == .set ? 1 : 2), using: &random)
    return .array((0..<count).map { _ in operand(pool.values) })
  }

  private mutating func operand(_ values: [JSON]) -> JSON {
    if chance(30) { return pick(Self.scalarExpansions) }
    if chance(8) { return nil }
    return chance(85) ? pick(values) : pick(pick(Self.pools).values)
  }

  private mutating func list(_ values: [JSON]) -> JSON {
    if chance(40) { return pick(Self.listExpansions) }
    return .array((0..<Int.random(in: 0...3, using: &random)).map { _ in operand(values) })
  }
}
