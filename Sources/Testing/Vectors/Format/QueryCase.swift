// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel
import FlexSyncQuery

/// A query and the reference's answer, in a form common to both kinds of files.
struct QueryCase {
  let id: String
  let className: String
  let query: String
  let arguments: [QueryArgument]
  /// Nil if the query is refused or the file lists no objects.
  let keys: [PrimaryKey]?
  /// Whether the order of the objects is part of the expectation.
  let isOrdered: Bool
  /// The reference's canonical text.
  let description: String?
  let isAccepted: Bool
  /// The permitted kinds of error, by the names of `QueryError.Kind`; nil for any.
  let errors: Set<String>
  let count: Int
}

extension QueryCase {
  /// Creates the case of a row of `rql.jsonl`. A row with a member `refused_by_flexsync` has the reason for which FlexSync
  /// deliberately refuses what the reference accepts.
  init(row: JSON) throws(VectorError) {
    id = try row.text("id")
    className = try row.text("class")
    query = try row.text("query")
    arguments = try (row["args"]?.arrayValue ?? []).map { value throws(VectorError) in
      .value(try Value(vector: value))
    }
    if row["refused_by_flexsync"] != nil {
      (keys, count, isOrdered, description, isAccepted, errors) = (nil, 0, false, nil, false, [])
      return
    }
    guard try row.flag("accepted") else {
      (keys, count, isOrdered, description, isAccepted) = (nil, 0, false, nil, false)
      let error = try row.text("error")
      errors = error == "other" ? [] : [error]
      return
    }
    isAccepted = true
    isOrdered = row["ordered_pks"] != nil
    keys = try row.elements(isOrdered ? "ordered_pks" : "pks").map { key throws(VectorError) in
      try PrimaryKey(vector: key)
    }
    description = row["description_reparses"]?.boolValue == true ? row["description"]?.stringValue : nil
    count = try row.number("count")
    errors = []
  }
}
