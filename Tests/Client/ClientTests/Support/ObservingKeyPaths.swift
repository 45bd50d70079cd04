// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Testing

/// What the observer of key paths of an object was told.
struct PathChange: Equatable {
  var isDeleted = false
  var properties: [flx_property_key_t] = []
  /// Nil for changes of the realm's own handle.
  var oldValues: [Cell]?
  var paths: [Int] = []
}

extension [String] {
  /// Lends the texts to C.
  func withC<Result>(_ body: (UnsafePointer<flx_string_t>?, Int) throws -> Result) throws -> Result {
    var keeper = Keeper()
    defer { keeper.free() }
    let texts = map { keeper.keep($0) }
    return try texts.withUnsafeBufferPointer { try body($0.baseAddress, $0.count) }
  }
}

private func freeReports(_ userdata: UnsafeMutableRawPointer?) {
  Unmanaged<AnyObject>.fromOpaque(userdata.unsafelyUnwrapped).release()
}

extension TestObject {
  func observe(_ keyPaths: [String]) throws -> Observation<PathChange> {
    try Observation { userdata, token in
      try keyPaths.withC { paths, count in
        try attempt {
          flx_object_observe_key_paths(
            handle,
            paths,
            count,
            { userdata, changes in
              let changes = changes.pointee
              let count = changes.property_count
              let change = PathChange(
                isDeleted: changes.is_deleted,
                properties: Array(UnsafeBufferPointer(start: changes.properties, count: count)),
                oldValues: changes.old_values.map { values in (0..<count).map { Cell(values[$0]) } },
                paths: Array(UnsafeBufferPointer(start: changes.key_paths, count: changes.key_path_count))
              )
              Unmanaged<Observation<PathChange>.Reports>.fromOpaque(userdata!).takeUnretainedValue().reports
                .append(change)
            },
            userdata,
            freeReports,
            &token,
            $0
          )
        }
      }
    }
  }

  func key(_ property: String) throws -> flx_property_key_t { try realm.property(className, property).key }
}

extension TestResults {
  func observe(_ keyPaths: [String]) throws -> Observation<Change> {
    try Observation { userdata, token in
      try keyPaths.withC { paths, count in
        try attempt {
          flx_results_observe_key_paths(handle, paths, count, recordChange, userdata, freeReports, &token, $0)
        }
      }
    }
  }
}

extension TestList {
  func observe(_ keyPaths: [String] = []) throws -> Observation<Change> {
    try Observation { userdata, token in
      try keyPaths.withC { paths, count in
        try attempt {
          flx_list_observe_key_paths(handle, paths, count, recordChange, userdata, freeReports, &token, $0)
        }
      }
    }
  }
}

extension TestRealm {
  /// Commits without telling an observer.
  func commit<Report>(silencing observation: Observation<Report>) throws {
    let token: OpaquePointer = try #require(observation.token)
    try withUnsafePointer(to: token) { token in
      try attempt { flx_realm_commit_write_silently(handle, token, 1, $0) }
    }
  }

  /// Delivers first reports; returns whether there are newer data.
  func notify() throws -> Bool {
    var isOutdated = false
    try attempt { flx_realm_notify(handle, &isOutdated, $0) }
    return isOutdated
  }

  /// Requests the turn for the next write transaction. The box is told once it has come.
  func requestWrite(_ box: CallbackBox<Int>) throws -> TestToken {
    var token: OpaquePointer?
    try attempt {
      flx_realm_request_write(
        handle,
        { CallbackBox<Int>.of($0).add(1) },
        box.retained,
        { CallbackBox<Int>.free($0) },
        &token,
        $0
      )
    }
    return try TestToken(token)
  }
}
