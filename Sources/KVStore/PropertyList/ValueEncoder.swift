/// The encoder: one node of the tree in the making, and the entry point.
///
/// A node is the `Encoder` that a type is handed, and the store behind every container that the
/// type asks of it. When the type is done, the node gives up its value and is used again for the
/// next one, unless somebody still holds it or it has children of its own: then it stays in the
/// tree, and its value is taken when the whole encoding ends.
package final class ValueEncoder: Encoder {
    /// What a type has asked a node for.
    enum Shape: UInt8 {
        case untouched, single, keyed, unkeyed
        /// A node outside the tree, handed out where a request cannot be met. It takes nothing.
        case refused
    }

    /// The most coder levels: containers may nest 128 deep, and newtypes and optionals use some.
    ///
    /// In debug builds a level takes up to 3 KB of stack, and threads may have 512 KB.
    static let maximumLevel = 144

    var shape = Shape.untouched
    var level: Int
    /// How many containers stand around this node.
    var depth: Int
    var step: PathStep
    var parent: ValueEncoder?
    /// The type whose value this is, if the value is taken later.
    var deferredType: (any Encodable.Type)?

    // Sound without run-time checks: no access to these spans a call into the code of a user's
    // type, and an encoder is used on one thread. The checks would cost a quarter of the encoding.
    @exclusivity(unchecked) var single = PropertyListValue.null
    @exclusivity(unchecked) var entries: [(key: String, value: PropertyListValue)] = []
    @exclusivity(unchecked) var elements: [PropertyListValue] = []
    /// The parts of the value that are nodes themselves; nil in almost every node.
    @exclusivity(unchecked) var children: Children?
    var sharedState: EncodingState?
    private var hasEnded = false

    init(parent: ValueEncoder?, step: PathStep, level: Int, depth: Int, state: EncodingState?) {
        self.parent = parent
        self.step = step
        self.level = level
        self.depth = depth
        sharedState = state
    }

    /// Encodes a value to its tree.
    ///
    /// - Throws: What the value's own `encode(to:)` throws, and `EncodingError.invalidValue`.
    package static func encode<T: Encodable>(_ value: T) throws -> PropertyListValue {
        let root = ValueEncoder(parent: nil, step: .none, level: 1, depth: 0, state: nil)
        defer { root.end() }
        try value.encode(to: root)
        try root.throwFailure(of: value)
        guard root.shape != .untouched else {
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(
                    codingPath: [],
                    debugDescription: "\(T.self) encoded nothing."
                )
            )
        }
        let tree = try root.take(as: T.self)
        // Taking the value may itself reach what was asked of a node too late to refuse.
        try root.throwFailure(of: value)
        return tree
    }

    package var codingPath: [any CodingKey] {
        var path: [any CodingKey] = []
        var next: ValueEncoder? = self
        while let node = next {
            if let key = node.step.codingKey { path.append(key) }
            next = node.parent
        }
        return path.reversed()
    }

    package var userInfo: [CodingUserInfoKey: Any] { [:] }

    package func container<Key: CodingKey>(
        keyedBy type: Key.Type
    ) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedNode<Key>(node: become(.keyed)))
    }

    package func unkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedNode(node: become(.unkeyed))
    }

    package func singleValueContainer() -> any SingleValueEncodingContainer {
        self
    }
}

extension ValueEncoder {
    /// What the nodes of one encoding share.
    var state: EncodingState {
        if let sharedState { return sharedState }
        let state = EncodingState(hasEnded: hasEnded)
        sharedState = state
        return state
    }

    /// Ends the encoding of which this is the root: what is written later goes nowhere.
    private func end() {
        hasEnded = true
        sharedState?.end()
    }

    /// How many elements the array has, or 0.
    var count: Int { unsafe elements.count }

    /// Makes this node a container; the same kind may be asked for again.
    ///
    /// `Encoder`'s requirements do not throw, so a request that cannot be met is noted, and the
    /// encoding fails when it is used or ends.
    func become(_ kind: Shape) -> ValueEncoder {
        if shape == kind { return self }
        guard shape == .untouched else {
            return refuse("The value was already encoded in another kind of container.")
        }
        guard depth < PropertyListValue.maximumDepth else {
            return refuse(
                "Containers nest deeper than \(PropertyListValue.maximumDepth)."
            )
        }
        shape = kind
        // Most types fit, and growing by steps would cost four allocations.
        if kind == .keyed, unsafe entries.capacity == 0 { unsafe entries.reserveCapacity(12) }
        return self
    }

    /// Notes that a request cannot be met, and returns a node that takes nothing.
    func refuse(_ reason: String, at step: PathStep = .none) -> ValueEncoder {
        guard shape != .refused else { return self }
        return state.refuse(context(reason, at: step))
    }

    func context(_ reason: String, at step: PathStep = .none) -> EncodingError.Context {
        var path = codingPath
        if let key = step.codingKey { path.append(key) }
        return EncodingError.Context(codingPath: path, debugDescription: reason)
    }

    func invalid(_ value: Any, _ reason: String, at step: PathStep = .none) -> EncodingError {
        if shape == .refused, let failure = state.failure { return .invalidValue(value, failure) }
        return .invalidValue(value, context(reason, at: step))
    }

    func throwFailure(of value: some Encodable) throws {
        guard let sharedState, sharedState.hasFailed, let failure = sharedState.failure else {
            return
        }
        throw EncodingError.invalidValue(value, failure)
    }

    /// Returns the tree form of an integer that may be too wide for it.
    func wide(_ value: some FixedWidthInteger, at step: PathStep) throws -> PropertyListValue {
        if let integer = Int64(exactly: value) { return .integer(integer) }
        if let unsigned = UInt64(exactly: value) { return .unsignedInteger(unsigned) }
        throw invalid(value, "The integer does not fit 64 bits.", at: step)
    }
}

/// What the nodes of one encoding share, made when the first value inside another needs a node.
final class EncodingState {
    /// The first request that could not be met.
    private(set) var failure: EncodingError.Context?
    private(set) var hasFailed = false
    private(set) var hasEnded: Bool
    private var refused: ValueEncoder?
    private var spares: [ValueEncoder] = []
    private var parents: [ValueEncoder] = []

    init(hasEnded: Bool) {
        self.hasEnded = hasEnded
    }

    /// Returns a node for a value inside another.
    func node(parent: ValueEncoder, step: PathStep, depth: Int) -> ValueEncoder {
        guard let node = spares.popLast() else {
            return ValueEncoder(
                parent: parent,
                step: step,
                level: parent.level + 1,
                depth: depth,
                state: self
            )
        }
        node.parent = parent
        node.step = step
        node.level = parent.level + 1
        node.depth = depth
        return node
    }

    /// Takes back a node that nobody holds any more and whose value was taken.
    func reuse(_ node: ValueEncoder) {
        guard !hasEnded else { return }
        node.parent = nil
        node.step = .none
        node.shape = .untouched
        spares.append(node)
    }

    /// Remembers a node that holds its children, which hold it.
    func adopt(_ parent: ValueEncoder) {
        parents.append(parent)
    }

    func refuse(_ context: EncodingError.Context) -> ValueEncoder {
        if failure == nil { failure = context }
        hasFailed = true
        if let refused { return refused }
        let node = ValueEncoder(parent: nil, step: .none, level: 0, depth: 0, state: self)
        node.shape = .refused
        if !hasEnded { refused = node }
        return node
    }

    /// Undoes the cycles of references among the nodes; what is written later goes nowhere.
    func end() {
        hasEnded = true
        spares = []
        refused = nil
        for parent in parents { unsafe parent.children = nil }
        parents = []
    }
}
