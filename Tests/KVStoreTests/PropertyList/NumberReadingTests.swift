import KVStore
import Testing

@Suite("Number reading")
struct NumberReadingTests {
    @Test(
        "Numbers keep their kinds",
        arguments: [
            .stored(40, "Double 1", 1.0, .real(1)),
            .stored(40, "Int 1", 1, .integer(1)),
            .stored(40, "true", true, .bool(true)),
            .stored(41, "negative zero", -0.0, .real(-0.0)),
            .read(41, "negative zero as Int", .real(-0.0), 0),
            .read(41, "negative zero as UInt8", .real(-0.0), UInt8(0)),
            .read(41, "negative zero as Bool", .real(-0.0), false),
            .stored(42, "least", Double.leastNonzeroMagnitude, .real(.leastNonzeroMagnitude)),
            .stored(42, "great", 1e16, .real(1e16)),
            .stored(
                42,
                "greatest",
                Double.greatestFiniteMagnitude,
                .real(.greatestFiniteMagnitude)
            ),
            .written(43, "nan", Double.nan, .real(.nan)),
            .stored(43, "infinite", -Double.infinity, .real(-.infinity)),
            .stored(43, "infinite Float", Float.infinity, .real(.infinity)),
            .unreadable(43, "nan as Int", .real(.nan), as: Int.self),
            .unreadable(43, "infinity as Int", .real(.infinity), as: Int.self),
            .stored(44, "Float", Float(0.1), .real(0.10000000149011612)),
            .read(44, "Float as Double", .real(0.10000000149011612), 0.10000000149011612),
            .stored(46, "Int64.max", Int64.max, .integer(.max)),
            .stored(46, "Int64.min", [Int64.min], [.integer(.min)]),
            .stored(46, "UInt64.max", UInt64.max, .unsignedInteger(.max)),
            .stored(46, "UInt64.max inside", Box(v: UInt64.max), ["v": .unsignedInteger(.max)]),
            .stored(46, "small UInt64", [UInt64(5)], [5]),
            .unreadable(46, "UInt64.max as Int", .unsignedInteger(.max), as: Int.self),
            .read(46, "UInt64.max as Double", .unsignedInteger(.max), 18446744073709551616.0),
            .read(47, "2^64 as Double", .real(0x1p64), 18446744073709551616.0),
            .unreadable(47, "2^64 as UInt64", .real(0x1p64), as: UInt64.self),
            .refused(49, "Int128.max", Int128.max),
            .refused(49, "Int128.min inside", Box(v: [Int128.min]), at: "v/0"),
            .refused(49, "UInt128.max inside", Box(v: UInt128.max), at: "v"),
            .stored(49, "Int128 5", Int128(5), 5),
            .stored(49, "UInt128 in an array", [UInt128(UInt64.max)], [.unsignedInteger(.max)]),
            .stored(49, "Int128 in a struct", Box(v: Int128(-5)), ["v": -5]),
            .read(
                49,
                "a real as Int128",
                .real(1e30),
                Int128(1_000_000_000_000_000_019_884_624_838_656)
            ),
            .read(50, "1.9 as Int", 1.9, 1),
            .read(50, "-0.9 as UInt8", -0.9, UInt8(0)),
            .unreadable(50, "256.0 as UInt8", 256.0, as: UInt8.self),
            .read(50, "255.9 as UInt8", 255.9, UInt8(255)),
            .unreadable(50, "2^63 as Int64", .real(0x1p63), as: Int64.self),
            .read(50, "-2^63 as Int64", .real(-0x1p63), Int64.min),
            .unreadable(50, "-1 as UInt", -1, as: UInt.self),
            .read(51, "2^53 + 1 as Double", 9_007_199_254_740_993, 9_007_199_254_740_992.0),
            .unreadable(52, "1e39 as Float", 1e39, as: Float.self),
            .read(52, "1e-50 as Float", 1e-50, Float(0)),
            .read(52, "Int64.max as Float", .integer(.max), Float(0x1p63)),
            .unreadable(53, "2 as Bool", 2, as: Bool.self),
            .unreadable(53, "0.5 as Bool", 0.5, as: Bool.self),
            .unreadable(53, "nan as Bool", .real(.nan), as: Bool.self),
            .read(53, "1 as Bool", 1, true),
            .read(53, "1.0 as Bool inside", ["v": 1.0], Box(v: true)),
            .unreadable(53, "true as Int", true, as: Int.self),
            .unreadable(53, "true as Double", [true], as: [Double].self, at: "0"),
            .unreadable(53, "a string as Int", "1", as: Int.self),
            .unreadable(53, "a string as Bool", "true", as: Bool.self),
            .read(54, "123 as String", 123, "123"),
            .read(54, "123 as String?", 123, String?.some("123")),
            .read(54, "1.0 as String", 1.0, "1.0"),
            .read(54, "1e16 as String", 1e16, "1e+16"),
            .read(54, "UInt64.max as String", .unsignedInteger(.max), "18446744073709551615"),
            .unreadable(54, "a number in an array as String", [123], as: [String].self, at: "0"),
            .unreadable(
                54,
                "a number in a struct as String",
                ["v": 1],
                as: Box<String>.self,
                at: "v"
            ),
            .unreadable(54, "a number as an enum", 1, as: Theme.self),
            .unreadable(54, "nan as String", .real(.nan), as: String.self),
            .read(54, "true as String", true, "true"),
            .read(54, "false as String?", false, String?.some("false")),
            .unreadable(54, "true in an array as String", [true], as: [String].self, at: "0"),
            .unreadable(54, "true as an enum", true, as: Theme.self),
            .read(54, "numbers of any kind", [1, 2.9, .unsignedInteger(3)], [1, 2, 3]),
        ] as [ShapeCase]
    )
    func numbers(_ row: ShapeCase) throws { try row.check() }

    @Test("Every width of integer is written and read alike at every place")
    func widths() throws {
        try everyPlace(Int.min, Int.max)
        try everyPlace(Int8.min, Int8.max)
        try everyPlace(Int16.min, Int16.max)
        try everyPlace(Int32.min, Int32.max)
        try everyPlace(Int64.min, Int64.max)
        try everyPlace(UInt.min, UInt.max)
        try everyPlace(UInt8.min, UInt8.max)
        try everyPlace(UInt16.min, UInt16.max)
        try everyPlace(UInt32.min, UInt32.max)
        try everyPlace(UInt64.min, UInt64.max)
        try everyPlace(Int128(Int64.min), Int128(UInt64.max))
        try everyPlace(UInt128(0), UInt128(UInt64.max))
        try everyPlace(-Float.greatestFiniteMagnitude, Float.leastNonzeroMagnitude)
        try everyPlace(-Double.greatestFiniteMagnitude, Double.leastNonzeroMagnitude)
        try everyPlace(false, true)
        try everyPlace("", "$null")
        try everyPlace(Theme.dark, .light)
        try everyPlace(Point(x: 1, y: 2), Point(x: 3, y: 4))
        try everyPlace([1, 2], [])
        try everyPlace(["a": 1], [:])
        try everyPlace(["a": "$null", "$null": ""], ["$x": "b"])
        try everyPlace(["a": -0.5], ["b": 1, "c": 2])
        try everyPlace(["a": true], ["b": false])
    }

    /// The quick ways into the coders and the way through a coder's containers give one shape.
    private func everyPlace<T: Codable & Equatable & Hashable>(_ values: T...) throws {
        for value in values {
            let tree = try PropertyListValue(encoding: value)
            let elements = PropertyListValue.array([tree])
            let entries = PropertyListValue.dictionary(["v": tree])
            #expect(try PropertyListValue(encoding: PassingOn(value)) == tree)
            #expect(try PropertyListValue(encoding: Single(value)) == tree)
            #expect(try PropertyListValue(encoding: Optional(value)) == tree)
            #expect(try PropertyListValue(encoding: [value]) == elements)
            #expect(try PropertyListValue(encoding: PassingOn([value])) == elements)
            #expect(try PropertyListValue(encoding: [Optional(value)]) == elements)
            #expect(try PropertyListValue(encoding: [Single(value)]) == elements)
            #expect(try PropertyListValue(encoding: Box(v: value)) == entries)
            #expect(try PropertyListValue(encoding: Box(v: Optional(value))) == entries)
            #expect(try PropertyListValue(encoding: ["v": Single(value)]) == entries)
            #expect(try tree.decode(T.self) == value)
            #expect(try tree.decode(T?.self) == value)
            #expect(try tree.decode(PassingOn<T>.self).value == value)
            #expect(try tree.decode(Single<T>.self).value == value)
            #expect(try elements.decode([T].self) == [value])
            #expect(try elements.decode([T?].self) == [value])
            #expect(try elements.decode(PassingOn<[T]>.self).value == [value])
            #expect(try elements.decode(Set<T>.self) == [value])
            #expect(try entries.decode(Box<T>.self).v == value)
            #expect(try entries.decode(Box<T?>.self).v == value)
            #expect(try entries.decode([String: T].self) == ["v": value])
            #expect(try entries.decode(Maybe<T>.self).v == value)
            #expect(throws: DecodingError.self) { try PropertyListValue.null.decode(T.self) }
            #expect(try PropertyListValue.null.decode(T?.self) == nil)
        }
    }
}

/// A property that synthesised code reads by `decodeIfPresent`.
private struct Maybe<Value: Codable>: Codable { var v: Value? }
