import KVStoreMacrosPlugin
import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

/// A piece of a program with its macros expanded by SwiftSyntax itself.
struct Expansion {
    /// The text afterwards, without the spaces at the ends of lines.
    let text: String
    /// What was reported, one line each: the message and the text that it points at.
    let problems: [String]
    /// What would mend it: the name of each way, and the text that it puts in.
    let fixes: [String]

    init(of source: String) {
        let file = Parser.parse(source: source)
        let context = BasicMacroExpansionContext(
            sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "Test.swift")]
        )
        let expanded = file.expand(
            macroSpecs: [
                "KVSettings": MacroSpec(type: SettingsMacro.self, conformances: ["KVSettings"]),
                "KVEntry": MacroSpec(type: EntryMacro.self),
            ],
            contextGenerator: {
                BasicMacroExpansionContext(
                    sharingWith: context,
                    lexicalContext: $0.allMacroLexicalContexts()
                )
            }
        )
        text = expanded.description.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.replacing(/[ ]+$/, with: "") }.joined(separator: "\n")
        problems = context.diagnostics.map {
            "\($0.message) @ \($0.node.trimmedDescription)"
        }
        fixes = context.diagnostics.flatMap(\.fixIts).map { fix in
            let texts = fix.changes.map { change in
                if case .replace(_, let new) = change { return new.trimmedDescription }
                return "?"
            }
            return "\(fix.message.message): \(texts.joined())"
        }
    }
}
