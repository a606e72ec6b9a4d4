import Testing

@Suite("@KVSettings, as text")
struct SettingsMacroTests {
    @Test func aStructGetsItsStoreItsKeysAndAHandleForEachSetting() {
        let expansion = Expansion(
            of: """
                @KVSettings(prefix: "app.") public struct Settings {
                    public var launchCount = 0
                    private var nickname: String?
                }
                """
        )
        #expect(expansion.problems.isEmpty)
        #expect(
            expansion.text == """
                public struct Settings {
                    public var launchCount {
                        get {
                            $launchCount.value
                        }
                        nonmutating set {
                            $launchCount.value = newValue
                        }
                        nonmutating _modify {
                            yield &$launchCount.value
                        }
                    }

                    public let $launchCount: KVHandle<Int>
                    private var nickname: String? {
                        get {
                            $nickname.value
                        }
                        nonmutating set {
                            $nickname.value = newValue
                        }
                        nonmutating _modify {
                            yield &$nickname.value
                        }
                    }

                    private let $nickname: KVHandle<String?>

                    public let store: ReactiveKVStore

                    public init(store: any KVStoring) {
                        self.store = ReactiveKVStore(store)
                        $launchCount = KVHandle(Keys.launchCount, in: self.store)
                        $nickname = KVHandle(Keys.nickname, in: self.store)
                    }

                    public nonisolated enum Keys {
                        public static let launchCount = KVDefaultKey<Int>("app.launchCount", default: 0)
                        fileprivate static let nickname = KVKey<String>("app.nickname")
                        public static var all: [any KVKeyProtocol] {
                            [launchCount, nickname]
                        }
                    }
                }
                """
        )
    }

    @Test func aClassConformsAndIsSetAsAReference() {
        let expansion = Expansion(
            of: """
                @KVSettings(store: defaults, access: .private) final class Settings {
                    var theme = Theme.system
                }
                """
        )
        #expect(expansion.problems.isEmpty)
        #expect(expansion.text.contains("extension Settings: KVSettings {\n}"))
        #expect(expansion.text.contains("        set {\n            $theme.value = newValue"))
        #expect(expansion.text.contains("private init(store: any KVStoring = defaults) {"))
        #expect(expansion.text.contains("\n    let store: ReactiveKVStore"))
        #expect(expansion.text.contains("KVDefaultKey<Theme>(\"theme\", default: Theme.system)"))
    }

    @Test func keysOfAGenericTypeAreMadeWhenTheyAreUsed() {
        let expansion = Expansion(
            of: "@KVSettings struct Box<Item> {\n    var item: Item?\n}"
        )
        #expect(expansion.text.contains("static var item: KVKey<Item> {"))
        #expect(expansion.text.contains("KVKey<Item>(\"item\")"))
    }

    /// A property, its key in the expansion, and the type of its handle.
    @Test(arguments: [
        ("var a = 1.5", "KVDefaultKey<Double>(\"p.a\", default: 1.5)", "Double"),
        ("var a = -1", "KVDefaultKey<Int>(\"p.a\", default: -1)", "Int"),
        ("var a = [1, 2]", "KVDefaultKey<[Int]>(\"p.a\", default: [1, 2])", "[Int]"),
        (
            "var a = [\"x\": true]",
            "KVDefaultKey<[String: Bool]>(\"p.a\", default: [\"x\": true])", "[String: Bool]"
        ),
        ("var a = [String]()", "KVDefaultKey<[String]>(\"p.a\", default: [String]())", "[String]"),
        ("var a = Set<Int>()", "KVDefaultKey<Set<Int>>(\"p.a\", default: Set<Int>())", "Set<Int>"),
        ("var a = Look()", "KVDefaultKey<Look>(\"p.a\", default: Look())", "Look"),
        (
            "var a = Duration.seconds(3)",
            "KVDefaultKey<Duration>(\"p.a\", default: Duration.seconds(3))", "Duration"
        ),
        ("var a = f() as Look", "KVDefaultKey<Look>(\"p.a\", default: f() as Look)", "Look"),
        ("var a: Int = Self.most", "KVDefaultKey<Int>(\"p.a\", default: Settings.most)", "Int"),
        ("var a: Int? = 3", "KVDefaultKey<Int?>(\"p.a\", default: 3)", "Int?"),
        ("var a: Int? = nil", "KVKey<Int>(\"p.a\")", "Int?"),
        ("var a: Optional<[Int]>", "KVKey<[Int]>(\"p.a\")", "Optional<[Int]>"),
        ("@KVEntry(\"b\") var a = 1", "KVDefaultKey<Int>(\"p.b\", default: 1)", "Int"),
        (
            "@KVEntry(prefixedWith: \"q.\") var a = 1", "KVDefaultKey<Int>(\"p.q.a\", default: 1)",
            "Int"
        ),
        (
            "@KVEntry(Self.b) var a = 1", "KVDefaultKey<Int>(\"p.\" + (Settings.b), default: 1)",
            "Int"
        ),
        (
            "@KVEntry<Look>(bridge: .jsonData) var a: Look?",
            "KVKey<Look>(\"p.a\", bridge: .jsonData)", "Look?"
        ),
        ("var `a` = 1", "KVDefaultKey<Int>(\"p.a\", default: 1)", "Int"),
    ])
    func aPropertyIsAKey(declaration: String, key: String, type: String) {
        let expansion = Expansion(
            of: "@KVSettings(prefix: \"p.\") struct Settings {\n    \(declaration)\n}"
        )
        #expect(expansion.problems.isEmpty)
        #expect(expansion.text.contains(" = \(key)\n"), "\(expansion.text)")
        #expect(expansion.text.contains("let $a: KVHandle<\(type)>\n"), "\(expansion.text)")
    }

    @Test(arguments: [
        "let a = 1",
        "static var a = 1",
        "var a: Int { 1 }",
        "var a: Int { get { 1 } set {} }",
        "@KVStored(\"a\") var a = 1",
        "func a() {}",
    ])
    func somethingElseIsLeftAlone(declaration: String) {
        let expansion = Expansion(of: "@KVSettings struct Settings {\n    \(declaration)\n}")
        #expect(expansion.problems.isEmpty)
        #expect(expansion.text.contains("    \(declaration)\n"))
        #expect(!expansion.text.contains("$a"))
    }

    /// A declaration, what is said of which part of it, and what mends it.
    @Test(arguments: [
        (
            "var a: Int",
            "'a' needs a default, for where nothing is stored, or an optional type @ a",
            ["Give it a default: a: Int = <#default#>", "Make it an optional: a: Int?"]
        ),
        (
            "var a = f()",
            "The text of its default does not show the type of this setting; write it @ a",
            ["Write the type: a: <#Type#> = f()"]
        ),
        (
            "var a: Int!",
            "A setting may be absent, so it is never unwrapped unasked @ Int!",
            ["Make it an optional: Int?"]
        ),
        (
            "lazy var a = 1",
            "A setting is not stored here, so it cannot be 'lazy' @ lazy",
            ["Remove 'lazy': var a = 1"]
        ),
        (
            "weak var a: Look?",
            "A setting is not stored here, so it cannot be 'weak' @ weak",
            ["Remove 'weak': var a: Look?"]
        ),
        (
            "var a, b: Int?, c = 1",
            "Settings are declared one by one @ a, b: Int?, c = 1",
            [
                "Declare them one by one: var a: Int?\n    var b: Int?\n    var c = 1"
            ]
        ),
        (
            "var (a, b) = (1, 2)",
            "A setting has one name; declare each variable for itself @ (a, b)",
            []
        ),
        (
            "var a = 1 { didSet {} }",
            "Observers of a setting would miss what others write; follow its handle ($) instead @ { didSet {} }",
            ["Remove the observers: var a = 1"]
        ),
        (
            "let a: Int",
            "@KVSettings writes init(store:), which has no value for this constant; give it one here @ a",
            ["Give it a value: a: Int = <#value#>"]
        ),
        (
            "@KVEntry let a = 1",
            "A setting can change; declare it with 'var' @ let",
            ["Replace 'let' by 'var': var"]
        ),
        (
            "@KVEntry var a: Int { 1 }",
            "A setting is what is stored, and this is computed @ { 1 }",
            []
        ),
        (
            "@KVEntry(store: s) var a = 1",
            "A setting is in the store of its type; declare it elsewhere @ s",
            []
        ),
        (
            "var store = 1",
            "'store' is a name that @KVSettings declares; choose another, and keep the key with @KVEntry(\"store\") @ store",
            []
        ),
        (
            "#if DEBUG\n    var a = 1\n    #endif",
            "A setting cannot be declared under a condition: init(store:) gives a handle to each @ var a = 1",
            []
        ),
    ])
    func whatCannotBeASettingIsReported(
        declaration: String,
        problem: String,
        fixes: [String]
    ) {
        let expansion = Expansion(of: "@KVSettings struct Settings {\n    \(declaration)\n}")
        #expect(expansion.problems == [problem])
        #expect(expansion.fixes == fixes)
    }

    @Test func settingsAreNoEnumAndNoActor() {
        let problems = Expansion(
            of: "@KVSettings enum A {}\n@KVSettings actor B {\n    var a = 1\n}"
        ).problems
        #expect(
            problems == [
                "Settings are a struct or a class @ enum",
                "Settings are a struct or a class @ actor",
            ]
        )
    }
}
