import SwiftSyntax
import SwiftSyntaxBuilder

/// The type of a default whose property is declared without one, as far as its text shows it.
///
/// A macro sees text and not types. Literals, calls of initialisers (`Appearance()`) and members
/// of types (`Theme.dark`, `Date.now`) name their type; for anything else it has to be written. A
/// member whose type is not the one it belongs to does not compile, so a guess is never stored.
enum SpelledType {
    /// Returns the type of an expression, or nil if the expression does not show it.
    static func of(_ expression: ExprSyntax) -> TypeSyntax? {
        name(of: expression).map { TypeSyntax(stringLiteral: $0) }
    }

    private static func name(of expression: ExprSyntax) -> String? {
        switch expression.as(ExprSyntaxEnum.self) {
        case .integerLiteralExpr: "Int"
        case .floatLiteralExpr: "Double"
        case .booleanLiteralExpr: "Bool"
        case .stringLiteralExpr: "String"
        case .prefixOperatorExpr(let prefixed): literal(prefixed.expression)
        case .arrayExpr(let array):
            common(array.elements.map(\.expression)).map { "[\($0)]" }
        case .dictionaryExpr(let dictionary):
            name(ofPairs: dictionary)
        case .functionCallExpr(let call):
            isType(call.calledExpression)
                ? call.calledExpression.trimmedDescription : owner(of: call.calledExpression)
        case .memberAccessExpr: owner(of: expression)
        case .sequenceExpr(let sequence): cast(sequence)
        case .tupleExpr(let tuple):
            tuple.elements.count == 1
                ? tuple.elements.first.flatMap { name(of: $0.expression) } : nil
        default: nil
        }
    }

    /// Returns the type of a number behind a sign.
    private static func literal(_ expression: ExprSyntax) -> String? {
        expression.is(IntegerLiteralExprSyntax.self) || expression.is(FloatLiteralExprSyntax.self)
            ? name(of: expression) : nil
    }

    /// Returns the type that all of several expressions have.
    private static func common(_ expressions: [ExprSyntax]) -> String? {
        let names = expressions.map(name(of:))
        guard let first = names.first, names.allSatisfy({ $0 == first }) else { return nil }
        return first
    }

    private static func name(ofPairs dictionary: DictionaryExprSyntax) -> String? {
        guard case .elements(let pairs) = dictionary.content,
            let key = common(pairs.map(\.key)), let value = common(pairs.map(\.value))
        else { return nil }
        return "[\(key): \(value)]"
    }

    /// Returns the type that a member is named as a member of.
    private static func owner(of expression: ExprSyntax) -> String? {
        guard let member = expression.as(MemberAccessExprSyntax.self), let base = member.base,
            isType(base), member.declName.baseName.text != "self"
        else { return nil }
        return base.trimmedDescription
    }

    /// Returns the type of `value as Type`.
    private static func cast(_ sequence: SequenceExprSyntax) -> String? {
        guard let last = sequence.elements.last?.as(TypeExprSyntax.self),
            sequence.elements.count == 3,
            let cast = sequence.elements.dropFirst().first?.as(UnresolvedAsExprSyntax.self)
        else { return nil }
        let type = last.type.trimmedDescription
        return cast.questionOrExclamationMark?.tokenKind == .postfixQuestionMark ? "\(type)?" : type
    }

    /// Returns whether an expression is the name of a type, going by its capital.
    private static func isType(_ expression: ExprSyntax) -> Bool {
        switch expression.as(ExprSyntaxEnum.self) {
        case .declReferenceExpr(let reference): isCapital(reference)
        case .genericSpecializationExpr(let generic): isType(generic.expression)
        case .memberAccessExpr(let member):
            isCapital(member.declName) && member.base.map(isType) ?? false
        case .arrayExpr(let array):
            array.elements.count == 1 && array.elements.allSatisfy { isType($0.expression) }
        case .dictionaryExpr(let dictionary):
            if case .elements(let pairs) = dictionary.content {
                pairs.count == 1 && pairs.allSatisfy { isType($0.key) && isType($0.value) }
            } else {
                false
            }
        default: false
        }
    }

    private static func isCapital(_ reference: DeclReferenceExprSyntax) -> Bool {
        let name = reference.baseName
        return name.tokenKind != .keyword(.Self) && name.text.first?.isUppercase ?? false
    }
}
