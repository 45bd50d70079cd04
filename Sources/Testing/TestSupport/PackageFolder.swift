// SPDX-License-Identifier: Apache-2.0

/// Places in the package.
package enum PackageFolder {
  package static let root = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()
  /// The app directory that most tests serve.
  package static let taskTracker = "\(root)/Examples/TaskTracker"
  /// What Realm's peers do, in files.
  package static let vectors = "\(root)/Tests/Vectors"
  package static let sessionVectors = "\(vectors)/sessions"
}
