import KVStore
import Testing

/// What happens to a store on a disk in memory, step by step.
struct JSONFileScript: Sendable {
    enum Step: Sendable {
        case commit([String: PropertyListValue?], isFlushed: Bool)
        /// A person saves the file and does not wait for the disk; what that changes.
        case edit([String: PropertyListValue], [String: PropertyListValue?], inPlace: Bool)
        case flush
        /// The process is killed and another one goes on.
        case restart
        /// The journal is put in place anew, without the image being written.
        case compact
    }

    let name: String
    /// What the image holds before, if there is one.
    var image: [String: PropertyListValue]?
    /// Whether that image is on the disk.
    var isImageDurable = true
    var path = "/settings.json"
    let steps: [Step]

    static let all: [JSONFileScript] = [
        JSONFileScript(
            name: "commits of both levels where there was nothing",
            steps: [
                .commit(["a": 1], isFlushed: false), .commit(["b": 1], isFlushed: true),
                .commit(["a": 2, "b": 2], isFlushed: false),
                .commit(["a": 3], isFlushed: false), .commit(["b": nil], isFlushed: true),
                .commit(["c": 1], isFlushed: false),
            ]
        ),
        JSONFileScript(
            name: "the first commit is flushed, in a folder to be made",
            path: "/a/b/settings.json",
            steps: [.commit(["a": 1], isFlushed: true), .commit(["a": 2], isFlushed: false)]
        ),
        JSONFileScript(
            name: "publications where there was nothing",
            steps: [
                .commit(["a": 1, "b": 1], isFlushed: false), .commit(["a": 2], isFlushed: false),
                .flush, .commit(["c": 3], isFlushed: false), .commit(["a": 3], isFlushed: false),
                .flush, .commit(["a": 4], isFlushed: true),
            ]
        ),
        JSONFileScript(
            name: "publications over an image",
            image: ["a": 0, "x": 0],
            steps: [
                .commit(["a": 1], isFlushed: false), .commit(["x": nil], isFlushed: false),
                .flush, .commit(["a": 2], isFlushed: true), .commit(["b": 1], isFlushed: false),
                .flush,
            ]
        ),
        JSONFileScript(
            name: "an image that nobody synchronized",
            image: ["a": 0, "x": 0],
            isImageDurable: false,
            steps: [.commit(["a": 1], isFlushed: true), .commit(["a": 2], isFlushed: false)]
        ),
        JSONFileScript(
            name: "an edit by writing anew, taken in by a commit",
            image: ["a": 0, "b": 0],
            steps: [
                .commit(["a": 1], isFlushed: true),
                .edit(["a": 0, "b": 10], ["b": 10], inPlace: false),
                .commit(["b": 11], isFlushed: true), .commit(["a": 2], isFlushed: false), .flush,
            ]
        ),
        JSONFileScript(
            name: "an edit taken in by a publication",
            image: ["a": 0, "b": 0],
            steps: [
                .commit(["a": 1], isFlushed: false),
                .edit(["a": 0, "b": 10], ["b": 10], inPlace: false),
                .flush, .commit(["b": 11], isFlushed: false),
            ]
        ),
        JSONFileScript(
            name: "an edit in place",
            image: ["a": 0, "b": 0],
            steps: [
                .commit(["a": 1], isFlushed: false),
                .edit(["a": 0], ["b": nil], inPlace: true),
                .commit(["c": 1], isFlushed: true), .flush,
            ]
        ),
        JSONFileScript(
            name: "a compaction",
            image: ["a": 0],
            steps: [
                .commit(["a": 1], isFlushed: false), .commit(["b": 1], isFlushed: true), .compact,
                .commit(["a": 2], isFlushed: false), .flush,
            ]
        ),
        JSONFileScript(
            name: "processes that are killed",
            image: ["a": 0],
            steps: [
                .commit(["a": 1], isFlushed: false), .restart, .commit(["b": 1], isFlushed: true),
                .flush, .restart, .commit(["b": 2], isFlushed: false), .restart,
                .commit(["a": 3], isFlushed: true), .restart, .flush,
            ]
        ),
    ]
}

extension JSONFileScript: CustomTestStringConvertible {
    var testDescription: String { name }
}
