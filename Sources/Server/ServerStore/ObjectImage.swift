// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

/// The queryable fields of an object at one point in time, which suffice to determine the views that contained it.
public struct ObjectImage: Hashable, Sendable {
  /// The content of one field.
  public enum Field: Hashable, Sendable {
    case value(Value)
    case elements([Value])
  }

  /// The fields in the order of the class's layout.
  public var fields: [Field]

  public init(fields: [Field]) {
    self.fields = fields
  }
}

/// The effect of one version of the history on one object.
public struct TouchedObject: Hashable, Sendable {
  public var object: ObjectReference
  /// Nil if the object did not exist.
  public var before: ObjectImage?
  /// Nil if the object no longer exists.
  public var after: ObjectImage?

  public init(object: ObjectReference, before: ObjectImage?, after: ObjectImage?) {
    self.object = object
    self.before = before
    self.after = after
  }
}

/// The objects that a version of the history touched, with the names of the fields in their images.
public struct HistoryImages: Hashable, Sendable {
  /// The field names of each class, in the order of its images.
  public var layouts: [String: [String]]
  public var objects: [TouchedObject]

  public init(layouts: [String: [String]] = [:], objects: [TouchedObject] = []) {
    self.layouts = layouts
    self.objects = objects
  }
}

extension HistoryImages {
  /// The images as bytes: the layouts, then for each object its class, its key, the images present, and their fields.
  var encoded: [UInt8] {
    var writer = ImageWriter()
    let classes = layouts.keys.sorted()
    writer.write(count: classes.count)
    var indexes: [String: Int] = [:]
    for (index, name) in classes.enumerated() {
      indexes[name] = index
      writer.write(bytes: Array(name.utf8))
      let fields = layouts[name] ?? []
      writer.write(count: fields.count)
      for field in fields { writer.write(bytes: Array(field.utf8)) }
    }
    writer.write(count: objects.count)
    for touched in objects {
      writer.write(count: indexes[touched.object.table] ?? 0)
      writer.write(bytes: KeyCoding.encode(touched.object.key))
      writer.write(touched)
    }
    return writer.bytes
  }

  /// Returns nil for bytes that `encoded` cannot have produced.
  init?(encoded bytes: [UInt8]) {
    var reader = ImageReader(bytes)
    guard let images = try? reader.images() else { return nil }
    self = images
  }
}
