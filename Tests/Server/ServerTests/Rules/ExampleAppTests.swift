// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel
import FlexSyncTestSupport
import Testing

@testable import FlexSyncConfiguration
@testable import FlexSyncRules

@Suite("Rules of example apps")
struct ExampleAppTests {
  @Test("TaskTracker is open to everybody")
  func taskTracker() throws {
    let app = try RuledApp(PackageFolder.taskTracker, users: ["ada": UserContext(id: "ada")])
    #expect(try app.permissions(of: "ada") == .open(app.app.schema, role: "readAndWriteAll"))
    #expect(app.app.notCarriedOver.isEmpty)
  }

  // MARK: Custom user data

  @Test("Custom user data choose roles and documents; who has none sees nothing")
  func customUserData() throws {
    let app = try ExampleApps.fieldService.load()
    let jobs = AccessTable(
      "Job",
      """
      dora dispatcher    RUID RUID RUID RUID RUID RUID
      ina  inspector     R--- R--- ---- ---- ---- ----
      ivo  inspector     ---- ---- RUID RUID RUID ----
      nil  inspector     ---- ---- ---- ---- ---- ----
      tom  technician    RUI- ---- R--- ---- R--- R---
      tia  technician    ---- RUI- R--- ---- R--- R---
      new  denyAllAccess ---- ---- ---- ---- ---- ----
      eve  denyAllAccess ---- ---- ---- ---- ---- ----
      mal  technician    ---- ---- R--- ---- R--- R---
      """
    )
    try app.check(jobs, documents: "jobs.json")
    let staff = AccessTable(
      "Staff",
      """
      dora dispatcher RUID RUID RUID RUID
      tom  self       ---- RU-- ---- ----
      tia  self       ---- ---- RU-- ----
      eve  self       ---- ---- ---- ----
      """
    )
    try app.check(staff, documents: "staff.json")
    let sites = AccessTable(
      "Site",
      """
      dora readOnly R--- R---
      eve  readOnly R--- R---
      """
    )
    try app.check(sites, documents: "sites.json")
    #expect(try app.fields(of: "tom", "Staff").writable == ["name", "phone"])
    #expect(try app.fields(of: "tom", "Site").writable == [])
    let expected = CustomUserDataConfiguration(collection: "Staff", userIDField: "userId", className: "Staff")
    #expect(app.app.customUserData == expected)
    #expect(app.app.rules.usesCustomData)
  }

  // MARK: Arrays

  @Test("Arrays in documents, in custom user data and in values are asked as in MongoDB")
  func arrays() throws {
    let app = try ExampleApps.sharedNotes.load()
    let notes = AccessTable(
      "Note",
      """
      ada collaborator RUID RUID R--- R--- ----
      bob collaborator ---- RUI- RUID RUID RUID
      cem collaborator ---- RUI- ---- R--- ----
      mod moderator    RUID RUID RUID RUID RUID
      dan collaborator R--- R--- ---- R--- ----
      """
    )
    try app.check(notes, documents: "notes.json")
    let tasks = AccessTable(
      "Task",
      """
      ada labels RUID ---- ---- R---
      bob -      ---- ---- ---- ----
      cem labels ---- ---- ---- ----
      mod labels RUID RUID ---- RUID
      dan labels R--- R--- ---- R---
      """
    )
    try app.check(tasks, documents: "tasks.json")
  }

  // MARK: Fields

  @Test("Fields are read and written by those who may")
  func fields() throws {
    let app = try ExampleApps.people.load()
    let persons = AccessTable(
      "Person",
      """
      hanna hr       RUID RUID RUID
      emil  employee R--- RU-- R---
      ella  employee R--- R--- RU--
      guest badge    R--- R--- R---
      robot badge    R--- R--- R---
      """
    )
    try app.check(persons, documents: "persons.json")
    let all = ["name", "manager", "phone", "salary", "notes", "address"]
    #expect(Set(try app.fields(of: "hanna", "Person").readable) == Set(all))
    #expect(Set(try app.fields(of: "emil", "Person").readable) == ["name", "manager", "phone", "address"])
    #expect(try app.fields(of: "emil", "Person").writable == ["phone"])
    #expect(try app.fields(of: "guest", "Person").readable == ["name"])
    #expect(try app.fields(of: "guest", "Person").writable == [])
    let reviews = AccessTable(
      "Review",
      """
      hanna hr     RUI- RUI- RUI- RUI-
      emil  author R--- ---- ---- RUID
      ella  author ---- RUID RU-D ----
      guest -      ---- ---- ---- ----
      """
    )
    try app.check(reviews, documents: "reviews.json")
    #expect(try app.fields(of: "hanna", "Review").writable == ["approved"])
  }

  // MARK: Permissions of the time before 2023

  @Test("Permissions of the time before 2023 are migrated as documented")
  func legacyPermissions() throws {
    let app = try ExampleApps.groceries.load()
    let items = AccessTable(
      "Item",
      """
      admin admin RUID RUID RUID
      bob   user  RUID ---- R---
      cem   user  ---- RUID R---
      anon  user  ---- ---- R---
      """
    )
    try app.check(items, documents: "items.json")
    let households = AccessTable(
      "Household",
      """
      admin keeper ---- ---- ----
      bob   keeper RUI- ---- ----
      cem   keeper RUI- RUI- ----
      anon  -      ---- ---- ----
      """
    )
    try app.check(households, documents: "households.json")
    #expect(Set(try app.fields(of: "bob", "Household").readable) == ["members", "name"])
    #expect(
      app.app.warnings.contains { $0.file == "data_sources/mongodb-atlas/app/Item/rules.json" }
    )
  }
}

extension Permissions {
  static func open(_ schema: Schema, role: String) -> Permissions {
    Permissions(
      classes: Dictionary(
        uniqueKeysWithValues: schema.classes.map {
          ($0.name, ClassPermission(role: role, read: .always, write: .always))
        }
      )
    )
  }
}
