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

/// Results that a view can search.
@MainActor
public protocol SearchableResults {
  associatedtype Element
  /// Shows only objects with a text in a property; all for an empty text.
  func _search<Searched: ObjectBase>(_ text: String, in keyPath: KeyPath<Searched, String>)
}

@MainActor
extension View {
  /// Shows a search field, and only those objects whose property contains its text.
  ///
  /// - Parameters:
  ///   - collection: the projected value of `@ObservedResults` or `@ObservedSectionedResults`.
  ///   - keyPath: the property to search.
  public func searchable<Results: SearchableResults>(
    text: Binding<String>,
    collection: Results,
    keyPath: KeyPath<Results.Element, String>,
    placement: SearchFieldPlacement = .automatic,
    prompt: Text? = nil
  ) -> some View where Results.Element: ObjectBase {
    collection._search(text.wrappedValue, in: keyPath)
    return searchable(text: text, placement: placement, prompt: prompt)
  }

  /// Shows a search field with a localized prompt, and only those objects whose property contains its text.
  public func searchable<Results: SearchableResults>(
    text: Binding<String>,
    collection: Results,
    keyPath: KeyPath<Results.Element, String>,
    placement: SearchFieldPlacement = .automatic,
    prompt: LocalizedStringKey
  ) -> some View where Results.Element: ObjectBase {
    searchable(
      text: text,
      collection: collection,
      keyPath: keyPath,
      placement: placement,
      prompt: Text(prompt)
    )
  }

  /// Shows a search field with a prompt, and only those objects whose property contains its text.
  public func searchable<Results: SearchableResults, Prompt: StringProtocol>(
    text: Binding<String>,
    collection: Results,
    keyPath: KeyPath<Results.Element, String>,
    placement: SearchFieldPlacement = .automatic,
    prompt: Prompt
  ) -> some View where Results.Element: ObjectBase {
    searchable(
      text: text,
      collection: collection,
      keyPath: keyPath,
      placement: placement,
      prompt: Text(prompt)
    )
  }
}
