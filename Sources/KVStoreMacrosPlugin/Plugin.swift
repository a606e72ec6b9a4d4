@_spi(PluginMessage) import SwiftCompilerPluginMessageHandling
import SwiftSyntaxMacros

/// The program that the compiler starts to expand the macros, one message after another.
@main
struct Plugin: PluginProvider {
    static func main() throws {
        let listener = CompilerPluginMessageListener(
            connection: try StandardIOMessageConnection(),
            provider: Plugin()
        )
        try listener.main()
    }

    func resolveMacro(moduleName: String, typeName: String) throws -> any Macro.Type {
        switch typeName {
        case "SettingsMacro": SettingsMacro.self
        case "EntryMacro": EntryMacro.self
        default: throw MacroExpansionErrorMessage("KVStore has no macro of the type \(typeName).")
        }
    }
}
