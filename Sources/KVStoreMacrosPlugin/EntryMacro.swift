package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// `@KVEntry`: accessors over a key, and the handle.
package enum EntryMacro {
    /// Where a setting is declared.
    private enum Place {
        /// In a type with `@KVSettings`, which makes the handles.
        case settings
        /// With the store at hand under this expression.
        case over(ExprSyntax)
        case nowhere
    }

    private static func place(
        _ arguments: MacroArguments,
        in context: some MacroExpansionContext
    ) -> Place {
        let surroundings = context.lexicalContext.first
        if let group = surroundings?.asProtocol((any DeclGroupSyntax).self),
            group.attributes.attribute("KVSettings") != nil
        {
            return .settings
        }
        if let store = arguments.store { return .over("(\(store) as any KVStoring)") }
        return surroundings?.is(ExtensionDeclSyntax.self) == true ? .over("self") : .nowhere
    }

    private static func setting(_ declaration: some DeclSyntaxProtocol) -> Setting? {
        guard let variable = declaration.as(VariableDeclSyntax.self),
            case .setting(let setting) = Treatment.entry(variable)
        else { return nil }
        return setting
    }
}

extension EntryMacro: AccessorMacro {
    package static func expansion(
        of node: AttributeSyntax,
        providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let setting = setting(declaration) else { return [] }
        let surroundings = context.lexicalContext.first
        // Variables of reference types, of types and of files are set without changing a value.
        let isPlain =
            setting.isStatic
            || surroundings.map {
                $0.is(ClassDeclSyntax.self) || $0.is(ActorDeclSyntax.self)
            } ?? true
        let setter: TokenSyntax = isPlain ? "" : "nonmutating "
        let value: ExprSyntax
        switch place(setting.arguments, in: context) {
        case .nowhere: return []
        case .settings:
            value = "\(setting.handle).value"
            return [
                "get { \(value) }",
                "\(setter)set { \(value) = newValue }",
                "\(setter)_modify { yield &\(value) }",
            ]
        case .over(let store):
            let key = setting.key(prefix: nil)
            return [
                "get { \(store).get(\(key)) }",
                "\(setter)set { \(store)[\(key)] = newValue }",
                "\(setter)_modify { yield &\(store)[\(key)] }",
            ]
        }
    }
}

extension EntryMacro: PeerMacro {
    package static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let variable = declaration.as(VariableDeclSyntax.self) else {
            Problem("A setting is a variable", at: node).report(in: context)
            return []
        }
        let place = place(MacroArguments(of: node), in: context)
        switch Treatment.entry(variable) {
        case .none: return []
        case .problem(let problem):
            // In a type of settings, its own macro reports what is wrong.
            if case .settings = place {} else { problem.report(in: context) }
            return []
        case .setting(let setting):
            let access = setting.handleAccess
            switch place {
            case .settings:
                return ["\(access)let \(setting.handle): KVHandle<\(setting.type)>"]
            case .over(let store):
                let scope: TokenSyntax = setting.isStatic ? "static " : ""
                let key = setting.key(prefix: nil)
                return [
                    """
                    \(access)\(scope)var \(setting.handle): KVHandle<\(setting.type)> {
                    KVHandle(\(key), in: ReactiveKVStore(\(store)))
                    }
                    """
                ]
            case .nowhere:
                Problem(
                    "@KVEntry needs a store: declare it in an extension of KVStoring or in a type "
                        + "with @KVSettings, or name a store with 'store:'",
                    at: node
                ).report(in: context)
                return []
            }
        }
    }
}
