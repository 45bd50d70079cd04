// SPDX-License-Identifier: Apache-2.0

import CFlexSync

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Runs the body of a fallible C function: its error, if any, goes to the caller's `flx_error_t` and status.
@inline(__always)
func withStatus(_ error: UnsafeMutablePointer<flx_error_t>?, _ body: () throws -> Void) -> flx_status_t {
  do {
    try body()
    return .FLX_STATUS_OK
  } catch let failure {
    return report(failure, to: error)
  }
}

/// Writes an error into the memory of a C caller and returns its status.
@inline(never)
func report(_ failure: any Error, to error: UnsafeMutablePointer<flx_error_t>?) -> flx_status_t {
  let failure = CoreError(failure)
  if let error { fill(error, with: failure) }
  return failure.status
}

/// Fills a C error; the message is cut between characters so that it stays UTF-8.
func fill(_ error: UnsafeMutablePointer<flx_error_t>, with failure: CoreError) {
  error.pointee.status = failure.status
  error.pointee.code = failure.code
  let capacity = Int(FLX_ERROR_MESSAGE_CAPACITY)
  guard let offset = MemoryLayout<flx_error_t>.offset(of: \.message) else {
    fatalError("flx_error_t.message is a stored field")
  }
  let target = UnsafeMutableRawPointer(error).advanced(by: offset)
  var message = failure.message
  message.withUTF8 { bytes in
    let count = utf8PrefixLength(bytes, limit: capacity - 1)
    if let base = bytes.baseAddress { memcpy(target, base, count) }
    target.storeBytes(of: 0, toByteOffset: count, as: UInt8.self)
  }
}

/// The greatest count of bytes, at most `limit`, that does not end within a character.
private func utf8PrefixLength(_ bytes: UnsafeBufferPointer<UInt8>, limit: Int) -> Int {
  guard bytes.count > limit else { return bytes.count }
  var count = limit
  while count > 0, bytes[count] & 0xC0 == 0x80 { count -= 1 }
  return count
}

/// Calls a completion of the C interface with an error that lives as long as the call.
func complete(
  _ completion: flx_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  with failure: (any Error)?
) {
  guard let failure else { return completion(userdata, nil) }
  withUnsafeTemporaryAllocation(of: flx_error_t.self, capacity: 1) { memory in
    guard let error = memory.baseAddress else { return }
    memset(error, 0, MemoryLayout<flx_error_t>.size)
    fill(error, with: CoreError(failure))
    completion(userdata, error)
  }
}
