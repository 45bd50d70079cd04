// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel
import FlexSyncQuery

extension QueryDataset {
  /// Reads the data set of a file in the format of `rql.jsonl`.
  convenience init(besidePath path: String) throws {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    let json = try VectorFile.value(path: folder + "rql_dataset.json")
    self.init(schema: try Schema(vector: json.field("schema")))
    let state = try ModelState(vector: json.field("objects"))
    // The state is sorted by key; the instructions give the order of insertion.
    for instruction in try json.elements("instructions") where try instruction.text("op") == "CreateObject" {
      let link = Link(
        className: try instruction.text("table"),
        key: try PrimaryKey(vector: instruction.field("pk"))
      )
      guard let fields = state.objects[link.className]?[link.key] else { continue }
      var image = image(fields, of: link.className)
      if let property = schema[link.className]?.primaryKey {
        image.fields[property.name] = .value(link.key.value ?? .null)
      }
      insert(link, image)
    }
  }

  private func image(_ fields: [String: ModelState.Node], of className: String) -> RowImage {
    var image = RowImage()
    for property in schema[className]?.properties ?? [] {
      image.fields[property.name] = fields[property.name].map { field($0, property) }
    }
    return image
  }

  private func field(_ node: ModelState.Node, _ property: PropertySchema) -> RowImage.Field {
    guard property.collection != .single else { return .value(value(node, property)) }
    switch node {
    case .list(let nodes): return .list(nodes.map { value($0, property) })
    case .set(let values): return .list(Array(values))
    case .dictionary(let entries): return .dictionary(self.entries(entries, property))
    case .scalar, .object: return .list([])
    }
  }

  private func value(_ node: ModelState.Node, _ property: PropertySchema) -> Value {
    switch node {
    case .scalar(let value): value
    case .list(let nodes): .list(nodes.map { value($0, property) })
    case .set(let values): .list(Array(values))
    case .dictionary(let entries): .dictionary(self.entries(entries, property))
    case .object(let fields): embedded(fields, property)
    }
  }

  private func entries(
    _ entries: [[UInt8]: ModelState.Node],
    _ property: PropertySchema
  ) -> [DictionaryEntry] {
    DictionaryEntry.sorted(
      entries.map { DictionaryEntry(String(decoding: $0.key, as: UTF8.self), value($0.value, property)) }
    )
  }

  private func embedded(_ fields: [String: ModelState.Node], _ property: PropertySchema) -> Value {
    guard let target = property.linkTarget else { return .null }
    return insertEmbedded(target, image(fields, of: target))
  }
}
