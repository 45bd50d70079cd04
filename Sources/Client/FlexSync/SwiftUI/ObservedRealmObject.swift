// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import Combine
import SwiftUI
#else
import FlexSync
import FlexSyncOpenCombine
import OpenCombine
import SwiftUIStubs
#endif

/// An object, a list or a projection that a view is given, and follows. The view gets it frozen; `$` gives bindings of its
/// properties, which write to its realm.
@MainActor
@propertyWrapper
public struct ObservedRealmObject<
  ObjectType: RealmSubscribable & ThreadConfined & ObservableObject & Equatable
>:
  DynamicProperty
{
  /// Gives bindings of the properties of the object: `$task.taskName`.
  @MainActor
  @dynamicMemberLookup
  public struct Wrapper {
    /// The live object.
    public var wrappedValue: ObjectType
    fileprivate let note: () -> Void

    public subscript<Subject>(dynamicMember keyPath: ReferenceWritableKeyPath<ObjectType, Subject>)
      -> Binding<Subject>
    {
      Binding(of: wrappedValue, keyPath, note: note)
    }

    public subscript<Subject: Equatable>(dynamicMember keyPath: ReferenceWritableKeyPath<ObjectType, Subject>)
      -> Binding<Subject>
    {
      Binding(of: wrappedValue, keyPath, isChange: { $0 != $1 }, note: note)
    }

    public subscript<Subject: _PersistedCollection & ThreadConfined & Equatable>(
      dynamicMember keyPath: ReferenceWritableKeyPath<ObjectType, Subject>
    ) -> Binding<Subject> {
      Binding(ofCollection: wrappedValue, keyPath, note: note)
    }
  }

  @ObservedObject private var storage: ShownValue<ObjectType>

  /// The object as it is now; a new one once it was deleted.
  public var wrappedValue: ObjectType {
    get { storage.shown }
    set { storage.value = newValue }
  }

  public var projectedValue: Wrapper {
    let storage = storage
    return Wrapper(wrappedValue: storage.editable, note: { storage.noteChange() })
  }

  private init(_ value: ObjectType, _ replacement: ObjectType) {
    _storage = ObservedObject(wrappedValue: ShownValue(value, replacement: replacement))
  }

  public init(wrappedValue: ObjectType) where ObjectType: ObjectBase & Identifiable {
    self.init(wrappedValue, ObjectType())
  }

  public init<Element>(wrappedValue: ObjectType) where ObjectType == List<Element> {
    self.init(wrappedValue, ObjectType())
  }

  public init(wrappedValue: ObjectType) where ObjectType: ProjectionObservable {
    self.init(wrappedValue, ObjectType(projecting: ObjectType.Root()))
  }

  /// Publishes when the view is to be updated.
  public var _publisher: some Publisher { storage.objectWillChange }
}

extension ObservedRealmObject.Wrapper where ObjectType: ObjectBase {
  /// Deletes the object.
  public func delete() { change(wrappedValue) { $0.realm?.delete($0) } }
}
