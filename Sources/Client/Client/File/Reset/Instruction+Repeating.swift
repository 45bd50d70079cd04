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
    switch self {
    case .addTable, .eraseTable, .addColumn, .eraseColumn, .createObject, .eraseObject: self
    case .update(_, let payload, .priorSize(let size)):
      .update(path, payload, .priorSize(priorSize ?? size))
    case .update(_, let payload, let detail): .update(path, payload, detail)
    case .addInteger(_, let delta): .addInteger(path, delta: delta)
    case .arrayInsert(_, let payload, let size): .arrayInsert(path, payload, priorSize: size)
    case .arrayMove(_, let to, let size): .arrayMove(path, to: to, priorSize: size)
    case .arrayErase(_, let size): .arrayErase(path, priorSize: size)
    case .clear(_, let kind): .clear(path, kind)
    case .setInsert(_, let payload): .setInsert(path, payload)
    case .setErase(_, let payload): .setErase(path, payload)
    }
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
