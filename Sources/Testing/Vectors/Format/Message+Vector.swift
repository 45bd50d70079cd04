// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel
import FlexSyncWire

/// Messages in the terms of `messages.jsonl`. Numbers are strings.
extension ClientMessage {
  var vectorFields: [String: JSON] {
    switch self {
    case .bind(let message): message.vectorFields
    case .ident(let message): message.vectorFields
    case .query(let session, let version, let body):
      ["session": number(session), "query_version": number(version), "query": text(body)]
    case .upload(let message): message.vectorFields(compressedForm: encode())
    case .mark(let session, let request): ["session": number(session), "request": number(request)]
    case .unbind(let session): ["session": number(session)]
    case .ping(let timestamp, let roundTripTime):
      ["timestamp": number(timestamp), "rtt": number(roundTripTime)]
    case .error(let session, let code, let message):
      [
        "session": number(session), "code": number(code.rawValue),
        "body": .string(JSON.object([JSON.Member("message", .string(message))]).serialized),
      ]
    case .testCommand(let session, let request, let body): testCommandFields(session, request, body)
    }
  }
}

extension ServerMessage {
  var vectorFields: [String: JSON] {
    switch self {
    case .ident(let session, let file):
      ["session": number(session), "file": number(file.ident), "salt": number(file.salt)]
    case .download(let message): message.vectorFields
    case .mark(let session, let request): ["session": number(session), "request": number(request)]
    case .unbound(let session): ["session": number(session)]
    case .pong(let timestamp): ["timestamp": number(timestamp)]
    case .error(let message): message.vectorFields
    case .plainError(let message):
      [
        "session": number(message.session), "code": number(message.code.rawValue),
        "message": .string(message.info.message), "is_fatal": .bool(!message.info.tryAgain),
        "recovery_disabled": false, "action": "NoAction",
      ]
    case .queryError(let session, let code, let version, let message):
      [
        "session": number(session), "code": number(code.rawValue), "query_version": number(version),
        "message": .string(message),
      ]
    case .log(let message): message.vectorFields
    case .testCommand(let session, let request, let body): testCommandFields(session, request, body)
    }
  }
}

extension BindMessage {
  fileprivate var vectorFields: [String: JSON] {
    [
      "session": number(session), "json": text(parameters), "path": text(parameters), "token": .string(token),
      "need_client_file_ident": .bool(needsFileIdent), "is_subserver": .bool(isSubserver),
    ]
  }
}

extension IdentMessage {
  fileprivate var vectorFields: [String: JSON] {
    [
      "session": number(session), "file": number(file.ident), "salt": number(file.salt),
      "scan_server_version": number(download.serverVersion),
      "scan_client_version": number(download.clientVersion),
      "latest_server_version": number(latest.serverVersion),
      "latest_server_version_salt": number(latest.salt), "query_version": number(queryVersion),
      "query": text(queryBody),
    ]
  }
}

extension UploadMessage {
  /// - Parameter compressedForm: The message as our implementation would send it.
  fileprivate func vectorFields(compressedForm: [UInt8]) -> [String: JSON] {
    let bodySize = entries.reduce(0) { size, entry in
      let head = [
        entry.clientVersion, entry.serverVersion, entry.timestamp, entry.originFileIdent,
        UInt64(entry.changeset.count),
      ]
      return head.reduce(size + entry.changeset.count) { $0 + String($1).utf8.count + 1 }
    }
    return [
      "session": number(session),
      "compressed": .bool(AnyMessage.client(.upload(self)).isCompressed(compressedForm)),
      "uncompressed_size": number(bodySize),
      "progress_client_version": number(progress.clientVersion),
      "progress_server_version": number(progress.serverVersion),
      "locked_server_version": number(lockedServerVersion),
      "changesets": .array(
        entries.map { entry in
          [
            "client_version": number(entry.clientVersion), "server_version": number(entry.serverVersion),
            "timestamp": number(entry.timestamp), "file": number(entry.originFileIdent),
            "hex": .string(Hex.encode(entry.changeset)),
          ]
        }
      ),
    ]
  }
}

extension DownloadMessage {
  fileprivate var vectorFields: [String: JSON] {
    [
      "session": number(session), "download_server_version": number(download.serverVersion),
      "download_client_version": number(download.clientVersion),
      "latest_server_version": number(latest.serverVersion),
      "latest_server_version_salt": number(latest.salt),
      "upload_client_version": number(upload.clientVersion),
      "upload_server_version": number(upload.serverVersion),
      "query_version": number(queryVersion), "batch_state": number(batchState.rawValue),
      "progress_estimate": .double(progressEstimate),
      "changesets": .array(
        entries.map { entry in
          [
            "server_version": number(entry.serverVersion), "client_version": number(entry.clientVersion),
            "timestamp": number(entry.timestamp), "file": number(entry.originFileIdent),
            "original_size": number(entry.originalSize), "hex": .string(Hex.encode(entry.changeset)),
          ]
        }
      ),
    ]
  }
}

extension ErrorMessage {
  fileprivate var vectorFields: [String: JSON] {
    var fields: [String: JSON] = [
      "session": number(session), "code": number(code.rawValue), "message": .string(info.message),
      "is_fatal": .bool(!info.tryAgain), "log_url": .string(info.logURL),
      "should_client_reset": .bool(info.shouldClientReset),
      "recovery_disabled": .bool(info.isRecoveryModeDisabled), "action": .string(info.action.rawValue),
    ]
    if let backoff = info.backoff {
      fields["backoff"] = [
        "initial_s": number(backoff.initialSeconds), "max_s": number(backoff.maximumSeconds),
        "multiplier": number(backoff.multiplier),
      ]
    }
    fields["compensating_write_server_version"] = info.compensatingWriteServerVersion.map(number)
    fields["rejected_client_version"] = info.rejectedClientVersion.map(number)
    fields["previous_schema_version"] = info.previousSchemaVersion.map(number)
    fields["migration_query"] = info.partitionQuery.map(JSON.string)
    fields["rejected_writes"] = .array(
      info.rejectedUpdates.map { update in
        [
          "class": .string(update.className), "pk": update.key.vectorValue,
          "reason": .string(update.reason),
        ]
      }
    )
    return fields
  }
}

extension LogMessage {
  fileprivate var vectorFields: [String: JSON] {
    var fields: [String: JSON] = ["session": number(session), "level": .string(level.rawValue)]
    fields["message"] = message.map(JSON.string)
    fields["co_id"] = correlationId.map(JSON.string)
    return fields
  }
}

private func testCommandFields(_ session: SessionIdent, _ request: UInt64, _ body: String) -> [String: JSON] {
  ["session": number(session), "request": number(request), "body": .string(body)]
}

extension PrimaryKey {
  fileprivate var vectorValue: JSON {
    switch self {
    case .null: ["null": true]
    case .int(let value): ["int": number(value)]
    case .string(let value): ["string": .string(value)]
    case .objectId(let value): ["objectId": .string(value.description)]
    case .uuid(let value): ["uuid": .string(value.description)]
    case .globalKey(let high, let low):
      ["globalKey": ["hi": .string(String(high, radix: 16)), "lo": .string(String(low, radix: 16))]]
    }
  }
}

private func number(_ value: some BinaryInteger) -> JSON { .string(String(value)) }

private func text(_ bytes: [UInt8]) -> JSON { .string(String(decoding: bytes, as: UTF8.self)) }
