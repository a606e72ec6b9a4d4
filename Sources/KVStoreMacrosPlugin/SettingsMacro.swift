package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// `@KVSettings`: a store, an initialiser, the keys, and `@KVEntry` on each property that is stored.
package enum SettingsMacro {}

extension SettingsMacro: MemberMacro {
    package static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let name = declaration.settingsTypeName else {
            Problem("Settings are a struct or a class", at: declaration.introducer).report(
                in: context
            )
            return []
        }
        let settings = settings(of: declaration, in: context)
        let arguments = MacroArguments(of: node)
        let access = Access.ofMembers(in: declaration)
        return [
            "\(access?.modifiers ?? [])let store: ReactiveKVStore",
            initializer(
                of: settings,
                access: (arguments.access ?? access)?.modifiers ?? [],
                defaultStore: arguments.store
            ),
            keys(
                of: settings,
                access: access?.modifiers ?? [],
                prefix: arguments.prefix,
                owner: name,
                // Types in generic types cannot have stored constants. What is extended may be one.
                areStored: declaration.genericParameters == nil
                    && !context.lexicalContext.contains {
                        $0.is(ExtensionDeclSyntax.self)
                            || $0.asProtocol((any DeclGroupSyntax).self)?.genericParameters != nil
                    }
            ),
        ]
    }

    /// Returns the settings of a type, and reports what else is declared like one.
    private static func settings(
        of declaration: some DeclGroupSyntax,
        in context: some MacroExpansionContext
    ) -> [Setting] {
        var settings: [Setting] = []
        for member in declaration.memberBlock.members {
            if let conditional = member.decl.as(IfConfigDeclSyntax.self) {
                for variable in conditional.settings {
                    Problem(
                        "A setting cannot be declared under a condition: init(store:) gives a handle "
                            + "to each",
                        at: variable
                    ).report(in: context)
                }
            }
            guard let variable = member.decl.as(VariableDeclSyntax.self) else { continue }
            switch Treatment.inSettings(variable) {
            case .none: break
            case .problem(let problem): problem.report(in: context)
            case .setting(let setting):
                if setting.name == "store" || setting.name == "all" {
                    Problem(
                        "'\(setting.name)' is a name that @KVSettings declares; choose another, and "
                            + "keep the key with @KVEntry(\"\(setting.name)\")",
                        at: setting.identifier
                    ).report(in: context)
                }
                settings.append(setting)
            }
        }
        return settings
    }

    private static func initializer(
        of settings: [Setting],
        access: DeclModifierListSyntax,
        defaultStore: ExprSyntax?
    ) -> DeclSyntax {
        let assignments = settings.map { setting in
            "\(setting.handle) = KVHandle(Keys.\(setting.identifier), in: self.store)"
        }
        let body = ["self.store = ReactiveKVStore(store)"] + assignments
        return """
            \(access)init(store: any KVStoring\(raw: defaultStore.map { " = \($0)" } ?? "")) {
            \(raw: body.joined(separator: "\n"))
            }
            """
    }

    private static func keys(
        of settings: [Setting],
        access: DeclModifierListSyntax,
        prefix: ExprSyntax?,
        owner: TokenSyntax,
        areStored: Bool
    ) -> DeclSyntax {
        let keys = settings.map { setting in
            let key = setting.key(prefix: prefix, movedFrom: owner)
            let head = "\(setting.keyAccess)static"
            return areStored
                ? "\(head) let \(setting.identifier) = \(key)"
                : "\(head) var \(setting.identifier): \(setting.keyType) { \(key) }"
        }
        let names = settings.map(\.identifier.text).joined(separator: ", ")
        let all = "\(access)static var all: [any KVKeyProtocol] { [\(names)] }"
        return """
            \(access)nonisolated enum Keys {
            \(raw: (keys + [all]).joined(separator: "\n"))
            }
            """
    }
}

extension SettingsMacro: MemberAttributeMacro {
    package static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        guard declaration.settingsTypeName != nil,
            let variable = member.as(VariableDeclSyntax.self),
            variable.attributes.attribute("KVEntry") == nil,
            case .setting = Treatment.inSettings(variable)
        else { return [] }
        return ["@KVEntry"]
    }
}

extension SettingsMacro: ExtensionMacro {
    package static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard declaration.is(ClassDeclSyntax.self), !protocols.isEmpty else { return [] }
        return [try ExtensionDeclSyntax("extension \(type.trimmed): KVSettings {}")]
    }
}

extension DeclGroupSyntax {
    /// The name of the type, if settings can be declared in its kind.
    fileprivate var settingsTypeName: TokenSyntax? {
        (self.as(StructDeclSyntax.self)?.name ?? self.as(ClassDeclSyntax.self)?.name)?.trimmed
    }

    fileprivate var genericParameters: GenericParameterClauseSyntax? {
        asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause
    }
}

extension IfConfigDeclSyntax {
    /// The variables in all branches that would be settings outside.
    fileprivate var settings: [VariableDeclSyntax] {
        clauses.flatMap { clause -> [VariableDeclSyntax] in
            guard case .decls(let members) = clause.elements else { return [] }
            return members.flatMap { member -> [VariableDeclSyntax] in
                if let nested = member.decl.as(IfConfigDeclSyntax.self) { return nested.settings }
                guard let variable = member.decl.as(VariableDeclSyntax.self),
                    case .setting = Treatment.inSettings(variable)
                else { return [] }
                return [variable]
            }
        }
    }
}
