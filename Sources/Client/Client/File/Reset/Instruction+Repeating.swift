// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset

extension Instruction {
  /// A change to repeat. The instruction is nil if the change has no effect in its current place.
  struct Repeated {
    let instruction: Instruction?
  }

  /// Returns this change adapted to a list that others have changed as well.
  ///
  /// - Parameters:
  ///   - list: the outermost list that the path leads into.
  ///   - recovery: records what happens to the list.
  /// - Returns: nil if the change touches an element that recovered changes did not make.
  func repeated(in list: PropertyPath, _ recovery: inout ListRecovery) -> Repeated? {
    guard let path, case .index(let index) = path.path[list.path.count] else { return nil }
    let prior = UInt32(truncatingIfNeeded: recovery.count)
    guard path.path.count == list.path.count + 1 else {
      return recovery.index(of: Int(index)).map {
        Repeated(instruction: replacingPath(path.replacing(stepAt: list.path.count, $0), priorSize: nil))
      }
    }
    switch self {
    case .arrayInsert(_, let payload, _):
      let place = list.element(recovery.insert(at: Int(index)))
      return Repeated(instruction: .arrayInsert(place, payload, priorSize: prior))
    case .arrayErase:
      return recovery.erase(at: Int(index)).map {
        Repeated(instruction: .arrayErase(list.element($0), priorSize: prior))
      }
    case .arrayMove(_, let to, _):
      return recovery.move(from: Int(index), to: Int(to)).map { from, to in
        guard from != to else { return Repeated(instruction: nil) }
        let goal = UInt32(truncatingIfNeeded: to)
        return Repeated(instruction: .arrayMove(list.element(from), to: goal, priorSize: prior))
      }
    default:
      return recovery.index(of: Int(index)).map {
        Repeated(instruction: replacingPath(list.element($0), priorSize: prior))
      }
    }
  }

  /// Returns the instruction with another path.
  private func replacingPath(_ path: PropertyPath, priorSize: UInt32?) -> Instruction {
    guard case .update(_, let payload, .priorSize(let size)) = self else { return moved(to: path) }
    return .update(path, payload, .priorSize(priorSize ?? size))
  }
}

extension PropertyPath {
  fileprivate func element(_ index: Int) -> PropertyPath {
    appending(.index(UInt32(truncatingIfNeeded: index)))
  }

  fileprivate func replacing(stepAt position: Int, _ index: Int) -> PropertyPath {
    var copy = self
    copy.path[position] = .index(UInt32(truncatingIfNeeded: index))
    return copy
  }
}
