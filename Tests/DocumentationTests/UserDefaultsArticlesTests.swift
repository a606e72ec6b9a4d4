import Foundation
import KVStoreReactive
import KVStoreUserDefaults
import Testing

@Suite("Articles on UserDefaults")
struct UserDefaultsArticlesTests {
    private let store = InMemoryKVStore()

    @Test(arguments: [("MovingAnAppOver", 1), ("SharingASuite", 3)])
    func theirCodeStandsInASourceThatCompiles(article: String, least: Int) throws {
        let code = try CodeBlocks(
            of: "../../Sources/KVStoreUserDefaults/KVStoreUserDefaults.docc/\(article).md",
            in: ["UserDefaultsTour.swift"]
        )
        #expect(code.blocks.count >= least)
        #expect(code.strays.isEmpty)
    }

    @Test func theFormsOfTheTableAreReadAndWritten() throws {
        let id = NSUUID()
        let archive = PropertyListValue.data(
            try NSKeyedArchiver.archivedData(withRootObject: id, requiringSecureCoding: true)
        )
        let json = #"{"name":"Ada"}"#
        let profile = MovingTour.Profile(name: "Ada")
        try check(MovingTour.launches, stored: 3, value: 3)
        try check(MovingTour.home, stored: "/not/a", value: URL(filePath: "/not/a"))
        try check(MovingTour.theme, stored: "dark", value: .dark)
        try check(MovingTour.rawTheme, stored: "light", value: .light)
        try check(MovingTour.profile, stored: .data(Data(json.utf8)), value: profile)
        try check(MovingTour.profileInText, stored: .string(json), value: profile)
        try check(MovingTour.version, stored: "v3", value: MovingTour.Version(number: 3))

        // Equal archives need not have equal bytes, so what was written is read by Foundation.
        try store.setStoredValue(archive, for: "color")
        #expect(try store.value(for: MovingTour.color) == id)
        try store.setStoredValue([archive], for: "colors")
        #expect(try store.value(for: MovingTour.colors) == [id])
        let other = NSUUID()
        try store.set(MovingTour.color, value: other)
        try store.set(MovingTour.colors, value: [other])
        let single = store.storedValue(for: "color")
        #expect(try unarchived(single) == other)
        guard case .array(let elements) = store.storedValue(for: "colors") else {
            Issue.record("no array")
            return
        }
        #expect(try elements.map(unarchived) == [other])
    }

    private func unarchived(_ stored: PropertyListValue?) throws -> NSUUID? {
        guard case .data(let data) = stored else { return nil }
        return try NSKeyedUnarchiver.unarchivedObject(ofClass: NSUUID.self, from: data)
    }

    /// Reads what an older program stored, and writes it back in the same form.
    private func check<Value: Equatable>(
        _ key: KVKey<Value>,
        stored: PropertyListValue,
        value: Value,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try store.setStoredValue(stored, for: key.name)
        #expect(try store.value(for: key) == value, sourceLocation: sourceLocation)
        try store.remove(key)
        try store.set(key, value: value)
        let written = store.storedValue(for: key.name)
        #expect(written == stored, sourceLocation: sourceLocation)
    }

    @Test func aMovingBridgeReadsTheOldFormAndWritesTheNew() throws {
        let key = KVKey<[Int]>("list", bridge: MovingTour.makeMovingBridge())
        try store.setStoredValue("[1,2]", for: "list")
        try store.update(key) { $0?.append(3) }
        #expect(store.storedValue(for: "list") == [1, 2, 3])
    }
}
