import KVStore
import Testing

@Suite("KeyName")
struct KeyNameTests {
    @Test(arguments: [
        "a", "a.b", "a..b", ".", "@x", "a/b", "../x", " ", "a\tb", "a\nb", "a\r\nb", "é",
        "e\u{301}",
        "x\u{feff}", "\u{10000}", "\u{ffee}", "\u{fffd}", "$null", "self", "\u{7f}", "\u{85}",
        String(repeating: "k", count: 4096),
    ])
    func allowsWhatEveryMediumHolds(name: String) {
        #expect(KeyName.isValid(name))
    }

    @Test(arguments: [
        "", "\u{feff}", "\u{feff}x", "a\u{0}", "\u{1}", "a\u{8}b", "\u{b}", "\u{c}", "\u{e}",
        "\u{1f}", "a\u{fffe}", "\u{ffff}b", String(repeating: "k", count: 4097),
        "e" + String(repeating: "\u{301}", count: 64_000),
    ])
    func refusesWhatOneMediumCannotHold(name: String) {
        #expect(!KeyName.isValid(name))
    }
}
