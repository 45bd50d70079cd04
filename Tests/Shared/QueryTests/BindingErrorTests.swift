// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery
import Testing

/// The words of QueryLanguage §3.
@Suite struct BindingErrorTests {
  private static let schema = Schema([
    ClassSchema(
      name: "Person",
      primaryKey: PropertySchema(name: "name", type: .string),
      properties: [
        PropertySchema(name: "age", type: .int), PropertySchema(name: "when", type: .timestamp),
        PropertySchema(name: "ints", type: .int, collection: .list),
        PropertySchema(name: "more", type: .int, collection: .list),
        PropertySchema(name: "tags", type: .string, collection: .set),
        PropertySchema(name: "dict", type: .mixed, collection: .dictionary),
        PropertySchema(name: "val", type: .mixed),
        PropertySchema(name: "spouse", type: .link, isNullable: true, linkTarget: "Person"),
        PropertySchema(name: "items", type: .link, collection: .list, linkTarget: "Item"),
        PropertySchema(name: "pals", type: .link, collection: .set, linkTarget: "Person"),
      ]
    ),
    ClassSchema(
      name: "Item",
      primaryKey: PropertySchema(name: "_id", type: .int),
      properties: [PropertySchema(name: "label", type: .string)]
    ),
  ])

  private func error(_ text: String, _ arguments: [QueryArgument] = []) -> QueryError? {
    do throws(QueryError) {
      _ = try Query.parse(text).bind(to: Self.schema, className: "Person", arguments: arguments)
      return nil
    } catch {
      return error
    }
  }

  private static let refusedQueries: [(text: String, message: String)] = [
    ("nothing == 1", "'Person' has no property 'nothing'"),
    ("age.x == 1", "Property 'Person.age' has no property 'x'"),
    ("@links.Item.x.name == 'a'", "No property 'x' found in type 'Item' which links to type 'Person'"),
    ("5 == 5", "Cannot compare two constants"), ("{1, 2} == 1 + 1", "Cannot compare two constants"),
    ("age == 'x'", "Unsupported comparison between type 'int' and type 'string'"),
    ("age == name", "Unsupported comparison between type 'int' and type 'string'"),
    ("spouse == 5", "Unsupported comparison between 'spouse' and type 'int'"),
    (
      "age CONTAINS 5",
      "Unsupported comparison operator 'contains' against type 'int', right side must be a string or binary type"
    ),
    (
      "name ==[c] 5",
      "Unsupported comparison between type 'string' and type 'int'"
    ),
    (
      "spouse > null",
      "Unsupported operator > in query. Only equal (==) and not equal (!=) are supported for this type."
    ),
    (
      "val.@type > 'int'",
      "Unsupported operator > in query. Only equal (==) and not equal (!=) are supported for this type."
    ),
    ("items == null", "Cannot compare linklist ('items') with NULL"),
    ("ANY items == null", "Cannot compare linklist ('ANY items') with NULL"),
    ("ANY age == 1", "The keypath following 'ANY' must contain a list"),
    ("NONE spouse.age == 1", "The keypath following 'NONE' must contain a list"),
    (
      "ints > more",
      "Ordered comparison between two primitive lists is not implemented yet ('ints' and 'more')"
    ),
    (
      "ints[0] > more[LAST]",
      "Ordered comparison between two primitive lists is not implemented yet ('ints[FIRST]' and 'more[LAST]')"
    ),
    ("age BETWEEN {1}", "Operator 'BETWEEN' requires list with 2 elements."),
    ("ANY ints BETWEEN {1, 2}", "Only 'ALL' supported for operator 'BETWEEN' when applied to lists."),
    ("dict['a'] BETWEEN {1, 2}", "Only 'ALL' supported for operator 'BETWEEN' when applied to lists."),
    ("age.@count == 1", "Operation '@count' is not supported on property of type 'int'"),
    ("dict.@keys.@count == 1", "Operation '@count' is not supported on property of type 'string'"),
    ("tags.@max == 'x'", "Cannot use aggregate '.@max' for this type of property"),
    ("age.@max == 1", "Cannot use aggregate '.@max' for this type of property"),
    ("items.label.@max == 1", "Cannot use aggregate '.@max' for this type of property"),
    ("items.@max.label == 1", "collection aggregate not supported for type 'string'"),
    ("pals.@sum.when == 1", "Cannot use aggregate '.@sum' for this type of property"),
    ("ints.@min.x == 1", "Operation '.@min' cannot apply to property 'ints' because it is not a list"),
    (
      "SUBQUERY(age, $x, TRUEPREDICATE).@count > 0",
      "A subquery must operate on a list property, but 'age' is type 'int'"
    ),
    (
      "SUBQUERY(ints, $x, TRUEPREDICATE).@count > 0",
      "A subquery can not operate on a list of primitive values (property 'ints')"
    ),
    ("SUBQUERY(items, $x, $x.nope == 1).@count > 0", "'Item' has no property 'nope'"),
    ("age == inf", "Infinity not supported for int"),
    ("name == inf", "Infinity not supported for string"),
    ("age / 1e999 == 1", "Infinity not supported for int"),
    ("age == 1e99f", "Infinity not supported for int"),
    ("age > 0 SORT(x ASC)", "No property 'x' found on object type 'Person' specified in 'sort' clause"),
    (
      "age > 0 DISTINCT(spouse.x)",
      "No property 'x' found on object type 'Person' specified in 'distinct' clause"
    ),
    ("tags[FIRST] == 'a'", "Property 'Person.tags' does not support index 'FIRST'"),
    ("dict[1] == 1", "Property 'Person.dict' does not support index '1'"),
    ("age[LAST] == 1", "Property 'Person.age' does not support index 'LAST'"),
    ("ints['a'] == 1", "Property 'Person.ints' has no property 'a'"),
    ("ints[0][1] == 1", "Only Property of type 'any' can have nested collections"),
    ("when > 1899-12-31@00:00:00", "Conversion of dates before 1900 is not supported."),
    ("when > 2023-13-45@00:00:00", "'2023-13-45@00:00:00' is not a date: there is no month 13"),
    ("when > 2023-0-1@00:00:00", "'2023-0-1@00:00:00' is not a date: there is no month 0"),
    (
      "when > 2023-12-45@00:00:00",
      "'2023-12-45@00:00:00' is not a date: there is no day 45 in month 12 of 2023"
    ),
    (
      "when > 2023-11-31@00:00:00",
      "'2023-11-31@00:00:00' is not a date: there is no day 31 in month 11 of 2023"
    ),
    (
      "when > 2023-02-30@00:00:00",
      "'2023-02-30@00:00:00' is not a date: there is no day 30 in month 2 of 2023"
    ),
    (
      "when > 2023-2-29T00:00:00", "'2023-2-29T00:00:00' is not a date: there is no day 29 in month 2 of 2023"
    ),
    (
      "when > 2100-02-29@00:00:00",
      "'2100-02-29@00:00:00' is not a date: there is no day 29 in month 2 of 2100"
    ),
    (
      "when > 2023-01-00@00:00:00",
      "'2023-01-00@00:00:00' is not a date: there is no day 0 in month 1 of 2023"
    ),
    ("when > 2023-01-01@24:00:00", "'2023-01-01@24:00:00' is not a date: there is no hour 24"),
    ("when > 2023-01-01@23:60:00", "'2023-01-01@23:60:00' is not a date: there is no minute 60"),
    ("when > 2023-01-01@23:59:60:5", "'2023-01-01@23:59:60:5' is not a date: there is no second 60"),
    (
      "age.@type == 'int'",
      "Comparison between two constants is not supported ('\"int\"' and '\"int\"')"
    ),
    (
      "spouse GEOWITHIN geoCircle([1, 2], 0.1)",
      "Query 'Person' links to data in the wrong format for a geoWithin query"
    ),
    (
      "age GEOWITHIN geoCircle([1, 2], 0.1)",
      "The left hand side of 'geoWithin' must be a link to geoJSON formatted data. But the provided type is 'int'"
    ),
  ]

  @Test(arguments: refusedQueries)
  func refusesWhatDoesNotFitTheSchema(text: String, message: String) {
    let error = error(text)
    #expect(error?.message == message)
    #expect(error?.kind == .query)
  }

  private static let refusedArguments: [(text: String, arguments: [QueryArgument], message: String)] = [
    ("age IN 5", [], "The keypath following 'IN' must contain a list. Found '5'"),
    ("1 IN spouse.age", [], "The keypath following 'IN' must contain a list. Found 'spouse.age'"),
    ("'a' IN dict.@keys", [], "The keypath following 'IN' must contain a list. Found 'dict.@keys'"),
    ("age + name == 1", [], "Cannot perform '+' operation on 'age' and 'name'"),
    ("age == $0", [], "Request for argument at index 0 but no arguments are provided"),
    ("age == $1", [.value(.int(1))], "Request for argument at index 1 but only 1 argument is provided"),
    ("age == $0", [.value(.string("two"))], "Cannot compare argument $0 with value '\"two\"' to a int"),
    ("age IN {$0}", [.list([])], "Request for scalar argument at index 0 but a list was provided"),
    ("val.@type == 5", [], "Unsupported comparison between @type and raw value: '@type' and 'int'"),
    ("val.@type == age", [], "Unsupported comparison between @type and raw value: '@type' and 'int'"),
  ]

  @Test(arguments: refusedArguments)
  func refusesArgumentsThatDoNotFit(text: String, arguments: [QueryArgument], message: String) {
    let error = error(text, arguments)
    #expect(error?.message == message)
    #expect(error?.kind == .argument)
  }

  @Test func refusesInfiniteAndQuantifiedArgumentsAsPartsOfTheQuery() {
    #expect(error("age == $0", [.value(.double(.infinity))])?.kind == .query)
    #expect(error("ANY $0 == age", [.value(.int(1))])?.kind == .query)
  }

  @Test func namesTheTypesThatTypeNamesCanSay() {
    let message = error("val.@type == 'bogus'")?.message
    #expect(
      message?.hasPrefix(
        "Unable to parse the type attribute string 'bogus', supported case insensitive values are: [null, int, "
      ) == true
    )
  }

  @Test func keyPathArgumentsStandForWholePaths() throws {
    let bound = try Query.parse("$K0 == 1").bind(
      to: Self.schema,
      className: "Person",
      arguments: [.keyPath("spouse.age")]
    )
    #expect(bound.canonicalText == "spouse.age == 1")
    let mixed = error("$K0.age == 1", [.keyPath("spouse")])
    #expect(mixed?.message == "Key path argument cannot be mixed with other elements")
    #expect(error("$K0 == 1", [.keyPath("spouse..age")])?.kind == .syntax)
    #expect(error("$K0 == 1", [.value(.int(1))])?.kind == .argument)
  }

  @Test func mappedNamesStandForPaths() throws {
    var mapping = KeyPathMapping()
    mapping.add("years", of: "Person", for: "age")
    mapping.add("partner", of: "Person", for: "spouse")
    mapping.add("inLaw", of: "Person", for: "partner.partner.years")
    mapping.add(className: "Person", as: "Human")
    mapping.add("loop", of: "Person", for: "spouse.loop")
    func canonical(_ text: String) throws -> String {
      try Query.parse(text).bind(to: Self.schema, className: "Person", mapping: mapping).canonicalText
    }
    #expect(try canonical("years > 1") == "age > 1")
    #expect(try canonical("partner.inLaw == 3") == "spouse.spouse.spouse.age == 3")
    #expect(try canonical("@links.Human.spouse.years == 1") == "@links.Person.spouse.age == 1")
    #expect(try canonical("spouse == obj('Human', 'x')") == "spouse == obj(\"class_Person\",\"x\")")
    let error = #expect(throws: QueryError.self) { try canonical("loop == 1") }
    #expect(error?.message.contains("loop") == true)
  }
}
