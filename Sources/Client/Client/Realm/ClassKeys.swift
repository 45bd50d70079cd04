// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue
import Synchronization

/// The keys by which C names the classes of one realm file: the number of the class in the file, and above it a
/// number for the file. This reveals a key of another realm's class, and so a link to another realm's object.
struct ClassKeys {
  private static let classBits = 16

  /// The numbers of this process's files, by path. A file keeps its number when it is opened again.
  private static let files = Mutex<[RealmConfiguration.Location: UInt32]>([:])

  private let file: UInt32

  /// Creates the keys of the realm at a path.
  init(path: String) {
    file = Self.files.withLock { files in
      if let known = files[.file(path)] { return known }
      // The numbers wrap around: among many thousands of files, two may share one.
      let new = UInt32(truncatingIfNeeded: files.count % 0xffff) + 1
      files[.file(path)] = new
      return new
    }
  }

  /// Returns the key of a class by its number in the file; nil if the number is out of range.
  func key(ofClass number: Int64) -> flx_class_key_t? {
    guard number >= 0, number < 1 << Self.classBits else { return nil }
    return file << Self.classBits | flx_class_key_t(number)
  }

  /// Returns the number of a class by its key; nil if the key belongs to another realm.
  @inline(__always)
  func number(of key: flx_class_key_t) -> Int? {
    guard key >> Self.classBits == file else { return nil }
    return Int(key & (1 << Self.classBits - 1))
  }
}
