// SPDX-License-Identifier: Apache-2.0

/// Locations in the package.
package enum PackageFolder {
  package static let root = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()
  /// The app directory that most tests serve.
  package static let taskTracker = "\(root)/Examples/TaskTracker"
  /// The files that record what Realm's clients and server send, merge and answer.
  package static let vectors = "\(root)/Tests/Vectors"
  package static let sessionVectors = "\(vectors)/sessions"
}
