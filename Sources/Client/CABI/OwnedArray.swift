// SPDX-License-Identifier: Apache-2.0

import CFlexSync

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Arrays owned by C: one allocation that holds the elements, followed by the texts they refer to.
enum OwnedArray {
  /// Makes an array that C frees with `flx_free`.
  ///
  /// - Parameters:
  ///   - texts: returns the texts of an element.
  ///   - element: makes an element from its texts in the memory of the array.
  static func make<Source, Element>(
    _ sources: [Source],
    texts: (Source) -> [String],
    element: (Source, [flx_string_t]) -> Element
  ) -> UnsafeMutablePointer<Element> {
    let texts = sources.map(texts)
    let elementsSize = sources.count * MemoryLayout<Element>.stride
    let size = elementsSize + texts.joined().reduce(0) { $0 + $1.utf8.count }
    guard let memory = malloc(max(1, size)) else {
      fatalError("out of memory while allocating \(size) bytes")
    }
    let array = memory.bindMemory(to: Element.self, capacity: sources.count)
    var end = (memory + elementsSize).bindMemory(to: CChar.self, capacity: size - elementsSize)
    for (index, source) in sources.enumerated() {
      let copies = texts[index].map { text in
        let copy = flx_string_t(data: end, size: text.utf8.count)
        for byte in text.utf8 {
          end.pointee = CChar(bitPattern: byte)
          end += 1
        }
        return copy
      }
      (array + index).initialize(to: element(source, copies))
    }
    return array
  }
}
