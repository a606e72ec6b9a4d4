import KVStore
import Testing

@Suite("InMemoryKVStore(arguments:)")
struct LayersArgumentsTests {
    @Test func argumentsAreTyped() throws {
        let store = InMemoryKVStore(arguments: [
            "/usr/bin/tool", "-skipLogin", "true", "-loginTries", "3", "-lastGameTime", "61.3",
            "-nickname", "007",
        ])
        #expect(
            store.storedValues() == [
                "skipLogin": true, "loginTries": 3, "lastGameTime": 61.3, "nickname": "007",
            ]
        )
        #expect(try store.value(for: KVKey<Bool>("skipLogin")) == true)
        #expect(try store.value(for: KVKey<Int>("loginTries")) == 3)
        #expect(try store.value(for: KVKey<Double>("loginTries")) == 3)
        #expect(try store.value(for: KVKey<Double>("lastGameTime")) == 61.3)
        #expect(try store.value(for: KVKey<String>("nickname")) == "007")
    }

    @Test(arguments: [
        "true", "false", "0", "3", "-3", "61.3", "-0.5", "1.0", "1e+20", "18446744073709551615",
        "007", "+1", "1e3", "61.30", ".5", "0x10", "YES", "nan", "inf", "-0.0", "", " 1", "é",
        "9223372036854775808", "99999999999999999999", "5e-324", "True",
    ])
    func aStringKeyReadsWhatWasTyped(argument: String) throws {
        let store = InMemoryKVStore(arguments: ["tool", "-x", argument])
        #expect(try store.value(for: KVKey<String>("x")) == argument)
        #expect(try store.value(for: KVKey<String?>("x")) == argument)
        #expect(store.get(KVDefaultKey("x", default: "?")) == argument)
    }

    @Test(
        arguments: [
            ("true", true), ("false", false), ("3", 3), ("-3", -3), ("61.3", 61.3), ("1.0", 1.0),
            ("18446744073709551615", .unsignedInteger(.max)), ("007", "007"), ("+1", "+1"),
            ("1e3", "1e3"), ("YES", "YES"), ("nan", "nan"), ("-0.0", .real(-0.0)),
        ] as [(String, PropertyListValue)]
    )
    func onlyWhatIsWrittenAsTypedIsConverted(argument: String, value: PropertyListValue) {
        #expect(InMemoryKVStore(arguments: ["-x", argument]).storedValues() == ["x": value])
    }

    @Test(
        arguments: [
            ([], [:]),
            (["-a"], [:]),
            (["-a", "-b", "1"], ["b": 1]),
            (["-a", "-5", "-b", "-x"], ["a": -5]),
            (["--a", "1", "file", "-b", "2", "file"], ["b": 2]),
            (["-b", "1", "-b", "2"], ["b": 2]),
            (["-a", "1", "--", "-b", "2"], ["a": 1]),
            (["-5", "1", "-", "2"], [:]),
            (["-a.b c", "1", "-\u{0}", "2"], ["a.b c": 1]),
            (["-e\u{301}", "x"], ["\u{E9}": "x"]),
        ] as [([String], [String: PropertyListValue])]
    )
    func pairsAreFoundAmongOtherArguments(
        arguments: [String],
        values: [String: PropertyListValue]
    ) {
        #expect(InMemoryKVStore(arguments: arguments).storedValues() == values)
    }

    @Test func argumentsCannotBeWritten() throws {
        let store = InMemoryKVStore(arguments: ["-a", "1"])
        let key = KVKey<Int>("a")
        let writes: [() throws -> Void] = [
            { try store.set(key, value: 2) }, { try store.remove(key) },
            { try store.removeAll() }, { try store.update(key) { $0 = 3 } },
        ]
        for write in writes {
            let error = #expect(throws: KVStoreError.self, performing: write)
            #expect(error?.code == .unwritable)
        }
        #expect(store.storedValues() == ["a": 1])
        #expect(try store.transaction { $0.get(key) } == 1)
    }
}
