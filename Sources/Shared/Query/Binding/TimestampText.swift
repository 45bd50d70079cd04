// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The two text forms of a timestamp: `T<s>:<ns>` and `Y-M-D@h:m:s[:ns]` (UTC).
enum TimestampText {
  static func parse(_ text: String, in query: String) throws(QueryError) -> Timestamp {
    if text.hasPrefix("T") {
      let parts = text.dropFirst().split(separator: ":").map { Int64($0) }
      guard parts.count == 2, let seconds = parts[0],
        let nanoseconds = parts[1].flatMap({ Int32(exactly: $0) }),
        let timestamp = Timestamp(seconds: seconds, nanoseconds: nanoseconds)
      else { throw invalid(text, in: query) }
      return timestamp
    }
    let fields = text.split { "-@T:".contains($0) }.map { Int64($0) ?? Int64.max }
    guard fields.count >= 6 else { throw invalid(text, in: query) }
    guard fields[0] >= 1900 else { throw .query("Conversion of dates before 1900 is not supported.") }
    if let fault = fault(fields) { throw .query("'\(text)' is not a date: there is no \(fault)") }
    guard let seconds = seconds(fields) else { throw invalid(text, in: query) }
    let nanoseconds = fields.count > 6 ? Int32(exactly: fields[6]) : 0
    guard let nanoseconds, nanoseconds == 0 || seconds >= 0,
      let timestamp = Timestamp(seconds: seconds, nanoseconds: nanoseconds)
    else { return try beforeTheEpoch(fields, seconds: seconds, text, in: query) }
    return timestamp
  }

  /// Returns a timestamp before 1970, whose parts are both negative. In the text, nanoseconds count forward from the
  /// second even there.
  private static func beforeTheEpoch(
    _ fields: [Int64],
    seconds: Int64,
    _ text: String,
    in query: String
  ) throws(QueryError) -> Timestamp {
    guard seconds < 0, fields.count > 6, let nanoseconds = Int32(exactly: fields[6]),
      let timestamp = Timestamp(seconds: seconds + 1, nanoseconds: nanoseconds - 1_000_000_000)
    else { throw invalid(text, in: query) }
    return timestamp
  }

  private static func invalid(_ text: String, in query: String) -> QueryError {
    .syntax(query, "Invalid timestamp format '\(text)'", position: nil)
  }

  /// Returns the field that no calendar or clock has, such as "month 13"; nil for a date that exists. Realm carries such
  /// fields over into the next larger one, which finds objects that the author of the query did not mean.
  private static func fault(_ fields: [Int64]) -> String? {
    let (year, month, day) = (fields[0], fields[1], fields[2])
    guard 1...12 ~= month else { return "month \(month)" }
    guard 1...daysOfMonth(month, year: year) ~= day else { return "day \(day) in month \(month) of \(year)" }
    for (name, value, limit) in [
      ("hour", fields[3], 24), ("minute", fields[4], 60), ("second", fields[5], 60),
    ]
    where value >= limit {
      return "\(name) \(value)"
    }
    return nil
  }

  private static func daysOfMonth(_ month: Int64, year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Returns the seconds since 1970, or nil for a year that is too far away.
  private static func seconds(_ fields: [Int64]) -> Int64? {
    guard fields[0] <= 1_000_000 else { return nil }
    let days = daysSince1970(year: fields[0], month: fields[1]) + fields[2] - 1
    return ((days * 24 + fields[3]) * 60 + fields[4]) * 60 + fields[5]
  }

  /// Returns the days from 1970-01-01 to the first of a month in the Gregorian calendar. Years are counted from
  /// March.
  private static func daysSince1970(year: Int64, month: Int64) -> Int64 {
    let shiftedYear = month > 2 ? year : year - 1
    let shiftedMonth = (month + 9) % 12
    let era = shiftedYear / 400
    let yearOfEra = shiftedYear % 400
    let dayOfYear = (153 * shiftedMonth + 2) / 5
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
