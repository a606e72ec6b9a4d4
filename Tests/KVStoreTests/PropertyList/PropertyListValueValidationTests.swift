import KVStore
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("PropertyListValue validation and order")
struct PropertyListValueValidationTests {
    @Test("Hand-made trees get the form that encoding gives")
    func normalises() throws {
        let tree: PropertyListValue = [
            "a": [.unsignedInteger(5), ["b": .unsignedInteger(.max)]], "c": "x",
        ]
        let valid = try tree.validated()
        guard case .dictionary(let entries) = valid, case .array(let list)? = entries["a"],
            case .integer(5)? = list.first
        else {
            Issue.record("The unsigned integer is still there.")
            return
        }
        #expect(valid == tree)
        guard case .integer(7) = try PropertyListValue.unsignedInteger(7).validated() else {
            Issue.record("The unsigned integer is still there.")
            return
        }
        #expect(try PropertyListValue.real(.nan).validated() == .real(.nan))
    }

    @Test("Errors name the way to what cannot be stored")
    func paths() {
        let long = String(repeating: "k", count: 4_097)
        let keys: PropertyListValue = ["a": [1, .dictionary([long: 1])]]
        let keyError = #expect(throws: EncodingError.self) { try keys.validated() }
        #expect(keyError?.path == "a/1")
        let deep = (0..<126).reduce(into: [[]] as PropertyListValue) { tree, _ in tree = [tree] }
        #expect(throws: Never.self) { try deep.validated() }
        let deeper: PropertyListValue = ["x": deep]
        let depthError = #expect(throws: EncodingError.self) { try deeper.validated() }
        #expect(depthError?.path.hasPrefix("x/0/0") == true)
    }

    @Test("The order of trees runs through the kinds, and within each by value")
    func order() {
        let sorted: [PropertyListValue] = [
            false, true, .integer(.min), -1, 0, .integer(.max), .unsignedInteger(.max),
            .real(-.infinity), -1.5, -0.0, 0.0, 1e-300, 2.5, .real(.infinity), .real(.nan),
            .date(.distantPast), .date(.distantFuture),
            "", "Z", "a", "a\u{301}", "b", "\u{e9}", "\u{ffee}", "\u{10000}",
            .data(.init()), .data(.init([0])), .data(.init([0, 1])), .data(.init([1])),
            [], [false], [false, 1], [1], ["a"],
            [:], ["a": 1], ["a": 1, "b": 1], ["a": 2], ["b": 0],
        ]
        for (index, lhs) in sorted.enumerated() {
            for (other, rhs) in sorted.enumerated() {
                #expect(PropertyListValue.precedes(lhs, rhs) == (index < other), "\(lhs) \(rhs)")
            }
        }
    }
}
