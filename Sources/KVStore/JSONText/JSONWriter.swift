/// Writes a tree as JSON text.
///
/// Open containers live on a stack of frames, so that no depth of a tree costs recursion.
struct JSONWriter {
    private struct Frame {
        /// The keys of an object; empty for an array.
        var keys: [String]
        var values: [PropertyListValue]
        var next = 0
        var isObject: Bool
        /// Whether the values are the payload of a tag, whose keys are literal.
        var isTag = false
    }

    var bytes: [UInt8] = []
    private let isIndented: Bool
    private var frames: [Frame] = []

    init(isIndented: Bool, capacity: Int) {
        self.isIndented = isIndented
        bytes.reserveCapacity(capacity)
    }

    /// Writes an object that is never a tag, and a newline.
    mutating func writeRoot(_ values: [String: PropertyListValue]) {
        begin(.dictionary(values), isLiteral: true)
        writeFrames()
        bytes.append(0x0A)
    }

    /// Writes a value.
    mutating func write(_ value: PropertyListValue) {
        begin(value, isLiteral: false)
        writeFrames()
    }

    /// Writes text that is JSON already.
    mutating func write(literal text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Writes the open containers to their ends.
    private mutating func writeFrames() {
        while let top = frames.indices.last {
            let index = frames[top].next
            let isObject = frames[top].isObject
            guard index < frames[top].values.count else {
                frames.removeLast()
                indent()
                bytes.append(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
                continue
            }
            frames[top].next = index + 1
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            indent()
            if isObject { write(key: frames[top].keys[index]) }
            begin(frames[top].values[index], isLiteral: frames[top].isTag)
        }
    }

    /// Writes a scalar, or the beginning of a container.
    private mutating func begin(_ value: PropertyListValue, isLiteral: Bool) {
        switch value {
        case .string(let string):
            if value.isNull { bytes.append(contentsOf: "null".utf8) } else { write(string) }
        case .integer(let integer):
            if integer < 0 { bytes.append(UInt8(ascii: "-")) }
            write(integer.magnitude)
        case .unsignedInteger(let integer): write(integer)
        case .real(let real) where real.isFinite:
            bytes.append(contentsOf: real.description.utf8)
        case .bool(let bool): bytes.append(contentsOf: (bool ? "true" : "false").utf8)
        case .real, .data, .date:
            guard let (tag, payload) = MediumTagging.scalarTag(for: value, medium: .json) else {
                return
            }
            bytes.append(UInt8(ascii: "{"))
            write(key: tag.rawValue)
            begin(payload, isLiteral: true)
            bytes.append(UInt8(ascii: "}"))
        case .array(let elements):
            guard !elements.isEmpty else {
                bytes.append(contentsOf: "[]".utf8)
                return
            }
            bytes.append(UInt8(ascii: "["))
            frames.append(Frame(keys: [], values: elements, isObject: false))
        case .dictionary(let values):
            guard !values.isEmpty else {
                bytes.append(contentsOf: "{}".utf8)
                return
            }
            bytes.append(UInt8(ascii: "{"))
            if !isLiteral, values.count == 1, let key = values.keys.first, MediumTagging.isTag(key)
            {
                frames.append(
                    Frame(
                        keys: [MediumTagging.Tag.dictionary.rawValue],
                        values: [value],
                        isObject: true,
                        isTag: true
                    )
                )
            } else {
                let sorted = UTF8Order.sorted(values)
                frames.append(Frame(keys: sorted.keys, values: sorted.values, isObject: true))
            }
        }
    }

    private mutating func indent() {
        guard isIndented else { return }
        bytes.append(0x0A)
        for _ in 0..<frames.count {
            bytes.append(0x20)
            bytes.append(0x20)
        }
    }

    mutating func write(key: String) {
        write(key)
        bytes.append(UInt8(ascii: ":"))
        if isIndented { bytes.append(0x20) }
    }

    private mutating func write(_ string: String) {
        bytes.append(UInt8(ascii: "\""))
        let start = bytes.count
        bytes.append(contentsOf: string.utf8)
        if let first = bytes[start...].firstIndex(where: Self.needsEscape) {
            let rest = Array(bytes[first...])
            bytes.removeSubrange(first...)
            for byte in rest { writeEscaped(byte) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func writeEscaped(_ byte: UInt8) {
        guard Self.needsEscape(byte) else {
            bytes.append(byte)
            return
        }
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0..<0x20:
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
            bytes.append(contentsOf: String(byte & 0x0F, radix: 16).utf8)
        default: bytes.append(byte)
        }
    }

    private mutating func write(_ number: UInt64) {
        var rest = number
        let start = bytes.count
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
    }
}
