import KVStore
import Testing

private func arrays(_ depth: Int) -> PropertyListValue {
    (1..<depth).reduce(into: []) { tree, _ in tree = [tree] }
}

private func dictionaries(_ depth: Int) -> PropertyListValue {
    (1..<depth).reduce(into: [:]) { tree, _ in tree = ["$date": tree] }
}

@Suite("Depth")
struct DepthTests {
    @Test("128 containers are stored and read, 129 are refused", arguments: [127, 128, 129])
    func limit(_ depth: Int) async throws {
        let outcomes = try await onSmallStack {
            [
                try? PropertyListValue(encoding: Nested(depth: depth)) == arrays(depth),
                try? arrays(depth).decode(Nested.self).depth == depth,
                try? PropertyListValue(encoding: Chain(depth: depth)) == dictionaries(depth),
                try? dictionaries(depth).decode(Chain.self).depth == depth,
                try? arrays(depth).validated() == arrays(depth),
                try? dictionaries(depth).validated() == dictionaries(depth),
            ]
        }
        #expect(outcomes == Array(repeating: depth <= 128 ? true : nil, count: 6))
    }

    @Test("Arrays of scalars count as the others do", arguments: [126, 127, 128])
    func leaves(_ around: Int) {
        struct Around<Value: Codable>: Codable {
            var depth: Int
            var value: Value

            init(_ depth: Int, _ value: Value) {
                self.depth = depth
                self.value = value
            }

            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                let inner = try? container.decode(Value.self)
                if let inner {
                    self.init(1, inner)
                } else {
                    let next = try container.decode(Around<Value>.self)
                    self.init(next.depth + 1, next.value)
                }
            }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                if depth == 1 {
                    try container.encode(value)
                } else {
                    try container.encode(Around(depth - 1, value))
                }
            }
        }
        let numbers = try? PropertyListValue(encoding: Around(around, [1]))
        #expect((numbers == nil) == (around + 1 > 128))
        let single = try? PropertyListValue(encoding: Around(around, Single([1])))
        #expect((single == nil) == (around + 1 > 128))
        let passing = try? PropertyListValue(encoding: Around(around, PassingOn([1])))
        #expect((passing == nil) == (around + 1 > 128))
        let passingSingle = try? PropertyListValue(encoding: Around(around, PassingOn(Single([1]))))
        #expect((passingSingle == nil) == (around + 1 > 128))
        let entries = try? PropertyListValue(encoding: Around(around, ["a": 1]))
        #expect((entries == nil) == (around + 1 > 128))
        let based = try? PropertyListValue(encoding: Around(around, Box(v: Optional(1))))
        #expect((based == nil) == (around + 1 > 128))
        let tree = (0..<around).reduce(into: [1] as PropertyListValue) { tree, _ in tree = [tree] }
        #expect(
            (try? tree.decode(Around<[Int]>.self)) == nil ? around + 1 > 128 : around + 1 <= 128
        )
    }

    @Test("A tree far too deep is refused before anything recurses", arguments: [1_000, 1_900])
    func hostile(_ depth: Int) async throws {
        let outcomes = try await onSmallStack {
            [
                (try? arrays(depth).decode(Nested.self)) == nil,
                (try? dictionaries(depth).decode(Chain.self)) == nil,
                (try? arrays(depth).validated()) == nil,
                (try? dictionaries(depth).validated()) == nil,
                (try? PropertyListValue(encoding: Cycle())) == nil,
            ]
        }
        #expect(outcomes == Array(repeating: true, count: 5))
    }
}
