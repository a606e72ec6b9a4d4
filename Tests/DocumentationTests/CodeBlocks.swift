import Foundation

/// The Swift code of a page, and sources that it should stand in.
struct CodeBlocks {
    /// The blocks of Swift code, each with its lines stripped of blanks and indentation.
    let blocks: [String]
    private let source: String

    /// Reads a page and sources, by paths from this folder.
    init(of page: String, in sources: [String]) throws {
        let here = URL(filePath: #filePath).deletingLastPathComponent()
        func read(_ path: String) throws -> String {
            try String(contentsOf: here.appending(path: path), encoding: .utf8)
        }
        source = Self.stripped(try sources.map(read).joined(separator: "\n"))
        blocks = try read(page).components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first.map(Self.stripped)
        }
    }

    /// The blocks that do not stand in the sources.
    var strays: [String] {
        blocks.filter { !source.contains($0) }
    }

    /// A block may stand deeper in the source than on the page.
    private static func stripped(_ text: String) -> String {
        text.split(separator: "\n")
            .map { $0.trimmingCharacters(in: .whitespaces) }
            .joined(separator: "\n")
    }
}
