import Foundation

/// The rows of a page's tables, and the tests that their last cells name.
struct TestTable {
    struct Row: Sendable {
        let cells: [String]
        /// What the last cell has in code: `Type/function`.
        let tests: [String]
    }

    let rows: [Row]

    /// Takes the tables out of a page in Markdown, without their heads.
    init(page: String) {
        var rows: [Row] = []
        var isHead = true
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            guard line.hasPrefix("|") else {
                isHead = true
                continue
            }
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
                .dropFirst().dropLast()
                .map { $0.trimmingCharacters(in: .whitespaces) }
            if cells.allSatisfy({ $0.hasPrefix("---") }) {
                isHead = false
            } else if !isHead {
                rows.append(Row(cells: cells, tests: Self.code(in: cells.last ?? "")))
            }
        }
        self.rows = rows
    }

    private static func code(in cell: String) -> [String] {
        // What stands between marks is at the odd places.
        cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { !$0.offset.isMultiple(of: 2) }
            .map { String($0.element) }
    }
}

/// The names of all tests of the repository, as `Type/function`.
enum RepositoryTests {
    static func names() throws -> Set<String> {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        var names: Set<String> = []
        for folder in ["Tests", "Examples/Tests"] {
            let files = FileManager.default.enumerator(
                at: root.appending(path: folder),
                includingPropertiesForKeys: nil,
                options: [.skipsHiddenFiles]
            )
            while let file = files?.nextObject() as? URL {
                guard file.pathExtension == "swift" else { continue }
                names.formUnion(Self.names(in: try String(contentsOf: file, encoding: .utf8)))
            }
        }
        return names
    }

    /// The tests of one source.
    ///
    /// A suite begins at the start of a line; a test is the first function after its attribute.
    static func names(in source: String) -> Set<String> {
        var names: Set<String> = []
        var suite: String?
        var isTest = false
        for line in source.split(separator: "\n") {
            let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "@") }
            let isIndented = line.hasPrefix(" ")
            if !isIndented,
                let name = Self.word(after: ["struct", "class", "extension"], in: words)
            {
                suite = name
            }
            isTest = isTest || words.first == "@Test"
            if isTest, let suite, let name = Self.word(after: ["func"], in: words) {
                names.insert("\(suite)/\(name)")
                isTest = false
            }
        }
        return names
    }

    private static func word(after keywords: Set<Substring>, in words: [Substring]) -> String? {
        guard let index = words.firstIndex(where: keywords.contains), index + 1 < words.count else {
            return nil
        }
        return String(words[index + 1])
    }
}
