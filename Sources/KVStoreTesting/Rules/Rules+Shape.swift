import KVStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension KVContractRule {
    static let shapeRules: [KVContractRule] = [
        integersKeepTheirShape, boolsKeepTheirShape, realsKeepTheirShape, stringsKeepTheirShape,
        datesKeepTheirShape, dataKeepsItsShape, collectionsKeepTheirShape, nilsKeepTheirPlace,
        structsAndEnumsAreLegible, rawTreesAreKept,
    ]

    package static let integersKeepTheirShape = steps(
        "integers are stored as integers and read back exactly",
        "The extremes of each integer type are stored as integer or unsignedInteger nodes."
    ) { try Sample.check(Samples.integers, $0) }

    package static let boolsKeepTheirShape = steps(
        "bools are stored as bools",
        "True and false are neither 1 and 0 nor strings, alone and nested."
    ) { try Sample.check(Samples.bools, $0) }

    package static let realsKeepTheirShape = steps(
        "reals are stored as reals and read back bit by bit",
        "Whole reals stay reals; -0.0, the extremes, infinities and NaN survive."
    ) { try Sample.check(Samples.reals, $0) }

    package static let stringsKeepTheirShape = steps(
        "strings keep their UTF-8, whatever is in it",
        "Control characters, a byte-order mark, markup, both spellings of é, and $null survive."
    ) { try Sample.check(Samples.strings, $0) }

    package static let datesKeepTheirShape = steps(
        "dates are stored as dates and read back exactly",
        "Fractions of a second and the extremes of Foundation's dates survive."
    ) { try Sample.check(Samples.dates, $0) }

    package static let dataKeepsItsShape = steps(
        "data is stored as data",
        "Empty data and every byte survive, alone and nested."
    ) { try Sample.check(Samples.data, $0) }

    package static let collectionsKeepTheirShape = steps(
        "arrays, sets and dictionaries are stored as arrays and dictionaries",
        "Empty ones stay, sets are in a fixed order, and dictionaries keyed by enums are legible."
    ) { try Sample.check(Samples.collections, $0) }

    package static let nilsKeepTheirPlace = steps(
        "nils inside arrays and dictionaries keep their place",
        "They are stored as $null, and a genuine string $null is told from them."
    ) { try Sample.check(Samples.nils, $0) }

    package static let structsAndEnumsAreLegible = steps(
        "structs are dictionaries and enums their raw values",
        "No value is stored as an opaque block of data; URLs, UUIDs and decimals are strings."
    ) { try Sample.check(Samples.structs, $0) }

    package static let rawTreesAreKept = steps(
        "trees written raw come back node by node",
        "Also those that look like a medium's own marks, and those of a newer version."
    ) { trial in
        let store = try trial.makeStore()
        for (name, tree) in Samples.rawTrees {
            try store.setStoredValue(tree, for: name)
            try trial.expect(store.storedValue(for: name), equals: tree, "\(name), as stored,")
        }
        let all = Dictionary(Samples.rawTrees, uniquingKeysWith: { $1 })
        try trial.expect(store.storedValues(), equals: all, "all values")
    }
}
