import SwiftSyntax

/// What is done with a variable that is declared in a type of settings.
enum Treatment {
    /// It becomes a setting.
    case setting(Setting)
    /// It stays as it is.
    case none
    /// It can be neither.
    case problem(Problem)

    /// Returns what is done with a variable in a type of settings.
    static func inSettings(_ variable: VariableDeclSyntax) -> Treatment {
        if let own = variable.attributes.attribute("KVEntry") {
            if let store = MacroArguments(of: own).store {
                return .problem(
                    Problem(
                        "A setting is in the store of its type; declare it elsewhere",
                        at: store
                    )
                )
            }
        } else {
            // By convention attributes of the language begin with a small letter. Another macro or a
            // property wrapper has its own way with the variable.
            let isTaken = variable.attributes.attributes.contains {
                $0.simpleName.first?.isUppercase ?? false
            }
            if isTaken || variable.isOfType || variable.isComputed { return .none }
            if variable.isConstant { return constant(variable) }
        }
        return entry(variable)
    }

    /// Returns the setting that a variable is, or the reason why it cannot be one.
    static func entry(_ variable: VariableDeclSyntax) -> Treatment {
        if let problem = obstacle(to: variable) { return .problem(problem) }
        guard let binding = variable.bindings.first else { return .none }
        guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else {
            return .problem(
                Problem(
                    "A setting has one name; declare each variable for itself",
                    at: binding.pattern
                )
            )
        }
        let initial = binding.initializer?.value
        guard let type = binding.typeAnnotation?.type.trimmed ?? initial.flatMap(SpelledType.of)
        else {
            return .problem(withoutType(binding))
        }
        if let implicit = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            return .problem(implicitlyUnwrapped(implicit))
        }
        let defaultValue = initial.flatMap { type.wrappedInOptional == nil ? $0 : $0.unlessNil }
        if defaultValue == nil, type.wrappedInOptional == nil {
            return .problem(withoutDefault(binding, name: pattern.identifier.text, type: type))
        }
        return .setting(
            Setting(
                identifier: pattern.identifier.trimmed,
                type: type,
                defaultValue: defaultValue?.trimmed,
                modifiers: variable.modifiers,
                arguments: MacroArguments(of: variable.attributes.attribute("KVEntry"))
            )
        )
    }

    private static func constant(_ variable: VariableDeclSyntax) -> Treatment {
        for binding in variable.bindings where binding.initializer == nil {
            let value = InitializerClauseSyntax(value: placeholder("value"))
            return .problem(
                Problem(
                    "@KVSettings writes init(store:), which has no value for this constant; give it "
                        + "one here",
                    at: binding.pattern
                )
                .fixed(
                    by: "Give it a value",
                    replacing: binding,
                    with: binding.trimmed.with(\.initializer, value.spaced)
                )
            )
        }
        return .none
    }
}

// What cannot be a setting, and what would make it one.

private func obstacle(to variable: VariableDeclSyntax) -> Problem? {
    for modifier in variable.modifiers {
        guard case .keyword(let keyword) = modifier.name.tokenKind,
            [.lazy, .weak, .unowned].contains(keyword)
        else { continue }
        let others = variable.modifiers.filter { $0.id != modifier.id }
        return Problem(
            "A setting is not stored here, so it cannot be '\(modifier.trimmed)'",
            at: modifier
        )
        .fixed(
            by: "Remove '\(modifier.trimmed)'",
            replacing: variable,
            with: variable.with(\.modifiers, others).with(\.leadingTrivia, variable.leadingTrivia)
        )
    }
    if variable.isConstant {
        return Problem("A setting can change; declare it with 'var'", at: variable.bindingSpecifier)
            .fixed(
                by: "Replace 'let' by 'var'",
                replacing: variable.bindingSpecifier,
                with: variable.bindingSpecifier.with(\.tokenKind, .keyword(.var))
            )
    }
    if variable.bindings.count > 1 { return severalBindings(variable) }
    if let accessors = variable.bindings.first?.accessorBlock {
        if variable.isComputed {
            return Problem("A setting is what is stored, and this is computed", at: accessors)
        }
        return Problem(
            "Observers of a setting would miss what others write; follow its handle ($) instead",
            at: accessors
        )
        .fixed(
            by: "Remove the observers",
            replacing: variable,
            with: variable.with(\.bindings, variable.bindings.withoutAccessors)
        )
    }
    return nil
}

private func severalBindings(_ variable: VariableDeclSyntax) -> Problem {
    let problem = Problem("Settings are declared one by one", at: variable.bindings)
    guard let list = variable.parent?.parent?.as(MemberBlockItemListSyntax.self) else {
        return problem
    }
    // Written once, a type is that of all the names before it that have nothing of their own.
    var type: TypeAnnotationSyntax?
    let lines: [MemberBlockItemSyntax] = variable.bindings.reversed().map { binding in
        if binding.typeAnnotation != nil || binding.initializer != nil {
            type = binding.typeAnnotation
        }
        let single = binding.with(\.typeAnnotation, type).with(\.trailingComma, nil)
        return MemberBlockItemSyntax(
            decl: variable.with(\.bindings, [single]).with(\.trailingTrivia, [])
        )
    }.reversed()
    let split = MemberBlockItemListSyntax(
        list.flatMap { $0.decl.id == variable.id ? lines : [$0] }
    )
    return problem.fixed(by: "Declare them one by one", replacing: list, with: split)
}

private func withoutType(_ binding: PatternBindingSyntax) -> Problem {
    let type = TypeAnnotationSyntax(
        colon: .colonToken(trailingTrivia: .space),
        type: IdentifierTypeSyntax(name: .identifier("<#Type#>"))
    )
    let typed = binding.with(\.pattern, binding.pattern.trimmed).with(\.typeAnnotation, type)
    return Problem(
        "The text of its default does not show the type of this setting; write it",
        at: binding.pattern
    )
    .fixed(
        by: "Write the type",
        replacing: binding,
        with: typed.with(\.initializer, binding.initializer?.spaced)
    )
}

private func implicitlyUnwrapped(_ type: ImplicitlyUnwrappedOptionalTypeSyntax) -> Problem {
    Problem("A setting may be absent, so it is never unwrapped unasked", at: type)
        .fixed(
            by: "Make it an optional",
            replacing: TypeSyntax(type),
            with: TypeSyntax(OptionalTypeSyntax(wrappedType: type.wrappedType))
        )
}

private func withoutDefault(
    _ binding: PatternBindingSyntax,
    name: String,
    type: TypeSyntax
) -> Problem {
    let value = InitializerClauseSyntax(value: placeholder("default")).spaced
    let optional = TypeAnnotationSyntax(
        colon: .colonToken(trailingTrivia: .space),
        type: OptionalTypeSyntax(wrappedType: type)
    )
    return Problem(
        "'\(name)' needs a default, for where nothing is stored, or an optional type",
        at: binding.pattern
    )
    .fixed(
        by: "Give it a default",
        replacing: binding,
        with: binding.trimmed.with(\.initializer, value)
    )
    .fixed(
        by: "Make it an optional",
        replacing: binding,
        with: binding.trimmed.with(\.typeAnnotation, optional)
    )
}

private func placeholder(_ text: String) -> DeclReferenceExprSyntax {
    DeclReferenceExprSyntax(baseName: .identifier("<#\(text)#>"))
}

extension VariableDeclSyntax {
    fileprivate var isConstant: Bool { bindingSpecifier.tokenKind == .keyword(.let) }

    /// Whether the variable belongs to the type and not to its values.
    fileprivate var isOfType: Bool {
        modifiers.contains { [.keyword(.static), .keyword(.class)].contains($0.name.tokenKind) }
    }

    /// Whether the variable has a getter.
    fileprivate var isComputed: Bool {
        bindings.contains { binding in
            guard let block = binding.accessorBlock else { return false }
            guard case .accessors(let accessors) = block.accessors else { return true }
            return !accessors.allSatisfy {
                let kind = $0.accessorSpecifier.tokenKind
                return kind == .keyword(.willSet) || kind == .keyword(.didSet)
            }
        }
    }
}

extension PatternBindingListSyntax {
    fileprivate var withoutAccessors: PatternBindingListSyntax {
        PatternBindingListSyntax(map { $0.with(\.accessorBlock, nil).trimmed })
    }
}

extension InitializerClauseSyntax {
    /// The clause with one space on either side of its sign.
    fileprivate var spaced: InitializerClauseSyntax {
        with(\.equal, .equalToken(leadingTrivia: .space, trailingTrivia: .space))
    }
}
