import KVStore
import Testing

/// Encodes by whatever a test does with the encoder.
private struct Writing: Encodable {
    let body: (any Encoder) throws -> Void

    init(_ body: @escaping (any Encoder) throws -> Void) { self.body = body }

    func encode(to encoder: any Encoder) throws { try body(encoder) }
}

private enum Key: String, CodingKey { case a, b, c }

private struct Failure: Error {}

private func tree(_ body: @escaping (any Encoder) throws -> Void) throws -> PropertyListValue {
    try PropertyListValue(encoding: Writing(body))
}

private func path(
    _ sourceLocation: SourceLocation = #_sourceLocation,
    _ body: @escaping (any Encoder) throws -> Void
) -> String? {
    let error = #expect(throws: EncodingError.self, sourceLocation: sourceLocation) {
        try tree(body)
    }
    return error?.path
}

@Suite("ValueEncoder")
struct ValueEncoderTests {
    @Test("The same kind of container asked for twice is one container")
    func sameContainer() throws {
        let keyed = try tree { encoder in
            var first = encoder.container(keyedBy: Key.self)
            var second = encoder.container(keyedBy: Key.self)
            try first.encode(1, forKey: .a)
            try second.encode(2, forKey: .b)
            try first.encode(3, forKey: .a)
        }
        #expect(keyed == ["a": 3, "b": 2])
        let unkeyed = try tree { encoder in
            var first = encoder.unkeyedContainer()
            var second = encoder.unkeyedContainer()
            try first.encode(1)
            try second.encode(2)
            #expect(first.count == 2)
        }
        #expect(unkeyed == [1, 2])
    }

    @Test("Containers of two kinds are an error at the end")
    func twoKinds() {
        #expect(
            path { encoder in
                var unkeyed = encoder.unkeyedContainer()
                try unkeyed.encode(1)
                _ = encoder.container(keyedBy: Key.self)
            } == ""
        )
        #expect(
            path { encoder in
                var outer = encoder.container(keyedBy: Key.self)
                let inner = Writing { encoder in
                    _ = encoder.container(keyedBy: Key.self)
                    var unkeyed = encoder.unkeyedContainer()
                    try? unkeyed.encode(1)
                    try? unkeyed.encode(Empty())
                    _ = unkeyed.nestedUnkeyedContainer()
                    _ = unkeyed.superEncoder().container(keyedBy: Key.self)
                }
                try? outer.encode(["x": inner], forKey: .a)
            } == "a/x"
        )
        #expect(
            path { encoder in
                var single = encoder.singleValueContainer()
                try single.encode(1)
                _ = encoder.unkeyedContainer()
            } == ""
        )
    }

    @Test("A single value is written once")
    func singleValueTwice() throws {
        #expect(
            path { encoder in
                var single = encoder.singleValueContainer()
                try single.encode(1)
                try single.encode(2)
            } == ""
        )
        #expect(
            path { encoder in
                var single = encoder.singleValueContainer()
                try single.encode(Point(x: 1, y: 2))
                try single.encode(Point(x: 1, y: 2))
            } == ""
        )
        #expect(
            path { encoder in
                _ = encoder.container(keyedBy: Key.self)
                var single = encoder.singleValueContainer()
                try single.encodeNil()
            } == ""
        )
        let second = try tree { encoder in
            var single = encoder.singleValueContainer()
            try? single.encode(Writing { _ in throw Failure() })
            try single.encode("instead")
        }
        #expect(second == "instead")
        let asked = try tree { encoder in
            _ = encoder.singleValueContainer()
            var keyed = encoder.container(keyedBy: Key.self)
            try keyed.encode(1, forKey: .a)
        }
        #expect(asked == ["a": 1])
    }

    @Test("A nested container opened twice is one container")
    func nestedTwice() throws {
        let both = try tree { encoder in
            var outer = encoder.container(keyedBy: Key.self)
            var first = outer.nestedContainer(keyedBy: Key.self, forKey: .a)
            try first.encode(1, forKey: .a)
            var second = outer.nestedContainer(keyedBy: Key.self, forKey: .a)
            try second.encode(2, forKey: .b)
            var list = outer.nestedUnkeyedContainer(forKey: .b)
            try list.encode("x")
            var again = outer.nestedUnkeyedContainer(forKey: .b)
            try again.encode("y")
            var deeper = list.nestedContainer(keyedBy: Key.self)
            try deeper.encode(3, forKey: .c)
            try list.encode("z")
        }
        #expect(both == ["a": ["a": 1, "b": 2], "b": ["x", "y", ["c": 3], "z"]])
        #expect(
            path { encoder in
                var outer = encoder.container(keyedBy: Key.self)
                _ = outer.nestedContainer(keyedBy: Key.self, forKey: .a)
                _ = outer.nestedUnkeyedContainer(forKey: .a)
            } == "a"
        )
        #expect(
            path { encoder in
                var outer = encoder.container(keyedBy: Key.self)
                try outer.encode(1, forKey: .a)
                _ = outer.nestedUnkeyedContainer(forKey: .a)
            } == "a"
        )
    }

    @Test("A container that nobody fills is empty, and keeps its place")
    func unfilled() throws {
        let result = try tree { encoder in
            var outer = encoder.container(keyedBy: Key.self)
            _ = outer.nestedContainer(keyedBy: Key.self, forKey: .a)
            var list = outer.nestedUnkeyedContainer(forKey: .b)
            _ = list.nestedUnkeyedContainer()
            _ = list.superEncoder()
            try list.encode(Writing { _ in })
            try list.encode(1)
            try outer.encode(Writing { _ in }, forKey: .c)
        }
        #expect(result == ["a": [:], "b": [[], [:], [:], 1], "c": [:]])
    }

    @Test("A value at the top that encodes nothing is refused")
    func nothing() {
        #expect(path { _ in } == "")
        #expect(path { encoder in _ = encoder.singleValueContainer() } == "")
    }

    @Test("A key written twice has the last value, whatever was there")
    func lastValue() throws {
        let result = try tree { encoder in
            var outer = encoder.container(keyedBy: Key.self)
            try outer.encode(Point(x: 1, y: 2), forKey: .a)
            try outer.encode(1, forKey: .a)
            _ = outer.nestedUnkeyedContainer(forKey: .b)
            try outer.encode(2, forKey: .b)
            try outer.encodeNil(forKey: .c)
            try outer.encodeNil(forKey: .c)
        }
        #expect(result == ["a": 1, "b": 2, "c": "$null"])
    }

    @Test("Super encoders write beside the other values")
    func superEncoders() throws {
        let result = try tree { encoder in
            var outer = encoder.container(keyedBy: Key.self)
            try Point(x: 1, y: 2).encode(to: outer.superEncoder())
            var single = outer.superEncoder(forKey: .a).singleValueContainer()
            try single.encode(["x"])
            var list = outer.nestedUnkeyedContainer(forKey: .b)
            try Theme.dark.encode(to: list.superEncoder())
            try list.encode(1)
            try outer.encode([Theme.dark: 1], forKey: .c)
        }
        #expect(
            result == [
                "super": ["x": 1, "y": 2], "a": ["x"], "b": ["dark", 1], "c": ["dark": 1],
            ]
        )
    }

    @Test("A container filled after its parent is done is kept until the end")
    func filledLater() throws {
        var nested: (any UnkeyedEncodingContainer)?
        var parent: KeyedEncodingContainer<Key>?
        var late: (any Encoder)?
        let writing = Writing { encoder in
            var outer = encoder.unkeyedContainer()
            try outer.encode(
                Writing { encoder in
                    var inner = encoder.container(keyedBy: Key.self)
                    nested = inner.nestedUnkeyedContainer(forKey: .a)
                    parent = inner
                    late = inner.superEncoder()
                }
            )
            try outer.encode([Theme.dark: [Point(x: 1, y: 1)]])
            try nested?.encode(1)
            try parent?.encode([2], forKey: .b)
            try Point(x: 3, y: 4).encode(to: #require(late))
        }
        let result = try PropertyListValue(encoding: writing)
        let expected: PropertyListValue = [
            ["a": [1], "b": [2], "super": ["x": 3, "y": 4]], ["dark": [["x": 1, "y": 1]]],
        ]
        #expect(result == expected)
        try nested?.encode(Point(x: 9, y: 9))
        _ = nested?.nestedContainer(keyedBy: Key.self)
        try parent?.encode(Writing { _ in }, forKey: .c)
        _ = parent?.superEncoder()
        #expect(result == expected)
    }

    @Test("What a dictionary or a set keeps for later has its shape all the same")
    func laterShapes() throws {
        var held: [any Encoder] = []
        let holding = Writing { encoder in
            held.append(encoder)
            var container = encoder.unkeyedContainer()
            try container.encode(1)
        }
        let keyed = try PropertyListValue(encoding: [Theme.dark: ["x": holding]])
        #expect(keyed == ["dark": ["x": [1]]])
        let single = try PropertyListValue(encoding: [Optional(holding)])
        #expect(single == [[1]])
        #expect(held.count == 2)
    }

    @Test("An error leaves nothing of the value that threw it")
    func errors() throws {
        let result = try tree { encoder in
            var outer = encoder.container(keyedBy: Key.self)
            var list = outer.nestedUnkeyedContainer(forKey: .b)
            let failing = Writing { encoder in
                var inner = encoder.container(keyedBy: Key.self)
                try inner.encode(1, forKey: .a)
                _ = inner.nestedUnkeyedContainer(forKey: .b)
                throw Failure()
            }
            #expect(throws: Failure.self) { try outer.encode(failing, forKey: .a) }
            #expect(throws: Failure.self) { try list.encode(failing) }
            try list.encode(1)
        }
        #expect(result == ["b": [1]])
        #expect(throws: Failure.self) { try tree { _ in throw Failure() } }
        #expect(throws: Failure.self) {
            try PropertyListValue(encoding: [Theme.dark: Writing { _ in throw Failure() }])
        }
    }

    @Test("Nothing outlives an encoding, whether it ends well or not")
    func lifetimes() throws {
        final class Token: Sendable {}
        struct Holder: Encodable {
            let token: Token
            let fails: Bool

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: HoldingKey.self)
                var list = container.nestedUnkeyedContainer(forKey: HoldingKey(token: token))
                try list.encode(Box(v: Box(v: 1)))
                _ = container.superEncoder(forKey: HoldingKey(token: token))
                if fails { throw Failure() }
            }
        }
        struct HoldingKey: CodingKey {
            var token: Token?
            var stringValue: String { "key" }
            var intValue: Int? { nil }

            init(token: Token) { self.token = token }
            init?(stringValue: String) { nil }
            init?(intValue: Int) { nil }
        }
        for fails in [false, true] {
            weak var token: Token?
            do {
                let strong = Token()
                token = strong
                let tree = try? PropertyListValue(
                    encoding: [Box(v: [1])].map { _ in Holder(token: strong, fails: fails) }
                )
                _ = tree
            }
            #expect(token == nil)
        }
    }

    @Test("An encoder used after the end keeps nothing alive and changes nothing")
    func usedLater() throws {
        weak var inner: AnyObject?
        weak var outer: AnyObject?
        do {
            var kept: (any Encoder)?
            let result = try tree { encoder in
                kept = encoder
                var container = encoder.unkeyedContainer()
                try container.encode(1)
            }
            #expect(result == [1])
            outer = kept as AnyObject
            var container = try #require(kept).unkeyedContainer()
            try container.encode(Box(v: Box(v: 1)))
            try container.encode(Writing { inner = $0 as AnyObject })
            try Point(x: 1, y: 2).encode(to: container.superEncoder())
            _ = kept?.container(keyedBy: Key.self)
            #expect(result == [1])
        }
        #expect(inner == nil && outer == nil)
    }

    @Test("A key that is costly to compare is refused at once")
    func markedKey() {
        let key = NamedKey.Key(stringValue: "a" + String(repeating: "\u{301}", count: 64_000))
        let time = processorTime {
            #expect(throws: EncodingError.self) {
                try tree { encoder in
                    var container = encoder.container(keyedBy: NamedKey.Key.self)
                    try container.encode(1, forKey: key)
                }
            }
            #expect(throws: EncodingError.self) {
                try tree { encoder in
                    var container = encoder.container(keyedBy: NamedKey.Key.self)
                    _ = container.nestedUnkeyedContainer(forKey: key)
                }
            }
        }
        #expect(time < .milliseconds(500))
    }

    @Test("Coding paths name every key and position")
    func codingPaths() throws {
        var paths: [String] = []
        _ = try tree { encoder in
            var outer = encoder.container(keyedBy: Key.self)
            try outer.encode(
                [
                    ["x": Optional(Writing { paths.append($0.codingPath.text) })]
                ],
                forKey: .a
            )
            var list = outer.nestedUnkeyedContainer(forKey: .b)
            try list.encode(1)
            paths.append(list.codingPath.text)
            paths.append(list.superEncoder().codingPath.text)
            paths.append(outer.superEncoder().codingPath.text)
            paths.append(encoder.codingPath.text)
        }
        #expect(paths == ["a/0/x", "b", "b/1", "super", ""])
    }

    @Test("A class and its superclass share a dictionary or keep two")
    func classes() throws {
        let sharing = try PropertyListValue(encoding: Dog(legs: 4, name: "Rex"))
        #expect(sharing == ["legs": 4, "name": "Rex"])
        let dog = try sharing.decode(Dog.self)
        #expect(dog.legs == 4 && dog.name == "Rex")
        let apart = try PropertyListValue(encoding: [Cat(legs: 4, name: "Tom")])
        #expect(apart == [["super": ["legs": 4], "name": "Tom"]])
        let cat = try #require(apart.decode([Cat].self).first)
        #expect(cat.legs == 4 && cat.name == "Tom")
    }

    @Test("A value that encodes itself without end is refused")
    func cycles() {
        #expect(throws: EncodingError.self) { try PropertyListValue(encoding: Cycle()) }
        let cycle = Cycle()
        cycle.next = Cycle()
        cycle.next?.next = cycle
        defer { cycle.next = nil }
        #expect(throws: EncodingError.self) { try PropertyListValue(encoding: [cycle]) }
        #expect(throws: EncodingError.self) { try PropertyListValue(encoding: SelfMade()) }
        #expect(
            path { encoder in
                var container = encoder.unkeyedContainer()
                for _ in 0..<100_000 { container = container.nestedUnkeyedContainer() }
            }?.isEmpty == false
        )
        #expect(throws: EncodingError.self) { try PropertyListValue(encoding: Confused()) }
    }
}

/// Its raw value is what its encoding gives, through the same coder.
private struct SelfMade: RawRepresentable, Codable {
    init() {}
    init(rawValue: Box<[SelfMade]>) {}

    var rawValue: Box<[SelfMade]> { Box(v: [SelfMade()]) }

    init(from decoder: any Decoder) throws {}

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

/// Asks for two kinds of container, again and again.
private struct Confused: Encodable {
    func encode(to encoder: any Encoder) throws {
        _ = encoder.container(keyedBy: Key.self)
        var container = encoder.unkeyedContainer()
        try container.encode(Confused())
    }
}

private class Animal: Codable {
    var legs: Int

    init(legs: Int) { self.legs = legs }
}

private final class Dog: Animal {
    var name: String

    init(legs: Int, name: String) {
        self.name = name
        super.init(legs: legs)
    }

    enum CodingKeys: String, CodingKey { case name }

    required init(from decoder: any Decoder) throws {
        name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
        try super.init(from: decoder)
    }

    override func encode(to encoder: any Encoder) throws {
        try super.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
    }
}

private final class Cat: Animal {
    var name: String

    init(legs: Int, name: String) {
        self.name = name
        super.init(legs: legs)
    }

    enum CodingKeys: String, CodingKey { case name }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try super.encode(to: container.superEncoder())
    }
}
