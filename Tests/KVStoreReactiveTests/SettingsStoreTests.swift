import Foundation
import TestSupport
import Testing

/// One class of settings over each kind of store, each in a process of its own.
///
/// Where preferences live is settled when a process starts, so the test process cannot sandbox
/// them.
@Suite("KVSettings over each store", .onOwnThreads)
struct SettingsStoreTests {
    @Test(arguments: ["memory", "json", "defaults", "scoped", "layered"])
    func behavesTheSame(kind: String) throws {
        let helper = try HelperProgram("SettingsHelper")
        let (status, output) = try helper.run([kind, helper.folder.path])
        #expect(status == 0, "\(output)")
    }
}
