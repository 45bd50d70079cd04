// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Synchronization

/// The keys that C has for the classes of one realm file: the number of the class in the file, and above it a number of
/// the file, so that the key of another realm's class, and with it a link to another realm's object, is noticed.
struct ClassKeys {
  private static let classBits = 16

  /// The numbers of the files of this process, by path. A file keeps its number when it is opened again.
  private static let files = Mutex<[String: UInt32]>([:])

  private let file: UInt32

  /// The keys of the realm at a path.
  init(path: String) {
    file = Self.files.withLock { files in
      if let known = files[path] { return known }
      // After the last number the first comes again: two of many thousand files may share one.
      let new = UInt32(truncatingIfNeeded: files.count % 0xffff) + 1
      files[path] = new
      return new
    }
  }

  /// The key of a class by its number in the file; nil for numbers beyond all reason.
  func key(ofClass number: Int64) -> flx_class_key_t? {
    guard number >= 0, number < 1 << Self.classBits else { return nil }
    return file << Self.classBits | flx_class_key_t(number)
  }

  /// The number of a class by its key; nil if the key is another realm's.
  @inline(__always)
  func number(of key: flx_class_key_t) -> Int? {
    guard key >> Self.classBits == file else { return nil }
    return Int(key & (1 << Self.classBits - 1))
  }
}
