import KVStore

/// What a power loss leaves.
///
/// Each file keeps what was synchronized and any number of the changes after it, the last of them
/// perhaps in part. Each change of a folder's names is there or is not, whatever became of those
/// before it. The number in a lock file, which nobody synchronizes, may be any.
extension MemoryDisk.State {
    /// One thing that may have come to the disk or not.
    private enum Choice {
        case bytes(UInt64, [[UInt8]])
        case renaming(UInt64, Int)

        var count: Int {
            switch self {
            case .bytes(_, let contents): contents.count
            case .renaming: 2
            }
        }
    }

    /// The disks that a power loss at this moment may leave.
    ///
    /// - Parameters:
    ///   - limit: How many to give: all if there are not more, else a sample, with the one that
    ///     lost everything and the one that lost nothing.
    ///   - generator: Chooses the sample, and the numbers in lock files.
    /// - Returns: The disks, with nobody who has them open.
    func afterPowerLoss(
        limit: Int,
        using generator: inout SeededGenerator
    ) -> [MemoryDisk.State] {
        let choices = choices
        var total = 1
        for choice in choices where total <= limit { total *= choice.count }
        var results: [MemoryDisk.State] = []
        for index in 0..<min(total, limit) {
            var rest = index
            let picks = choices.map { choice in
                if total <= limit {
                    defer { rest /= choice.count }
                    return rest % choice.count
                }
                switch index {
                case 0: return 0
                case 1: return choice.count - 1
                default: return Int.random(in: 0..<choice.count, using: &generator)
                }
            }
            results.append(keeping(picks, of: choices, number: generator.next()))
        }
        return results
    }

    private var choices: [Choice] {
        var result: [Choice] = []
        for (number, node) in nodes.sorted(by: { $0.key < $1.key }) {
            result += node.renamings.indices.map { Choice.renaming(number, $0) }
            guard !node.changes.isEmpty else { continue }
            var whole = node.durableBytes
            var contents = [whole]
            for change in node.changes {
                if case .write(let bytes, let offset) = change {
                    for count in Set([1, bytes.count / 2, bytes.count - 1])
                    where count > 0 && count < bytes.count {
                        var torn = whole
                        torn.apply(.write(Array(bytes.prefix(count)), at: offset))
                        contents.append(torn)
                    }
                }
                whole.apply(change)
                contents.append(whole)
            }
            result.append(.bytes(number, contents))
        }
        return result
    }

    private func keeping(
        _ picks: [Int],
        of choices: [Choice],
        number generation: UInt64
    ) -> MemoryDisk.State {
        var kept = nodes
        for number in nodes.keys { kept[number]?.lose() }
        for (pick, choice) in zip(picks, choices) {
            switch choice {
            case .bytes(let number, let contents): kept[number]?.bytes = contents[pick]
            case .renaming(let number, let index):
                guard pick == 1, let renaming = nodes[number]?.renamings[index] else { continue }
                kept[number]?.names.apply(renaming)
            }
        }
        var links: [UInt64: Int] = [:]
        for folder in kept.values {
            for (name, number) in folder.names {
                links[number, default: 0] += 1
                if name.hasSuffix(".lock") { kept[number]?.bytes.setGeneration(generation) }
            }
        }
        for number in nodes.keys {
            kept[number]?.settle(linkCount: links[number] ?? 1)
        }
        var result = self
        result.nodes = kept
        return result
    }
}

extension MemoryDisk.Node {
    /// Goes back to what was synchronized.
    fileprivate mutating func lose() {
        bytes = durableBytes
        names = durableNames
    }

    fileprivate mutating func settle(linkCount: Int) {
        synchronize()
        status.size = bytes.count
        status.linkCount = linkCount
    }
}
