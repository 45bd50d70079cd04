// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncJSON

/// The address of a value that the program lends for the call.
public typealias In<Value> = UnsafePointer<Value>

/// The address to which a function writes a result.
public typealias Out<Value> = UnsafeMutablePointer<Value>

/// The address to which a function writes a handle that the program must release.
public typealias HandleOut = Out<OpaquePointer?>

/// The address to which a function writes its error; NULL if the program does not need it.
public typealias ErrorOut = UnsafeMutablePointer<flx_error_t>?

extension [JSON] {
  /// Reads the arguments of a function of the app: a JSON array; empty text means none.
  ///
  /// - Throws: `CoreError` INVALID_ARGUMENT for anything else.
  init(functionArguments text: flx_string_t) throws {
    let text = try text.text("arguments")
    guard !text.isEmpty else {
      self = []
      return
    }
    guard let arguments = try? JSON.parse(text).arrayValue else {
      throw CoreError.invalidArgument("arguments must be a JSON array")
    }
    self = arguments
  }
}
