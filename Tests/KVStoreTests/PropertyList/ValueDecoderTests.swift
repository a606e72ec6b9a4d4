import KVStore
import Testing

/// Keeps the decoder that it is decoded from.
private struct Keeping: Decodable {
    var decoder: any Decoder

    init(from decoder: any Decoder) throws { self.decoder = decoder }
}

/// Lets a test read from the decoder of a tree.
private func read(_ tree: PropertyListValue, _ body: (any Decoder) throws -> Void) throws {
    try body(tree.decode(Keeping.self).decoder)
}

private enum Key: String, CodingKey { case a, b, c }

private enum TextOrNumber: Decodable, Equatable {
    case text(String), number(Int)

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            self = .text(text)
        } else {
            self = try .number(container.decode(Int.self))
        }
    }
}

@Suite("ValueDecoder")
struct ValueDecoderTests {
    @Test("A read that fails stays at its place, so that another type may be tried")
    func otherType() throws {
        try read([1, "x", "$null", [1], ["a": 1]]) { decoder in
            var container = try decoder.unkeyedContainer()
            #expect(throws: DecodingError.self) { try container.decode(String.self) }
            #expect(throws: DecodingError.self) { try container.decode(Point.self) }
            #expect(throws: DecodingError.self) { try container.nestedUnkeyedContainer() }
            #expect(container.currentIndex == 0)
            #expect(try !container.decodeNil())
            #expect(try container.decode(Int.self) == 1)
            #expect(throws: DecodingError.self) { try container.decodeIfPresent(Int.self) }
            #expect(throws: DecodingError.self) { try container.decode([String].self) }
            #expect(try container.decodeIfPresent(String.self) == "x")
            #expect(throws: DecodingError.self) { try container.decode(String.self) }
            #expect(try container.decodeIfPresent(String.self) == nil)
            #expect(container.currentIndex == 3)
            #expect(throws: DecodingError.self) { try container.nestedContainer(keyedBy: Key.self) }
            var nested = try container.nestedUnkeyedContainer()
            #expect(try nested.decode(Int8.self) == 1)
            #expect(nested.isAtEnd && nested.count == 1)
            let entries = try container.nestedContainer(keyedBy: Key.self)
            #expect(try entries.decode(Int.self, forKey: .a) == 1)
            #expect(container.isAtEnd)
            #expect(try container.decodeIfPresent(Int.self) == nil)
            #expect(try container.decodeIfPresent(Point.self) == nil)
            #expect(throws: DecodingError.self) { try container.decodeNil() }
            #expect(throws: DecodingError.self) { try container.decode(Int.self) }
            #expect(throws: DecodingError.self) { try container.decode(Point.self) }
            #expect(throws: DecodingError.self) { try container.superDecoder() }
            #expect(container.currentIndex == 5)
        }
        let mixed: PropertyListValue = ["x", 1, "y"]
        #expect(try mixed.decode([TextOrNumber].self) == [.text("x"), .number(1), .text("y")])
        #expect(throws: DecodingError.self) { try [true].tree.decode([TextOrNumber].self) }
    }

    @Test("A decoder that its type keeps stays as it was")
    func keptDecoder() throws {
        let tree: PropertyListValue = [["a": 1], ["a": 2], [3]]
        let kept = try tree.decode([Keeping].self)
        #expect(kept.map(\.decoder.codingPath.text) == ["0", "1", "2"])
        let second = try kept[1].decoder.container(keyedBy: Key.self)
        #expect(try second.decode(Int.self, forKey: .a) == 2)
        #expect(try [Int](from: kept[2].decoder) == [3])
        #expect(try [Single<Int>](from: kept[2].decoder) == [Single(3)])
    }

    @Test("A decoder used after the end keeps nothing alive")
    func usedLater() throws {
        weak var inner: AnyObject?
        weak var outer: AnyObject?
        do {
            let tree: PropertyListValue = [[["a": 1]], [["a": 2]]]
            let kept = try tree.decode(Keeping.self)
            outer = kept.decoder as AnyObject
            var container = try kept.decoder.unkeyedContainer()
            #expect(try container.decode([[String: Single<Int>]].self).count == 1)
            inner = try container.decode(Keeping.self).decoder as AnyObject
        }
        #expect(inner == nil && outer == nil)
    }

    @Test("An absent key, a null and a value of another kind are three errors")
    func errors() throws {
        try read(["a": "$null", "b": "x"]) { decoder in
            let container = try decoder.container(keyedBy: Key.self)
            #expect(container.allKeys.count == 2)
            #expect(container.contains(.a) && !container.contains(.c))
            #expect(try container.decodeNil(forKey: .a))
            #expect(try !container.decodeNil(forKey: .b))
            #expect(kind { try container.decodeNil(forKey: .c) } == "keyNotFound c")
            #expect(kind { try container.decode(Int.self, forKey: .c) } == "keyNotFound c")
            #expect(kind { try container.decode(Point.self, forKey: .c) } == "keyNotFound c")
            #expect(kind { try container.decode(Int.self, forKey: .a) } == "valueNotFound a")
            #expect(kind { try container.decode(Point.self, forKey: .a) } == "valueNotFound a")
            #expect(kind { try container.decode([Int].self, forKey: .a) } == "valueNotFound a")
            #expect(kind { try container.decode(Int.self, forKey: .b) } == "typeMismatch b")
            #expect(kind { try container.decode(Point.self, forKey: .b) } == "typeMismatch b")
            #expect(kind { try container.decode([Int].self, forKey: .b) } == "typeMismatch b")
            #expect(kind { try container.nestedUnkeyedContainer(forKey: .c) } == "keyNotFound c")
            #expect(kind { try container.nestedUnkeyedContainer(forKey: .a) } == "valueNotFound a")
            #expect(try container.decodeIfPresent(Int.self, forKey: .a) == nil)
            #expect(try container.decodeIfPresent(Point.self, forKey: .a) == nil)
            #expect(try container.decodeIfPresent(Point.self, forKey: .c) == nil)
            #expect(
                kind { try container.decodeIfPresent(Int.self, forKey: .b) } == "typeMismatch b"
            )
        }
        #expect(kind { try PropertyListValue.integer(300).decode(Int8.self) } == "dataCorrupted ")
        #expect(kind { try PropertyListValue.string("x").decode(Int8.self) } == "typeMismatch ")
    }

    @Test("A super decoder without a value reads a null")
    func superDecoders() throws {
        try read(["a": 1, "super": ["b": 2]]) { decoder in
            let container = try decoder.container(keyedBy: Key.self)
            let present = try container.superDecoder()
            #expect(present.codingPath.text == "super")
            #expect(try present.container(keyedBy: Key.self).decode(Int.self, forKey: .b) == 2)
            #expect(
                try container.superDecoder(forKey: .a).singleValueContainer().decode(Int.self) == 1
            )
            let absent = try container.superDecoder(forKey: .c)
            #expect(try absent.singleValueContainer().decodeNil())
            #expect(kind { try absent.unkeyedContainer() } == "valueNotFound c")
            #expect(kind { try absent.container(keyedBy: Key.self) } == "valueNotFound c")
        }
    }

    @Test("Errors name the way to the value")
    func paths() {
        struct Root: Codable { var items: [[String: Theme]] }
        let tree: PropertyListValue = ["items": [[:], ["x": "neon"]]]
        #expect(kind { try tree.decode(Root.self) } == "dataCorrupted items/1/x")
        let other: PropertyListValue = ["items": [[:], ["x": 1]]]
        #expect(kind { try other.decode(Root.self) } == "typeMismatch items/1/x")
        let optional: PropertyListValue = [[1, "x"]]
        #expect(kind { try optional.decode([[Int?]].self) } == "typeMismatch 0/1")
        #expect(kind { try optional.decode([[Int]].self) } == "typeMismatch 0/1")
    }

    @Test("No description of an error prints a stored value")
    func privacy() {
        let trees: [PropertyListValue] = ["secret", ["secret"], ["a": "secret"], ["secret": 1]]
        for tree in trees.prefix(3) {
            for read in [
                { _ = try tree.decode(Int.self) }, { _ = try tree.decode([Int].self) },
                { _ = try tree.decode([String: Int].self) }, { _ = try tree.decode(Theme?.self) },
            ] {
                let error = #expect(throws: DecodingError.self, performing: read)
                // The standard library's own initialisers quote a raw value that they refuse.
                if error?.kind != "dataCorrupted" {
                    #expect(error.map { "\($0)" }?.contains("secret") == false)
                }
            }
        }
    }

    private func kind<T>(
        _ sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> T
    ) -> String {
        let error = #expect(throws: DecodingError.self, sourceLocation: sourceLocation) {
            _ = try body()
        }
        return error.map { "\($0.kind) \($0.path)" } ?? ""
    }
}

extension [Bool] {
    fileprivate var tree: PropertyListValue { .array(map(PropertyListValue.bool)) }
}
