import Foundation
import Testing

/// Pages that name a test for each thing they say.
@Suite("Tables of tests")
struct TestTableTests {
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources")

    /// What no test of a package can show is shown by a script.
    private func isScript(_ path: String) -> Bool {
        let root = Self.sources.deletingLastPathComponent()
        return path.hasPrefix(".ci/")
            && FileManager.default.isExecutableFile(atPath: root.appending(path: path).path)
    }

    private func table(of page: String) throws -> TestTable {
        TestTable(
            page: try String(contentsOf: Self.sources.appending(path: page), encoding: .utf8)
        )
    }

    @Test(arguments: [
        ("KVStoreReactive/KVStoreReactive.docc/FeaturesOfOtherLibraries.md", 3, 80),
        ("KVStore/KVStore.docc/PromisesAndTests.md", 3, 16),
    ])
    func eachRowIsFilledAndNamesTestsThatExist(page: String, columns: Int, least: Int) throws {
        let table = try table(of: page)
        let known = try RepositoryTests.names()
        #expect(table.rows.count >= least)
        for row in table.rows {
            #expect(row.cells.count == columns, "\(row.cells)")
            #expect(row.cells.allSatisfy { !$0.isEmpty }, "\(row.cells)")
            #expect(!row.tests.isEmpty, "\(row.cells)")
            for test in row.tests { #expect(known.contains(test) || isScript(test), "\(test)") }
        }
    }

    @Test func promisesAreNumberedWithoutAGap() throws {
        let numbers = try table(of: "KVStore/KVStore.docc/PromisesAndTests.md").rows
            .compactMap { $0.cells.first }
        #expect(numbers == (1...16).map { String($0) })
    }

    @Test func tablesAreFoundOnAPage() {
        let table = TestTable(
            page: """
                Text with `code`.

                | what | test |
                | --- | --- |
                | one | `A/b`, `C/d` |
                |  | none |

                | other | test |
                | --- | --- |
                | two | `E/f` |
                """
        )
        #expect(table.rows.map(\.cells.first) == ["one", "", "two"])
        #expect(table.rows.map(\.tests) == [["A/b", "C/d"], [], ["E/f"]])
    }

    @Test func testsAreFoundInASource() {
        let names = RepositoryTests.names(
            in: """
                @Suite("One") final class OneTests: Sendable {
                    struct Inner { func helper() {} }
                    @Test func onALine() {}
                    @Test(arguments: [1, 2])
                    func overLines(number: Int) {}
                    func noTest() {}
                }
                extension TwoTests {
                    @Test
                    func inAnExtension() {}
                }
                """
        )
        #expect(names == ["OneTests/onALine", "OneTests/overLines", "TwoTests/inAnExtension"])
    }
}
