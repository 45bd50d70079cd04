// SPDX-License-Identifier: Apache-2.0

import CFlexSync

extension HandleTarget {
  /// Runs the body of a fallible C function on the object behind a handle. Returns OK, or the status of the thrown
  /// error, which also fills in `error`.
  ///
  /// - Parameter first: an argument that must not be NULL, like `second`; checked before anything else.
  static func call(
    _ handle: OpaquePointer,
    _ error: ErrorOut,
    _ first: Needed? = nil,
    _ second: Needed? = nil,
    function: StaticString = #function,
    _ body: (Self) throws -> Void
  ) -> flx_status_t {
    withStatus(error, first, second, function: function) {
      let object = Handle.object(handle, as: Self.self, function: function)
      try object.use { try body(object) }
    }
  }

  /// `call` for a function that writes one result, which `body` returns, to `out`.
  ///
  /// - Parameter name: the name of the argument `out`.
  static func call<Value>(
    _ handle: OpaquePointer,
    writing out: Out<Value>,
    _ name: StaticString,
    _ error: ErrorOut,
    _ first: Needed? = nil,
    function: StaticString = #function,
    _ body: (Self) throws -> Value
  ) -> flx_status_t {
    let out = (pointer: out, needed: Needed(out, name))
    return call(handle, error, first ?? out.needed, out.needed, function: function) { object in
      out.pointer.pointee = try body(object)
    }
  }

  /// `call` for a function that writes one result, which `body` returns, if the program has given an address for it.
  static func call<Value>(
    _ handle: OpaquePointer,
    offering out: Out<Value>?,
    _ error: ErrorOut,
    _ first: Needed? = nil,
    function: StaticString = #function,
    _ body: (Self) throws -> Value
  ) -> flx_status_t {
    call(handle, error, first, function: function) { object in
      let result = try body(object)
      out?.pointee = result
    }
  }

  /// `call` for a function that gives the program a handle of the object that `body` returns; NULL for nil.
  ///
  /// - Parameter name: the name of the argument `out`.
  static func call<Made: HandleTarget>(
    _ handle: OpaquePointer,
    making out: HandleOut,
    _ name: StaticString,
    _ error: ErrorOut,
    _ first: Needed? = nil,
    function: StaticString = #function,
    _ body: (Self) throws -> Made?
  ) -> flx_status_t {
    call(handle, writing: out, name, error, first, function: function) { object in
      try body(object).map { Handle.retained($0) }
    }
  }

  /// `call` for a function that registers an observer, whose token `register` returns.
  ///
  /// - Parameters:
  ///   - callback: the function that the observer calls.
  ///   - userdata: taken over, whether or not the call succeeds.
  static func observe<Callback>(
    _ handle: OpaquePointer,
    _ callback: Callback,
    _ userdata: UnsafeMutableRawPointer?,
    _ freeUserdata: flx_free_userdata_t?,
    _ outToken: HandleOut,
    _ error: ErrorOut,
    function: StaticString = #function,
    _ register: (Self, Userdata) throws -> NotificationToken
  ) -> flx_status_t {
    let gate = CallbackGate()
    let userdata = Userdata(userdata, freeUserdata, gate: gate)
    let callback = Needed(callback: callback, "callback")
    return call(handle, making: outToken, "out_token", error, callback, function: function) {
      let token = try register($0, userdata)
      token.control(gate)
      return token
    }
  }
}
