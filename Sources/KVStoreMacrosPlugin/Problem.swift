import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// What is wrong with a declaration, where, and what to do about it.
struct Problem {
    private let node: Syntax
    private let message: String
    private var fixes: [FixIt] = []

    init(_ message: String, at node: some SyntaxProtocol) {
        self.node = Syntax(node)
        self.message = message
    }

    /// Returns the problem with one more way to fix it, which replaces a node by another.
    func fixed<Node: SyntaxProtocol>(
        by message: String,
        replacing old: Node,
        with new: Node
    ) -> Problem {
        var problem = self
        problem.fixes.append(
            FixIt(
                message: MacroExpansionFixItMessage(message),
                changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))]
            )
        )
        return problem
    }

    /// Reports the problem as an error of the program that uses the macro.
    func report(in context: some MacroExpansionContext) {
        context.diagnose(
            Diagnostic(
                node: node,
                message: MacroExpansionErrorMessage(message),
                fixIts: fixes
            )
        )
    }
}
