// SPDX-License-Identifier: Apache-2.0

/// Something that is allowed in a subscription, but inadvisable.
public enum SyncQueryWarning: Hashable, Sendable {
  /// A comparison ignores case. No index can serve it, neither on the server nor on the device.
  case ignoresCase(field: String)

  /// Returns the warnings about a predicate, each once, in order of occurrence.
  public static func warnings(about predicate: Predicate) -> [SyncQueryWarning] {
    var warnings: [SyncQueryWarning] = []
    predicate.forEachComparison { comparison in
      guard comparison.ignoresCase else { return }
      for path in comparison.paths {
        let warning = ignoresCase(field: path.property.name)
        if !warnings.contains(warning) { warnings.append(warning) }
      }
    }
    return warnings
  }
}

extension SyncQueryWarning: CustomStringConvertible {
  public var description: String {
    switch self {
    case .ignoresCase(let field):
      "The comparison with \"\(field)\" ignores case ([c]), so it cannot use an index; store the text in lower "
        + "case and compare that"
    }
  }
}
