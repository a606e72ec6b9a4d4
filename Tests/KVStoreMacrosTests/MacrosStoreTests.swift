import TestSupport
import Testing

@Suite("Macros over each store", .onOwnThreads)
struct MacrosStoreTests {
    /// In processes of their own, because where preferences live is settled when one starts.
    @Test(arguments: ["memory", "jsonFile", "userDefaults"])
    func settingsBehaveTheSame(backend: String) throws {
        let program = try HelperProgram("MacrosHelper")
        let (status, output) = try program.run([backend, program.place(for: backend)])
        #expect(status == 0, "\(output)")
    }
}
