import Testing

@Suite("@KVEntry, as text")
struct EntryMacroTests {
    @Test func anExtensionOfStoresGetsAccessorsAndAHandle() {
        let expansion = Expansion(
            of: """
                extension KVStoring {
                    @KVEntry public var launchCount = 123
                }
                """
        )
        #expect(expansion.problems.isEmpty)
        #expect(
            expansion.text == """
                extension KVStoring {
                    public var launchCount {
                        get {
                            self.get(KVDefaultKey<Int>("launchCount", default: 123))
                        }
                        nonmutating set {
                            self[KVDefaultKey<Int>("launchCount", default: 123)] = newValue
                        }
                        nonmutating _modify {
                            yield &self[KVDefaultKey<Int>("launchCount", default: 123)]
                        }
                    }

                    public var $launchCount: KVHandle<Int> {
                        KVHandle(KVDefaultKey<Int>("launchCount", default: 123), in: ReactiveKVStore(self))
                    }
                }
                """
        )
    }

    /// A declaration in a struct, and the key that is read.
    @Test(arguments: [
        (
            "@KVEntry(\"n\", store: s) var a = 1",
            "(s as any KVStoring).get(KVDefaultKey<Int>(\"n\", default: 1))"
        ),
        (
            "@KVEntry(Self.key, store: s) var a: Int?",
            "(s as any KVStoring).get(KVKey<Int>(Self.key))"
        ),
        (
            "@KVEntry(prefixedWith: \"p_\", store: .make()) var a: Int?",
            "(.make() as any KVStoring).get(KVKey<Int>(\"p_a\"))"
        ),
        (
            "@KVEntry<Look>(bridge: .rawValue, store: s) var a = Look.dark",
            "(s as any KVStoring).get(KVDefaultKey<Look>(\"a\", default: Look.dark, bridge: .rawValue))"
        ),
        (
            "@KVEntry(store: s) static var a = 1",
            "static var $a: KVHandle<Int> {"
        ),
    ])
    func aPropertyIsInTheStoreThatIsNamed(declaration: String, part: String) {
        let expansion = Expansion(of: "struct Service {\n    \(declaration)\n}")
        #expect(expansion.problems.isEmpty)
        #expect(expansion.text.contains(part), "\(expansion.text)")
    }

    /// A declaration, what is said of which part of it, and what mends it.
    @Test(arguments: [
        (
            "extension KVStoring {\n    @KVEntry var a: Int\n}",
            "'a' needs a default, for where nothing is stored, or an optional type @ a",
            ["Give it a default: a: Int = <#default#>", "Make it an optional: a: Int?"]
        ),
        (
            "extension KVStoring {\n    @KVEntry lazy var a = 1\n}",
            "A setting is not stored here, so it cannot be 'lazy' @ lazy",
            ["Remove 'lazy': @KVEntry var a = 1"]
        ),
        (
            "struct Service {\n    @KVEntry var a = 1\n}",
            "@KVEntry needs a store: declare it in an extension of KVStoring or in a type with "
                + "@KVSettings, or name a store with 'store:' @ @KVEntry",
            []
        ),
    ])
    func whatCannotBeASettingIsReported(source: String, problem: String, fixes: [String]) {
        let expansion = Expansion(of: source)
        #expect(expansion.problems == [problem])
        #expect(expansion.fixes == fixes)
    }
}
