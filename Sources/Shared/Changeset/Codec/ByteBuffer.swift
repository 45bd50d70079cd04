// SPDX-License-Identifier: Apache-2.0

/// Bytes that grow at the end. Unlike an array they are written through a pointer, because a changeset consists of
/// many writes of a few bytes each.
struct ByteBuffer: ~Copyable {
  private var base: UnsafeMutablePointer<UInt8>
  private(set) var count = 0
  private var capacity: Int

  init(capacity: Int = 256) {
    base = .allocate(capacity: capacity)
    self.capacity = capacity
  }

  deinit { base.deallocate() }

  var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: base, count: count) }

  /// Removes the contents, and gives back memory that few changesets need.
  mutating func removeAll() {
    count = 0
    if capacity > Self.keptCapacity { resize(to: Self.keptCapacity) }
  }

  private static var keptCapacity: Int { 1 << 16 }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    if count == capacity { resize(to: capacity * 2) }
    base[count] = byte
    count += 1
  }

  @inline(__always)
  mutating func append(contentsOf bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, bytes.count > 0 else { return }
    reserve(bytes.count)
    UnsafeMutableRawPointer(base + count).copyMemory(from: source, byteCount: bytes.count)
    count += bytes.count
  }

  @inline(__always)
  private mutating func reserve(_ byteCount: Int) {
    if count + byteCount > capacity { resize(to: max(capacity * 2, count + byteCount)) }
  }

  @inline(never)
  private mutating func resize(to newCapacity: Int) {
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: newCapacity)
    larger.update(from: base, count: count)
    base.deallocate()
    base = larger
    capacity = newCapacity
  }
}
