// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel

@testable import FlexSyncConfiguration
@testable import FlexSyncRules
@testable import FlexSyncServerSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads any bytes as the files of an app directory. Built by Scripts/fuzz with libFuzzer.
///
/// A line `#N` begins file number N of a fixed list; the files that the input does not have are those of a small app. The
/// directory is read, or refused with a word on each problem; what its rules allow a user can be worked out, and is nothing
/// where they say nothing.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAppDirectory(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let folder = Folder.shared
  folder.fill(with: Array(UnsafeBufferPointer(start: bytes, count: count)))
  let check = AppDirectory.check(folder.path)
  precondition(check.app != nil || !check.errors.isEmpty, "refused without a word")
  for problem in check.errors { precondition(!problem.description.isEmpty) }
  guard let app = check.app else { return 0 }
  precondition(AppID.isValid(app.appID), "'\(app.appID)' as the name of a folder")
  for user in users {
    let permissions = app.rules.permissions(of: user, schema: app.schema)
    if app.rules.isEmpty { precondition(permissions.classes.isEmpty) }
    precondition(permissions == app.rules.permissions(of: user, schema: app.schema))
  }
  return 0
}

private let users = [
  UserContext(id: "65a000000000000000000001"),
  UserContext(
    id: "ann",
    type: "server",
    data: ["email": "ann@example.com"],
    customData: ["team": "red", "teams": ["red", "blue"], "isAdmin": true, "level": 3]
  ),
]

/// The files on the disk, written anew where they differ.
private final class Folder {
  nonisolated(unsafe) static let shared = Folder()

  private static let app: [(name: String, content: String)] = [
    ("root_config.json", #"{"app_id":"a","name":"A"}"#),
    ("auth/providers.json", #"{"anon-user":{"name":"anon-user","type":"anon-user"}}"#),
    ("sync/config.json", synchronization),
    ("data_sources/m/config.json", #"{"name":"m","type":"mongodb-atlas","config":{}}"#),
    ("data_sources/m/default_rule.json", roles),
    ("data_sources/m/d/Item/schema.json", schema),
    ("data_sources/m/d/Item/relationships.json", "{}"), ("data_sources/m/d/Item/rules.json", ""),
    ("auth/custom_user_data.json", ""), ("environments/production.json", ""),
    ("environments/no-environment.json", ""),
    ("values/v.json", ""), ("secrets.json", ""), ("functions/config.json", ""), ("hosting/config.json", ""),
  ]
  private static let synchronization =
    #"{"type":"flexible","state":"enabled","database_name":"d","service_name":"m","queryable_fields_names":["owner"]}"#
  private static let roles =
    #"{"roles":[{"name":"all","apply_when":{},"document_filters":{"read":true,"write":true},"read":true,"write":true}]}"#
  private static let schema =
    #"{"title":"Item","bsonType":"object","required":["_id"],"properties":{"_id":{"bsonType":"objectId"},"#
    + #""owner":{"bsonType":"string"}}}"#

  let path: String
  private var contents: [String: [UInt8]] = [:]

  private init() {
    var template = Array((access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp").utf8CString.dropLast())
    template += Array("/flexsync-fuzz-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { fatalError("cannot make a folder") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    atexit { Folder.shared.remove() }
    for (name, _) in Self.app {
      guard let slash = name.lastIndex(of: "/") else { continue }
      guard (try? FileSystem.createDirectory("\(path)/\(name[..<slash])")) != nil else {
        fatalError("no folder")
      }
    }
  }

  func fill(with input: [UInt8]) {
    var files = Dictionary(uniqueKeysWithValues: Self.app.map { ($0.name, Array($0.content.utf8)) })
    for part in Self.parts(of: input) { files[Self.app[part.number].name] = part.content }
    for (name, content) in files where contents[name] != content {
      contents[name] = content
      let file = "\(path)/\(name)"
      if content.isEmpty { unlink(file) } else { write(content, to: file) }
    }
  }

  private static func parts(of input: [UInt8]) -> [(number: Int, content: [UInt8])] {
    var parts: [(number: Int, content: [UInt8])] = []
    for line in input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      if line.first == UInt8(ascii: "#"), let number = Int(String(decoding: line.dropFirst(), as: UTF8.self))
      {
        parts.append((number: Int(number.magnitude % UInt(app.count)), content: []))
      } else if !parts.isEmpty {
        parts[parts.count - 1].content += line
      }
    }
    return parts
  }

  private func write(_ content: [UInt8], to file: String) {
    guard let stream = fopen(file, "w") else { fatalError("cannot write \(file)") }
    fwrite(content, 1, content.count, stream)
    fclose(stream)
  }

  private func remove() {
    for (name, _) in Self.app { unlink("\(path)/\(name)") }
    let folders = Set(Self.app.flatMap { Self.folders(of: $0.name) })
    for folder in folders.sorted(by: { $0.utf8.count > $1.utf8.count }) { rmdir("\(path)/\(folder)") }
    rmdir(path)
  }

  private static func folders(of name: String) -> [String] {
    let parts = name.split(separator: "/").dropLast()
    return parts.indices.map { parts[...$0].joined(separator: "/") }
  }
}
