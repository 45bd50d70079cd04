// SPDX-License-Identifier: Apache-2.0

/// Points in time in human-readable form (RFC 3339).
public enum UTCTime {
  /// Formats a time in UTC with milliseconds, such as `2026-03-01T09:30:00.250Z`.
  public static func text(milliseconds: Int64) -> String {
    let (days, rest) = milliseconds.quotientAndRemainder(dividingByFloor: 86_400_000)
    let (year, month, day) = date(days)
    let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    let (hours, minutes, seconds) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60)
    return
      "\(date)T\(padded(hours, 2)):\(padded(minutes, 2)):\(padded(seconds, 2)).\(padded(rest % 1000, 3))Z"
  }

  /// Parses a date, or a date and time in UTC, to milliseconds since 1970; returns nil for anything else.
  public static func milliseconds(_ text: String) -> Int64? {
    let parts = text.split(separator: "T", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let days = days(parts[0]) else { return nil }
    guard parts.count == 2 else { return days * 86_400_000 }
    return timeOfDay(parts[1]).map { days * 86_400_000 + $0 }
  }

  private static func timeOfDay(_ text: Substring) -> Int64? {
    guard text.last == "Z" else { return nil }
    let parts = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
    let clock = parts[0].split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count <= 2, (2...3).contains(clock.count), clock.allSatisfy({ $0.utf8.count == 2 }) else {
      return nil
    }
    let numbers = clock.compactMap(number)
    guard numbers.count == clock.count, numbers[0] < 24, numbers[1] < 60, numbers.count < 3 || numbers[2] < 61
    else {
      return nil
    }
    let seconds = numbers[0] * 3600 + numbers[1] * 60 + (numbers.count == 3 ? numbers[2] : 0)
    guard parts.count == 2 else { return seconds * 1000 }
    let digits = parts[1].prefix(3)
    guard let fraction = number(parts[1]) == nil ? nil : number(digits) else { return nil }
    return seconds * 1000 + fraction * [1: 100, 2: 10, 3: 1][digits.count, default: 1]
  }

  private static func days(_ text: Substring) -> Int64? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [4, 2, 2] else { return nil }
    let numbers = parts.compactMap(number)
    guard numbers.count == 3, (1...12).contains(numbers[1]), (1...31).contains(numbers[2]) else { return nil }
    let count = days(numbers[0], numbers[1], numbers[2])
    // Rejects days beyond the end of a month.
    return date(count) == (numbers[0], numbers[1], numbers[2]) ? count : nil
  }

  private static func number(_ text: Substring) -> Int64? {
    guard !text.isEmpty, text.utf8.count <= 9,
      text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return Int64(text)
  }

  // The calendar calculations use years that begin in March, so that the leap day comes last.

  private static func date(_ days: Int64) -> (Int64, Int64, Int64) {
    let (era, day) = (days + 719_468).quotientAndRemainder(dividingByFloor: 146_097)
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
    let dayOfYear = day - (365 * year + year / 4 - year / 100)
    let month = (5 * dayOfYear + 2) / 153
    let dayOfMonth = dayOfYear - (153 * month + 2) / 5 + 1
    let isNextYear = month >= 10
    return (year + era * 400 + (isNextYear ? 1 : 0), isNextYear ? month - 9 : month + 3, dayOfMonth)
  }

  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month > 2 ? year : year - 1
    let (era, yearOfEra) = shifted.quotientAndRemainder(dividingByFloor: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

extension Int64 {
  /// Divides rounding down, with a non-negative remainder.
  fileprivate func quotientAndRemainder(dividingByFloor divisor: Int64) -> (Int64, Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
