// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncWire

// Descriptions of messages for the log.

extension ServerMessage {
  /// A short description of the message, including the changesets' effects on objects.
  var logText: String {
    guard case .download(let message) = self else {
      return "\(self)".prefix(while: { $0 != "(" }).description
    }
    let entries = message.entries.map { entry in
      "\n  \(entry.serverVersion) base \(entry.clientVersion) of \(entry.originFileIdent): "
        + changesetText(entry.changeset)
    }
    return
      "DOWNLOAD query \(message.queryVersion) \(message.batchState) server \(message.download.serverVersion) "
      + "upload \(message.upload.clientVersion)" + entries.joined()
  }
}

extension ClientMessage {
  /// A short description of the message, including the changesets' effects on objects.
  var logText: String {
    guard case .upload(let message) = self else { return "\(self)".prefix(while: { $0 != "(" }).description }
    let entries = message.entries.map { entry in
      "\n  \(entry.clientVersion) base \(entry.serverVersion): " + changesetText(entry.changeset)
    }
    return "UPLOAD client \(message.progress.clientVersion) server \(message.progress.serverVersion)"
      + entries.joined()
  }
}

private func changesetText(_ changeset: [UInt8]) -> String {
  do {
    return try ChangesetCodec.decode(changeset).instructions.compactMap(\.logText).joined(separator: ", ")
  } catch {
    return "\(error)"
  }
}

extension Instruction {
  fileprivate var logText: String? {
    switch self {
    case .addTable, .eraseTable, .addColumn, .eraseColumn: nil
    case .createObject(let object): "+\(object.table)(\(object.key))"
    case .eraseObject(let object): "-\(object.table)(\(object.key))"
    case .update(let path, let payload, _): "\(path.logText) = \(payload.logText)"
    case .addInteger(let path, let delta): "\(path.logText) += \(delta)"
    case .arrayInsert(let path, let payload, let size): "\(path.logText)/\(size) + \(payload.logText)"
    case .arrayMove(let path, let to, let size): "\(path.logText)/\(size) -> \(to)"
    case .arrayErase(let path, let size): "\(path.logText)/\(size) -"
    case .clear(let path, _): "\(path.logText) cleared"
    case .setInsert(let path, let payload): "\(path.logText) + \(payload.logText)"
    case .setErase(let path, let payload): "\(path.logText) - \(payload.logText)"
    }
  }
}

extension PropertyPath {
  fileprivate var logText: String {
    let steps = path.map { step in
      switch step {
      case .index(let index): "[\(index)]"
      case .name(let name): ".\(name)"
      }
    }
    return "\(object.table)(\(object.key)).\(field)" + steps.joined()
  }
}

extension Payload {
  fileprivate var logText: String {
    guard case .value(let value) = self else { return "\(self)" }
    return "\(value)"
  }
}
