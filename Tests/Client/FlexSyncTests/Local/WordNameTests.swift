// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

/// Properties that are named like words of the query language, or as no word is.
private class Vocabulary: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var any: Int
  @Persisted var all: Int
  @Persisted var none: Int
  @Persisted var some: Int
  @Persisted var and: Int
  @Persisted var or: Int
  @Persisted var not: Int
  @Persisted var `true`: Int
  @Persisted var `false`: Int
  @Persisted var `nil`: Int
  @Persisted var null: Int
  @Persisted var inf: Int
  @Persisted var nan: Int
  @Persisted var obj: Int
  @Persisted var subquery: Int
  @Persisted var truepredicate: Int
  @Persisted var geoWithin: Int
  @Persisted var `in`: Int
  @Persisted var contains: Int
  @Persisted var like: Int
  @Persisted var between: Int
  @Persisted var text: Int
  @Persisted var sort: Int
  @Persisted var distinct: Int
  @Persisted var limit: Int
  @Persisted var first: Int
  @Persisted var last: Int
  @Persisted var size: Int
  @Persisted var numbered: Int
  @Persisted var spaced: Int
  @Persisted var mapped: Int
  @Persisted var words: List<Vocabulary>

  override class func propertiesMapping() -> [String: String] {
    ["spaced": "it's \"a b\"", "mapped": "NULL", "numbered": "O12"]
  }
}

@Suite struct WordNameTests {
  private let realm: Realm
  /// The Swift names of the properties with a number.
  private let names: [String]

  init() throws {
    let realm = try LocalFile().open()
    let first = Vocabulary()
    first.words.append(Vocabulary(value: ["_id": 1]))
    let names = first.objectSchema.properties.map(\.name).filter { $0 != "_id" && $0 != "words" }
    for (number, name) in names.enumerated() { first[name] = number + 10 }
    try realm.write { realm.add(first) }
    (self.realm, self.names) = (realm, names)
  }

  private var all: Results<Vocabulary> { realm.objects(Vocabulary.self) }

  private func keys(_ condition: (Query<Vocabulary>) -> Query<Bool>) -> [Int] {
    all.where(condition).map(\._id)
  }

  @Test func conditionsInSwiftKnowThem() {
    let first = all[0]
    #expect(keys { $0.any == first.any } == [0] && keys { $0.all == first.all } == [0])
    #expect(keys { $0.none == first.none && $0.some == first.some } == [0])
    #expect(keys { $0.and == first.and && $0.or == first.or && !($0.not == first.not) } == [])
    #expect(keys { $0.true == first.true && $0.false == first.false } == [0])
    #expect(keys { $0.nil == first.nil && $0.null == first.null && $0.mapped == first.mapped } == [0])
    #expect(keys { $0.inf == first.inf && $0.nan == first.nan && $0.obj == first.obj } == [0])
    #expect(keys { $0.subquery == first.subquery && $0.truepredicate == first.truepredicate } == [0])
    #expect(keys { $0.geoWithin == first.geoWithin && $0.in == first.in && $0.in.in([first.in]) } == [0])
    // `$0.contains` is a function of conditions.
    #expect(keys { $0[dynamicMember: \.contains] == first.contains && $0.text == first.text } == [0])
    #expect(keys { $0.like == first.like } == [0])
    #expect(keys { $0.between == first.between && $0.between.contains(1...99) } == [0])
    #expect(keys { $0.sort == first.sort && $0.distinct == first.distinct && $0.limit == first.limit } == [0])
    #expect(keys { $0.first == first.first && $0.last == first.last && $0.size == first.size } == [0])
    #expect(keys { $0.numbered == first.numbered && $0.spaced == first.spaced } == [0])
  }

  @Test func conditionsInSwiftKnowThemInCollections() {
    #expect(keys { $0.words.any == 0 && $0.words.spaced == 0 } == [0])
    #expect(keys { ($0.words.all == 0 && $0.words.mapped == 0).count == 1 } == [0])
    #expect(keys { $0.words.any.max == 0 } == [0])
  }

  @Test func placeholdersForNamesTakeEachOfThem() {
    for name in names {
      #expect(all.filter("%K == %@", name, all[0][name] as Any).map(\._id) == [0], "\(name)")
      #expect(all.filter("ANY words.%K == 0", name).map(\._id) == [0], "\(name)")
      #expect(all.filter("ANY %K == 0", "words.\(name)").map(\._id) == [0], "\(name)")
    }
  }

  @Test func aNumberSignInATextMakesANameOfEachOfThem() throws {
    for name in names {
      #expect(all.filter("#\(name) == $0", all[0][name] as Any).map(\._id) == [0], "\(name)")
      #expect(try all.filtered(by: "ANY words.#\(name) == 0").map(\._id) == [0], "\(name)")
      let counted = all.filter("SUBQUERY(words, $word, $word.#\(name) == 0).@count == 1")
      #expect(counted.map(\._id) == [0], "\(name)")
    }
    #expect(all.filter("#NULL == $0 AND #O12 == $1", all[0].mapped, all[0].numbered).map(\._id) == [0])
  }

  @Test func quantifiersKeepTheirMeaning() {
    #expect(all.filter("any words.size == 0").map(\._id) == [0])
    #expect(all.filter("all words.size == 0").count == 2)
    #expect(all.filter("none words.size == 0").map(\._id) == [1])
    #expect(all.filter("size > 0 and not size == null or size == nil").map(\._id) == [0])
  }

  @Test func sortingAndDistinctTakeEachOfThem() {
    for name in names {
      #expect(all.sorted(byKeyPath: name, ascending: false).map(\._id) == [0, 1], "\(name)")
      #expect(all.distinct(by: [name]).count == 2, "\(name)")
      #expect(all.filter("TRUEPREDICATE SORT(#\(name) ASC)").map(\._id) == [1, 0], "\(name)")
    }
  }

  @Test func predicatesTakeThem() {
    #expect(all.filter(NSPredicate(format: "%K > 0 AND #in > 0 AND #any > 0", "true")).map(\._id) == [0])
  }

  @Test func theyAreObserved() throws {
    var changed: [String] = []
    let token = all[0].observe(keyPaths: ["any", "limit"]) { change in
      if case .change(_, let properties) = change { changed += properties.map(\.name) }
    }
    try realm.write { all[0].any = 3 }
    #expect(changed == ["any"])
    token.invalidate()
  }
}
