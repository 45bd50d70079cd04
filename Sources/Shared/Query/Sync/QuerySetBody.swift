// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The body of a QUERY message: one query per class (protocol §4.1).
public enum QuerySetBody {
  /// Combines the subscriptions of a subscription set. Per class, the distinct texts are sorted by their UTF-8 bytes,
  /// each enclosed in parentheses, and joined by OR.
  ///
  /// - Parameter queries: The class name and canonical text of each subscription, in any order.
  /// - Returns: The class names in ascending order with their combined query, ready to become a JSON object.
  public static func combine(_ queries: [(className: String, text: String)]) -> [(
    className: String, text: String
  )] {
    var textsByClass: [String: [String]] = [:]
    for query in queries { textsByClass[query.className, default: []].append(query.text) }
    return textsByClass.sorted { UTF8Order.isLess($0.key, $1.key) }.map { className, texts in
      let sorted = texts.sorted(by: UTF8Order.isLess)
      var distinct: [String] = []
      for text in sorted where distinct.last.map({ UTF8Order.areEqual($0, text) }) != true {
        distinct.append(text)
      }
      return (className, distinct.map { "(\($0))" }.joined(separator: " OR "))
    }
  }
}
