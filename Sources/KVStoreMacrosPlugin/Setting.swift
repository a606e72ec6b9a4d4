import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder

/// A property that is stored under a key: what its declaration says of the key.
struct Setting {
    /// The name in code, with backticks where it is declared with them.
    let identifier: TokenSyntax
    /// The type of the property, written or shown by its default.
    let type: TypeSyntax
    /// What a read gives where nothing readable is stored; nil for nil.
    let defaultValue: ExprSyntax?
    let modifiers: DeclModifierListSyntax
    /// The arguments of the property's own macro, if it has one.
    let arguments: MacroArguments

    /// The name in code without backticks.
    var name: String {
        identifier.text.trimmingBackticks
    }

    /// The name of the handle, which is `$` and the name.
    var handle: TokenSyntax {
        .identifier("$" + name)
    }

    var isStatic: Bool {
        modifiers.contains { $0.name.tokenKind == .keyword(.static) }
    }

    /// The type of the key.
    var keyType: TypeSyntax {
        if defaultValue == nil, let wrapped = type.wrappedInOptional {
            return "KVKey<\(wrapped)>"
        }
        return "KVDefaultKey<\(type)>"
    }

    /// Returns the key as an expression, with its name behind a prefix.
    ///
    /// Where the expression is to stand in a type nested in the owner, `Self` becomes the owner.
    func key(prefix: ExprSyntax?, movedFrom owner: TokenSyntax? = nil) -> ExprSyntax {
        func moved(_ expression: ExprSyntax) -> ExprSyntax {
            guard let owner else { return expression.trimmed }
            return SelfRewriter(owner: owner).rewrite(expression.trimmed).cast(ExprSyntax.self)
        }
        let own = arguments.name ?? ExprSyntax(StringLiteralExprSyntax(content: name))
        let parts = [prefix, arguments.prefixedWith, own].compactMap { $0 }.map(moved)
        let text = joined(parts)
        let more = [("default", defaultValue), ("bridge", arguments.bridge)].compactMap {
            label,
            value in value.map { ", \(label): \(moved($0))" }
        }
        return "\(keyType)(\(text)\(raw: more.joined()))"
    }

    /// The access that the handle is declared with: that of the property's setter.
    var handleAccess: DeclModifierListSyntax {
        let levels = modifiers.filter { Access($0) != nil }
        guard let level = levels.first(where: { $0.detail != nil }) ?? levels.first else {
            return []
        }
        return Access(level)?.modifiers ?? []
    }

    /// The access that the key is declared with, in a type nested beside the property.
    var keyAccess: DeclModifierListSyntax {
        let level = modifiers.first { $0.detail == nil && Access($0) != nil }
        switch level.flatMap({ Access($0) }) {
        case nil: return []
        case .private: return Access.fileprivate.modifiers
        case let access?: return access.modifiers
        }
    }
}

/// Returns names one after another as one expression, as one literal where all are.
private func joined(_ parts: [ExprSyntax]) -> ExprSyntax {
    let literals = parts.map { $0.as(StringLiteralExprSyntax.self)?.representedLiteralValue }
    let known = literals.compactMap { $0 }
    if known.count == parts.count {
        return ExprSyntax(StringLiteralExprSyntax(content: known.joined()))
    }
    // In parentheses, as a part may be a conditional.
    let terms = zip(parts, literals).filter { $0.1 != "" }.map { part, literal in
        literal == nil && parts.count > 1 ? "(\(part))" : "\(part)"
    }
    return ExprSyntax(stringLiteral: terms.joined(separator: " + "))
}

/// Replaces `Self` by the name of the type that it meant before the expression was moved.
private final class SelfRewriter: SyntaxRewriter {
    private let owner: TokenSyntax

    init(owner: TokenSyntax) {
        self.owner = owner
        super.init()
    }

    override func visit(_ token: TokenSyntax) -> TokenSyntax {
        guard token.tokenKind == .keyword(.Self) else { return token }
        return token.with(\.tokenKind, .identifier(owner.text))
    }
}

extension TypeSyntax {
    /// What is optional here, or nil if the type is not written as an optional.
    var wrappedInOptional: TypeSyntax? {
        if let optional = self.as(OptionalTypeSyntax.self) {
            return optional.wrappedType.trimmed
        }
        let arguments: GenericArgumentClauseSyntax?
        if let named = self.as(IdentifierTypeSyntax.self), named.name.text == "Optional" {
            arguments = named.genericArgumentClause
        } else if let named = self.as(MemberTypeSyntax.self), named.name.text == "Optional",
            named.baseType.trimmedDescription == "Swift"
        {
            arguments = named.genericArgumentClause
        } else {
            return nil
        }
        return (arguments?.arguments.first?.argument).flatMap { TypeSyntax($0)?.trimmed }
    }
}

extension String {
    var trimmingBackticks: String {
        hasPrefix("`") && hasSuffix("`") && count > 2 ? String(dropFirst().dropLast()) : self
    }
}
