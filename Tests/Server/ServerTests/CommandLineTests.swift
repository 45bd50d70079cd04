// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncJSON
import FlexSyncTestSupport
import Testing

@testable import FlexSyncServer
@testable import FlexSyncServerSupport

@Suite("What flexsyncd says to a wrong command line")
struct CommandLineTests {
  private let folder = TemporaryFolder()
  private let app = SmallApp(schemas: [
    "notes": """
    {"title":"Note","bsonType":"object","required":["_id"],"properties":{"_id":{"bsonType":"long"}}}
    """
  ])
  private var data: String { folder.file("data") }

  /// Runs a server whose options keep it from starting.
  private func serve(_ arguments: [String]) throws -> Command {
    try Command(["serve", "--app", app.path, "--data", data] + arguments)
  }

  @Test(
    "A wrong value of an option of serve ends it with status 64, with which systemd does not restart it",
    arguments: [
      ("--limit foo=3", "unknown limit \"foo\""),
      ("--limit query-burst", "has no value"),
      ("--limit query-burst=-1", "the limit query-burst is \"-1\""),
      ("--limit query-burst=5 --limit query-burst=6", "the limit query-burst is given twice"),
      ("--listen 19502", "is not an address"),
      ("--public-url sync.example.com", "the public URL \"sync.example.com\""),
      ("--tls-certificate chain.pem", "must be given together"),
      ("--session-days 0", "--session-days is 0; it must be from 1 to 1000000"),
      ("--mails-per-address 0", "--mails-per-address is 0; it must be at least 1"),
    ]
  )
  func wrongOption(arguments: String, message: String) throws {
    let command = try serve(arguments.split(separator: " ").map(String.init))
    #expect(command.status == 64)
    #expect(command.errors.contains(message), "\(command.errors)")
    #expect(!FileSystem.exists(data))
  }

  @Test(
    "So does one of the other commands",
    arguments: [
      ("logs --since yesterday", "--since yesterday: write a time"),
      ("users list --provider foo", "--provider foo is unknown; the providers are anon-user, local-userpass"),
      ("users create --email nobody --password-file -", "\"nobody\" is not a valid e-mail address"),
      ("users api-keys create --name ''", "--name is empty"),
      ("users api-keys create --name=a/b --user ann", "must consist of 1 to 64 letters"),
      ("migrate --users u.json --first-password-until soon", "--first-password-until soon: write a date"),
      ("migrate --users u.json --first-password-until 2020-01-01", "is in the past"),
    ]
  )
  func wrongOptionElsewhere(arguments: String, message: String) throws {
    let words = arguments.split(separator: " ").map { $0 == "''" ? "" : String($0) }
    let command = try Command(words + ["--app", app.path, "--data", data])
    #expect(command.status == 64)
    #expect(command.errors.contains(message), "\(command.errors)")
  }

  @Test("What depends on the machine ends serve with status 1: something may appear there")
  func environment() throws {
    folder.write("", to: "file")
    let none = try serve(["--mail-command", folder.file("none")])
    #expect(none.status == 1 && none.errors.contains("there is no program"), "\(none.errors)")
    let mail = try serve(["--mail-folder", folder.file("file/mails")])
    #expect(
      mail.status == 1 && mail.errors.contains("cannot create \(folder.file("file"))"),
      "\(mail.errors)"
    )
    let file = try Command([
      "serve", "--app", app.path, "--data", folder.file("file"), "--listen", "127.0.0.1:0",
    ])
    #expect(
      file.status == 1 && file.errors.contains("file is a file; --data names a folder"),
      "\(file.errors)"
    )
  }

  @Test("Directories with one app_id are named, and one that is not there is not called unservable")
  func directories() throws {
    let other = SmallApp(isDevelopmentMode: true)
    let twice = try serve(["--app", other.path])
    #expect(twice.status == 1)
    #expect(
      twice.errors.contains("\(app.path) and \(other.path) have the same app_id, tasktracker-abcde"),
      "\(twice.errors)"
    )
    let missing = try Command(["check", "--app", folder.file("none")])
    #expect(missing.status == 1 && missing.output.contains("\(folder.file("none")): does not exist"))
    let file = try Command(["check", "--app", "\(app.path)/root_config.json"])
    #expect(file.status == 1 && file.output.contains("root_config.json: is not a folder"), "\(file.output)")
  }

  @Test("A certificate or a key that is none is named with its option and with what is wrong")
  func tlsFiles() throws {
    folder.write("-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n", to: "chain.pem")
    folder.write("-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n", to: "key.pem")
    folder.write([0x30, 0x82, 0x01], to: "chain.der")
    let (chain, key) = (folder.file("chain.pem"), folder.file("key.pem"))
    let cases = [
      (folder.file("none"), key, "--tls-certificate: there is no file"),
      (folder.path, key, "--tls-certificate: \(folder.path) is a folder"),
      (folder.file("chain.der"), key, "chain.der is not a PEM file"),
      (key, key, "--tls-certificate: \(key) has no certificate"),
      (chain, chain, "--tls-key: \(chain) has no private key"),
    ]
    for (certificate, key, message) in cases {
      let command = try serve(["--tls-certificate", certificate, "--tls-key", key])
      #expect(command.status == 1 && command.errors.contains(message), "\(command.errors)")
    }
  }

  @Test("With --log-format json, the reason why a server does not start is a line of JSON, too")
  func failureAsJSON() throws {
    let command = try serve(["--mail-command", folder.file("none"), "--log-format", "json"])
    #expect(command.status == 1)
    let line = try JSON.parse(Array(command.errors.utf8))
    #expect(line["level"] == "critical" && line["time"] != nil)
    #expect(line["message"]?.stringValue?.hasPrefix("there is no program") == true)
  }

  @Test("The folder for mails is there as soon as the server is")
  func mailFolder() throws {
    _ = try Harness { [folder] in $0.mailDelivery = .folder(folder.file("mails/new")) }
    #expect(FileSystem.isDirectory(folder.file("mails/new")))
  }

  @Test("A collection that an import does not find is answered with those that there are")
  func unknownCollection() throws {
    folder.write("", to: "notes.json")
    let arguments = ["import", "--app", app.path, "--data", data, folder.file("notes.json"), "--collection"]
    let command = try Command(arguments + ["note"])
    #expect(command.errors.contains("no collection or class \"note\"; it has notes"), "\(command.errors)")
  }

  @Test("A server key needs a name, which is not said to exist already")
  func namelessKey() throws {
    let administration = try Harness().administration()
    let error = #expect(throws: ServerError.self) { try administration.createServerAPIKey(name: "") }
    #expect("\(error as Any)".contains("--name is empty"))
  }
}
