// SPDX-License-Identifier: Apache-2.0

import FlexSyncServerSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The operator's program that sends e-mail. It runs without a shell and without arguments, so nothing in an e-mail
/// can become a command.
struct MailCommand {
  let program: String
  var timeoutMilliseconds = 30_000

  private static let pauseMilliseconds = 10

  /// Runs the program and waits for it to exit.
  ///
  /// - Throws: `ServerError` if it cannot be run, does not exit in time, or exits with a status other than 0.
  func run(input: [UInt8]) throws(ServerError) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, MailCommand.streamType, 0, &ends) == 0 else { throw failure("socketpair") }
    defer { for end in ends where end >= 0 { close(end) } }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let process = try start(standardInput: ends[1])
    close(ends[1])
    ends[1] = -1
    // A socket pair rather than a pipe: writing to a program that does not read must not raise SIGPIPE.
    _ = input.withUnsafeBytes { send(ends[0], $0.baseAddress, $0.count, MailCommand.sendFlags) }
    shutdown(ends[0], MailCommand.shutdownBoth)
    try wait(for: process)
  }

  #if canImport(Glibc)
  private static let streamType = Int32(SOCK_STREAM.rawValue)
  private static let sendFlags = Int32(MSG_NOSIGNAL)
  private static let shutdownBoth = Int32(SHUT_WR)
  private typealias FileActions = posix_spawn_file_actions_t
  private typealias Attributes = posix_spawnattr_t
  #else
  private static let streamType = SOCK_STREAM
  private static let sendFlags: Int32 = 0
  private static let shutdownBoth = SHUT_WR
  private typealias FileActions = posix_spawn_file_actions_t?
  private typealias Attributes = posix_spawnattr_t?
  #endif

  private func start(standardInput: Int32) throws(ServerError) -> pid_t {
    var actions = FileActions()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, standardInput, STDIN_FILENO)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(program), nil]
    var environment: [UnsafeMutablePointer<CChar>?] = [strdup("PATH=/usr/local/bin:/usr/bin:/bin"), nil]
    defer { for text in arguments + environment { free(text) } }
    var attributes = Attributes()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The server's threads block signals, and a child process inherits the mask.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var process: pid_t = 0
    let code = posix_spawn(&process, program, &actions, &attributes, &arguments, &environment)
    guard code == 0 else { throw failure(String(cString: strerror(code))) }
    return process
  }

  private func wait(for process: pid_t) throws(ServerError) {
    var status: Int32 = 0
    var waited = 0
    while true {
      let ended = waitpid(process, &status, WNOHANG)
      if ended == process { break }
      if ended < 0 && errno != EINTR { throw failure(String(cString: strerror(errno))) }
      guard waited < timeoutMilliseconds else {
        kill(process, SIGKILL)
        waitpid(process, &status, 0)
        throw failure("it did not exit within \(timeoutMilliseconds / 1000) seconds")
      }
      usleep(UInt32(MailCommand.pauseMilliseconds * 1000))
      waited += MailCommand.pauseMilliseconds
    }
    guard status == 0 else { throw failure("it exited with status \(status >> 8 & 0xff)") }
  }

  private func failure(_ reason: String) -> ServerError {
    ServerError("the mail command \(program) failed: \(reason)")
  }
}
