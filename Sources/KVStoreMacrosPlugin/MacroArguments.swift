import SwiftSyntax

/// The arguments that a macro was used with.
struct MacroArguments {
    private let list: LabeledExprListSyntax

    init(of attribute: AttributeSyntax?) {
        if case .argumentList(let list) = attribute?.arguments {
            self.list = list
        } else {
            list = []
        }
    }

    /// The name of the key, for which there is no label.
    var name: ExprSyntax? { list.first { $0.label == nil }?.expression.unlessNil }
    var prefix: ExprSyntax? { argument("prefix") }
    var prefixedWith: ExprSyntax? { argument("prefixedWith") }
    var bridge: ExprSyntax? { argument("bridge") }
    var store: ExprSyntax? { argument("store") }

    /// The level that `access: .level` names.
    var access: Access? {
        let level = argument("access")?.as(MemberAccessExprSyntax.self)?.declName.baseName.text
        return level.flatMap { Access(rawValue: $0.trimmingBackticks) }
    }

    private func argument(_ label: String) -> ExprSyntax? {
        list.first { $0.label?.text == label }?.expression.trimmed.unlessNil
    }
}

/// A level of access.
enum Access: String {
    case `private`, `fileprivate`, `internal`, package, `public`, open

    init?(_ modifier: DeclModifierSyntax) {
        self.init(rawValue: modifier.name.text)
    }

    /// The level as modifiers of a declaration; there is no open initialiser or constant.
    var modifiers: DeclModifierListSyntax {
        let level = self == .open ? Access.public : self
        return [DeclModifierSyntax(name: .identifier(level.rawValue), trailingTrivia: .space)]
    }

    /// The level that members of a type need to be as visible as the type is.
    static func ofMembers(in type: some DeclGroupSyntax) -> Access? {
        let level = type.modifiers.compactMap { Access($0) }.first
        return level.flatMap { [.package, .public, .open].contains($0) ? $0 : nil }
    }
}

extension ExprSyntax {
    /// The expression, or nil if it is the literal nil.
    var unlessNil: ExprSyntax? {
        self.is(NilLiteralExprSyntax.self) ? nil : self
    }
}

extension AttributeListSyntax {
    /// The attributes of declarations that are always compiled.
    var attributes: [AttributeSyntax] {
        compactMap { $0.as(AttributeSyntax.self) }
    }

    /// Returns the attribute that is a macro's.
    func attribute(_ macro: String) -> AttributeSyntax? {
        attributes.first { $0.simpleName == macro }
    }
}

extension AttributeSyntax {
    /// The name without the module that it may be qualified with.
    var simpleName: String {
        if let member = attributeName.as(MemberTypeSyntax.self) { return member.name.text }
        return attributeName.as(IdentifierTypeSyntax.self)?.name.text ?? ""
    }
}
