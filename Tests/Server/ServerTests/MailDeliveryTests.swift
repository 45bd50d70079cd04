// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncTestSupport
import Testing

@testable import FlexSyncAccounts
@testable import FlexSyncServerSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Handing over mails")
struct MailDeliveryTests {
  private let folder = TemporaryFolder()

  private func program(_ script: String) -> String {
    folder.write("#!/bin/sh\n\(script)\n", to: "mail")
    chmod("\(folder.path)/mail", 0o700)
    return "\(folder.path)/mail"
  }

  @Test("A program gets the mail on its standard input")
  func command() throws {
    let output = "\(folder.path)/output"
    let mail: JSON = ["to": "ann@example.com", "subject": "$(exit 1); `x`"]
    try MailDelivery.command(program("cat > \(output)")).deliver(mail)
    #expect(try JSON.parse(try FileSystem.contents(of: output)) == mail)
  }

  @Test(
    "What goes wrong with a program is told",
    arguments: [("exit 3", "status 3"), ("exec sleep 5", "did not exit"), ("kill -9 $$", "failed")]
  )
  func failures(script: String, message: String) throws {
    let command = MailCommand(program: program(script), timeoutMilliseconds: 200)
    let error = try #require(throws: ServerError.self) { try command.run(input: Array("{}\n".utf8)) }
    #expect(error.description.contains(message))
  }

  @Test("A program that does not read, or is not there, harms nobody")
  func deafProgram() throws {
    try MailCommand(program: program("exit 0")).run(input: [UInt8](repeating: 0x20, count: 1_000))
    #expect(throws: ServerError.self) { try MailCommand(program: "/nonexistent").run(input: []) }
  }

  @Test("A missing program, one that cannot run, and a file in place of a folder are refused at the start")
  func checks() throws {
    try MailDelivery.command(program("exit 0")).check()
    try MailDelivery.folder("\(folder.path)/later").check()
    #expect(throws: ServerError.self) { try MailDelivery.command("sendmail").check() }
    #expect(throws: ServerError.self) { try MailDelivery.command(folder.path).check() }
    let text = "\(folder.path)/text"
    try FileSystem.writePrivately([0x61], to: text)
    #expect(throws: ServerError.self) { try MailDelivery.command(text).check() }
    #expect(throws: ServerError.self) { try MailDelivery.folder(text).check() }
  }

  @Test("A folder gets a private file for each mail")
  func spool() throws {
    let path = "\(folder.path)/spool"
    for _ in 0..<2 { try MailDelivery.folder(path).deliver(["to": "ann@example.com"]) }
    let files = try FileSystem.entries(of: path)
    #expect(files.count == 2 && files.allSatisfy { $0.hasSuffix(".json") })
    var status = stat()
    #expect(stat("\(path)/\(files[0])", &status) == 0 && status.st_mode & 0o077 == 0)
  }
}
