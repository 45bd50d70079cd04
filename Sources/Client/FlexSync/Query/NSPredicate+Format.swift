// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Predicates from text, which Foundation has on Apple's systems only.
extension NSPredicate {
  /// Creates a predicate for `filter` and `index(matching:)` from text with the placeholders `%@`, `%d`, … and `%K`. See
  /// `Results.filter`.
  public convenience init(format: String, _ arguments: Any...) {
    self.init(format: format, argumentArray: arguments)
  }

  /// Creates a predicate for `filter` and `index(matching:)` from text with the placeholders `%@`, `%d`, … and `%K`. See
  /// `Results.filter`.
  public convenience init(format: String, argumentArray arguments: [Any]?) {
    let format = PredicateText(text: format, arguments: arguments ?? [])
    self.init(block: { object, _ in
      guard let reader = object as? PredicateTextReader else { return format.isSatisfied(by: object) }
      reader.text = format
      return false
    })
  }

  /// The text of the predicate. Stops the program for a block, which no query can express.
  fileprivate var text: PredicateText {
    if let compound = self as? NSCompoundPredicate { return compound.joined }
    if self == NSPredicate(value: true) { return PredicateText(text: "TRUEPREDICATE", arguments: []) }
    if self == NSPredicate(value: false) { return PredicateText(text: "FALSEPREDICATE", arguments: []) }
    let reader = PredicateTextReader()
    _ = evaluate(with: reader)
    guard let text = reader.text else {
      Misuse.stop("Only support compound, comparison, and constant predicates")
    }
    return text
  }
}

extension NSCompoundPredicate {
  fileprivate var joined: PredicateText {
    let parts = subpredicates.map(\.text)
    let texts = parts.map { "(\($0.text))" }
    let arguments = parts.flatMap(\.arguments)
    switch compoundPredicateType {
    case .not: return PredicateText(text: "NOT \(texts.first ?? "")", arguments: arguments)
    case .and where texts.isEmpty: return PredicateText(text: "TRUEPREDICATE", arguments: [])
    case .and: return PredicateText(text: texts.joined(separator: " AND "), arguments: arguments)
    case .or where texts.isEmpty: return PredicateText(text: "FALSEPREDICATE", arguments: [])
    case .or: return PredicateText(text: texts.joined(separator: " OR "), arguments: arguments)
    }
  }
}

extension RenderedQuery {
  /// Creates a query from a predicate, which is made of text, constants and combinations of these.
  init(_ predicate: NSPredicate) {
    let text = predicate.text
    self.init(text: text.text, anyArguments: text.arguments)
  }
}

/// The text of a predicate. Sendable, because the thread that evaluates the predicate is the one that uses its arguments.
private struct PredicateText: @unchecked Sendable {
  let text: String
  let arguments: [Any]

  /// Whether an object in a realm satisfies the predicate.
  func isSatisfied(by object: Any?) -> Bool {
    guard let managed = (object as? ObjectBase)?._managed else {
      Misuse.stop("A predicate with a text can only be evaluated with an object that is in a realm.")
    }
    let all = managed.realm.allObjects(managed.binding.classKey)
    do {
      let query = RenderedQuery(text: text, anyArguments: arguments)
      return try all.filtered(query, in: managed.realm).index(of: managed) != nil
    } catch {
      Misuse.stop("\(error)")
    }
  }
}

/// The object against which a predicate is evaluated to learn its text, which `NSPredicate` does not keep.
private final class PredicateTextReader {
  var text: PredicateText?
}
