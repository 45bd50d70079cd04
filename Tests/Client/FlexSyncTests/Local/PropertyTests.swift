// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

/// Properties of every type, in memory and in a realm.
@Suite struct PropertyTests {
  let file: LocalFile
  let realm: Realm

  init() throws {
    file = try LocalFile()
    realm = try file.open()
  }

  @Test func unsetPropertiesHaveTheDefaultsOfTheirTypes() throws {
    let object = Everything(1)
    try realm.write { realm.add(object) }
    #expect(object.int == 0 && object.int8 == 0 && object.int64 == 0)
    #expect(object.bool == false && object.float == 0 && object.double == 0)
    #expect(object.string == "" && object.data.isEmpty)
    #expect(object.priority == .low && object.level == .zero)
    #expect(object.optionalInt == nil && object.optionalString == nil && object.optionalDate == nil)
    #expect(object.optionalPriority == nil && object.link == nil)
  }

  @Test func generatedDefaultsStayWhatTheyWereBeforeTheObjectWasAdded() throws {
    let object = Everything(1)
    let (date, objectId, uuid) = (object.date, object.objectId, object.uuid)
    try realm.write { realm.add(object) }
    #expect(abs(object.date.timeIntervalSinceNow) < 60)
    #expect((object.date, object.objectId, object.uuid) == (date, objectId, uuid))
    let untouched = Everything(2)
    try realm.write { realm.add(untouched) }
    #expect(untouched.uuid != uuid && untouched.objectId != objectId)
  }

  @Test func valuesOfAllTypesSurviveReopening() throws {
    let id = ObjectId.generate()
    let uuid = UUID()
    try realm.write {
      let object = Everything(7)
      realm.add(object)
      fill(object, id, uuid)
    }
    let object = try #require(try file.open().object(ofType: Everything.self, forPrimaryKey: 7))
    expectFilled(object, id, uuid)
  }

  @Test func valuesSetBeforeAddingAreTheSameAfterwards() throws {
    let id = ObjectId.generate()
    let uuid = UUID()
    let object = Everything(7)
    fill(object, id, uuid)
    expectFilled(object, id, uuid)
    try realm.write { realm.add(object) }
    expectFilled(object, id, uuid)
  }

  private func fill(_ object: Everything, _ id: ObjectId, _ uuid: UUID) {
    object.bool = true
    object.int = .max
    object.int8 = .min
    object.int16 = .min
    object.int32 = .max
    object.int64 = .min
    object.float = 1.5
    object.double = -.pi
    object.string = "Grüße, 世界 👋"
    object.data = Data([0, 1, 255])
    object.date = Date(timeIntervalSince1970: 1_700_000_000.123)
    object.objectId = id
    object.uuid = uuid
    object.priority = .high
    object.level = .nine
    object.optionalBool = false
    object.optionalInt = -1
    object.optionalInt8 = 127
    object.optionalFloat = .infinity
    object.optionalDouble = .leastNonzeroMagnitude
    object.optionalString = ""
    object.optionalData = Data()
    object.optionalDate = .distantFuture
    object.optionalObjectId = id
    object.optionalUUID = uuid
    object.optionalPriority = .medium
  }

  private func expectFilled(_ object: Everything, _ id: ObjectId, _ uuid: UUID) {
    #expect(object.bool && object.int == .max && object.int8 == .min && object.int16 == .min)
    #expect(object.int32 == .max && object.int64 == .min)
    #expect(object.float == 1.5 && object.double == -.pi)
    #expect(object.string == "Grüße, 世界 👋" && object.data == Data([0, 1, 255]))
    #expect(object.date == Date(timeIntervalSince1970: 1_700_000_000.123))
    #expect(object.objectId == id && object.uuid == uuid)
    #expect(object.priority == .high && object.level == .nine)
    #expect(object.optionalBool == false && object.optionalInt == -1 && object.optionalInt8 == 127)
    #expect(object.optionalFloat == .infinity && object.optionalDouble == .leastNonzeroMagnitude)
    #expect(object.optionalString == "" && object.optionalData == Data())
    #expect(object.optionalDate == .distantFuture)
    #expect(object.optionalObjectId == id && object.optionalUUID == uuid)
    #expect(object.optionalPriority == .medium)
  }

  @Test func optionalsCanBeSetBackToNil() throws {
    let object = Everything(7)
    try realm.write {
      realm.add(object)
      fill(object, .generate(), UUID())
      object.optionalBool = nil
      object.optionalInt = nil
      object.optionalString = nil
      object.optionalData = nil
      object.optionalDate = nil
      object.optionalObjectId = nil
      object.optionalPriority = nil
    }
    #expect(object.optionalBool == nil && object.optionalInt == nil && object.optionalString == nil)
    #expect(object.optionalData == nil && object.optionalDate == nil && object.optionalObjectId == nil)
    #expect(object.optionalPriority == nil)
  }

  @Test(arguments: [
    Date.distantPast, .distantFuture, Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: -0.25),
    Date(timeIntervalSince1970: -1), Date(timeIntervalSinceReferenceDate: 0),
    Date(timeIntervalSince1970: 1_700_000_000.999_999), Date(timeIntervalSince1970: 4_102_444_800.5),
  ])
  func datesKeepTheirValueAndOrder(date: Date) throws {
    let object = Everything(1)
    object.date = date
    try realm.write { realm.add(object) }
    #expect(object.date == date)
    #expect(realm.objects(Everything.self).where { $0.date == date }.count == 1)
    #expect(realm.objects(Everything.self).where { $0.date < date.addingTimeInterval(0.001) }.count == 1)
    #expect(realm.objects(Everything.self).where { $0.date > date.addingTimeInterval(-0.001) }.count == 1)
  }

  @Test func notANumberIsKept() throws {
    let object = Everything(1)
    object.double = .nan
    object.float = .nan
    object.optionalDouble = .nan
    try realm.write { realm.add(object) }
    #expect(object.double.isNaN && object.float.isNaN)
    #expect(object.optionalDouble?.isNaN == true)
  }

  @Test func emptyTextAndBytesAreNotNull() throws {
    let object = Everything(1)
    object.optionalString = ""
    object.optionalData = Data()
    try realm.write { realm.add(object) }
    #expect(realm.objects(Everything.self).where { $0.optionalString == nil }.isEmpty)
    #expect(realm.objects(Everything.self).where { $0.optionalString == "" }.count == 1)
    #expect(realm.objects(Everything.self).where { $0.optionalData == nil }.isEmpty)
  }

  @Test func textMayContainZeroBytes() throws {
    let object = Everything(1)
    object.string = "before\u{0}after"
    try realm.write { realm.add(object) }
    #expect(object.string == "before\u{0}after")
  }

  @Test func megabytesOfTextAndBytesAreKept() throws {
    let object = Everything(1)
    let text = String(repeating: "0123456789abcdéf", count: 200_000)
    let bytes = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    object.string = text
    object.data = bytes
    try realm.write { realm.add(object) }
    let reread = try #require(try file.open().object(ofType: Everything.self, forPrimaryKey: 1))
    #expect(reread.string == text)
    #expect(reread.data == bytes)
  }

  @Test func aRawValueThatIsNoCaseReadsAsTheFirstCase() throws {
    let object = Everything(1)
    try realm.write {
      realm.add(object)
      object["priority"] = Priority.high
    }
    #expect(object.priority == .high)
    #expect(realm.objects(Everything.self).where { $0.priority == .high }.count == 1)
    #expect(realm.objects(Everything.self).where { $0.level > .zero }.isEmpty)
  }

  @Test func propertiesOfTwoSwiftClassesAreKeptApart() throws {
    let puppy = Puppy()
    puppy.name = "Fido"
    puppy.weeks = 9
    puppy.favouriteToy = "ball"
    try realm.write { realm.add(puppy) }
    let found = try #require(realm.objects(Puppy.self).first)
    #expect(found.name == "Fido" && found.weeks == 9 && found.favouriteToy == "ball" && found.id == puppy.id)
    #expect(realm.objects(Puppy.self).where { $0.name == "Fido" && $0.weeks == 9 }.count == 1)
    #expect(realm.objects(Dog.self).isEmpty)
  }

  @Test func classesMayMakeObjectsInTheirInitialisersAndHaveOtherNamesInTheSchema() throws {
    let object = Renamed()
    object.key = 5
    object.title = "mapped"
    try realm.write { realm.add(object) }
    let found = try #require(realm.object(ofType: Renamed.self, forPrimaryKey: 5))
    #expect(found.title == "mapped" && found.partner?.name == "default partner" && found.partner?.age == 18)
    #expect(realm.objects(Renamed.self).filter("label == 'mapped'").count == 1)
    #expect(realm.objects(Renamed.self).where { $0.title == "mapped" && $0.key == 5 }.count == 1)
    #expect(Renamed.className() == "Other")
  }
}
