// How stored numbers read as the number types of Swift: each as any other, if it fits.
extension PropertyListValue {
    /// Returns a stored number as an integer, a fraction cut off toward zero; nil if it does not
    /// fit or this is no number.
    @inline(__always)
    func asInteger<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
        switch self {
        case .integer(let integer): Integer(exactly: integer)
        case .unsignedInteger(let unsigned): Integer(exactly: unsigned)
        case .real(let real): Integer(exactly: real.rounded(.towardZero))
        default: nil
        }
    }

    /// The stored number as a real: an integer rounds to the nearest.
    @inline(__always)
    var asDouble: Double? {
        switch self {
        case .real(let real): real
        case .integer(let integer): Double(integer)
        case .unsignedInteger(let unsigned): Double(unsigned)
        default: nil
        }
    }

    /// The stored number as a short real; nil if it is finite and only infinity would be near.
    @inline(__always)
    var asFloat: Float? {
        switch self {
        case .real(let real):
            let short = Float(real)
            return short.isInfinite && real.isFinite ? nil : short
        case .integer(let integer): return Float(integer)
        case .unsignedInteger(let unsigned): return Float(unsigned)
        default: return nil
        }
    }

    /// The stored bool, or the number that is exactly 0 or 1.
    @inline(__always)
    var asBool: Bool? {
        switch self {
        case .bool(let bool): bool
        case .integer(let integer): integer == 0 ? false : integer == 1 ? true : nil
        case .unsignedInteger(let unsigned): unsigned == 0 ? false : unsigned == 1 ? true : nil
        case .real(let real): real == 0 ? false : real == 1 ? true : nil
        default: nil
        }
    }

    /// The text of a finite number in JSON; nil if this is none.
    var numberText: String? {
        switch self {
        case .integer(let integer): String(integer)
        case .unsignedInteger(let unsigned): String(unsigned)
        case .real(let real): real.isFinite ? real.description : nil
        default: nil
        }
    }

    /// The text of a finite number or of a bool, as a launch argument spells it; nil if this is
    /// neither.
    var scalarText: String? {
        if case .bool(let bool) = self { return bool ? "true" : "false" }
        return numberText
    }
}
