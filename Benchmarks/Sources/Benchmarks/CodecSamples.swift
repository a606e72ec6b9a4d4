import Foundation
import KVStore

enum Theme: String, Codable { case light, dark, system }

/// Ten scalar fields.
struct Profile: Codable, Equatable {
    var identifier = 1_234_567
    var name = "Ada Lovelace"
    var mail = "ada.lovelace@example.org"
    var language = "en_GB"
    var launches = 42
    var isActive = true
    var wantsNews = false
    var fontSize = 13.5
    var volume = 0.75
    var level = 7
}

// What a person would write who knows the tree and the type: the floor that Codable can near.
extension Profile {
    func handWritten() -> PropertyListValue {
        [
            "identifier": .integer(Int64(identifier)), "name": .string(name),
            "mail": .string(mail), "language": .string(language),
            "launches": .integer(Int64(launches)), "isActive": .bool(isActive),
            "wantsNews": .bool(wantsNews), "fontSize": .real(fontSize), "volume": .real(volume),
            "level": .integer(Int64(level)),
        ]
    }

    init?(handReading tree: PropertyListValue) {
        guard case .dictionary(let entries) = tree,
            case .integer(let identifier)? = entries["identifier"],
            case .string(let name)? = entries["name"], case .string(let mail)? = entries["mail"],
            case .string(let language)? = entries["language"],
            case .integer(let launches)? = entries["launches"],
            case .bool(let isActive)? = entries["isActive"],
            case .bool(let wantsNews)? = entries["wantsNews"],
            case .real(let fontSize)? = entries["fontSize"],
            case .real(let volume)? = entries["volume"],
            case .integer(let level)? = entries["level"]
        else { return nil }
        self.init(
            identifier: Int(identifier),
            name: name,
            mail: mail,
            language: language,
            launches: Int(launches),
            isActive: isActive,
            wantsNews: wantsNews,
            fontSize: fontSize,
            volume: volume,
            level: Int(level)
        )
    }
}

/// Ten fields of ten types.
struct Account: Codable, Equatable {
    var identifier = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    var name = "Ada Lovelace"
    var launches = 42
    var isActive = true
    var volume = 0.75
    var theme = Theme.dark
    var created = Date(timeIntervalSinceReferenceDate: 780_000_000.25)
    var languages = ["en", "fr", "de"]
    var sizes = [640, 480]
    var nickname: String? = "Countess"
}

extension Account {
    func handWritten() -> PropertyListValue {
        var entries: [String: PropertyListValue] = [
            "identifier": .string(identifier.uuidString), "name": .string(name),
            "launches": .integer(Int64(launches)), "isActive": .bool(isActive),
            "volume": .real(volume), "theme": .string(theme.rawValue), "created": .date(created),
            "languages": .array(languages.map(PropertyListValue.string)),
            "sizes": .array(sizes.map { .integer(Int64($0)) }),
        ]
        if let nickname { entries["nickname"] = .string(nickname) }
        return .dictionary(entries)
    }

    init?(handReading tree: PropertyListValue) {
        guard case .dictionary(let entries) = tree,
            case .string(let identifierText)? = entries["identifier"],
            let identifier = UUID(uuidString: identifierText),
            case .string(let name)? = entries["name"],
            case .integer(let launches)? = entries["launches"],
            case .bool(let isActive)? = entries["isActive"],
            case .real(let volume)? = entries["volume"],
            case .string(let themeText)? = entries["theme"], let theme = Theme(rawValue: themeText),
            case .date(let created)? = entries["created"],
            case .array(let languageNodes)? = entries["languages"],
            case .array(let sizeNodes)? = entries["sizes"]
        else { return nil }
        var languages: [String] = []
        for case .string(let language) in languageNodes { languages.append(language) }
        var sizes: [Int] = []
        for case .integer(let size) in sizeNodes { sizes.append(Int(size)) }
        var nickname: String?
        if case .string(let text)? = entries["nickname"] { nickname = text }
        self.init(
            identifier: identifier,
            name: name,
            launches: Int(launches),
            isActive: isActive,
            volume: volume,
            theme: theme,
            created: created,
            languages: languages,
            sizes: sizes,
            nickname: nickname
        )
    }
}

/// Fields of the kinds that settings have beside scalars.
struct Settings: Codable, Equatable {
    var theme = Theme.dark
    var languages = ["en", "fr", "de"]
    var limits = ["upload": 10, "download": 20]
    var profile = Profile()
    var nickname: String?
    var previous: Theme? = .light
    var sizes: [Int?] = [1, nil, 3]
}

/// An encoder that keeps nothing: what `Codable` itself costs.
struct NullEncoder: Encoder {
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Keyed<Key>())
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { Unkeyed() }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single() }

    struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        var codingPath: [any CodingKey] { [] }

        func encodeNil(forKey key: Key) {}
        func encode(_ value: Bool, forKey key: Key) {}
        func encode(_ value: String, forKey key: Key) {}
        func encode(_ value: Double, forKey key: Key) {}
        func encode(_ value: Float, forKey key: Key) {}
        func encode(_ value: Int, forKey key: Key) {}
        func encode(_ value: Int8, forKey key: Key) {}
        func encode(_ value: Int16, forKey key: Key) {}
        func encode(_ value: Int32, forKey key: Key) {}
        func encode(_ value: Int64, forKey key: Key) {}
        func encode(_ value: UInt, forKey key: Key) {}
        func encode(_ value: UInt8, forKey key: Key) {}
        func encode(_ value: UInt16, forKey key: Key) {}
        func encode(_ value: UInt32, forKey key: Key) {}
        func encode(_ value: UInt64, forKey key: Key) {}
        func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
            try value.encode(to: NullEncoder())
        }
        func nestedContainer<NestedKey: CodingKey>(
            keyedBy keyType: NestedKey.Type,
            forKey key: Key
        ) -> KeyedEncodingContainer<NestedKey> { KeyedEncodingContainer(Keyed<NestedKey>()) }
        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { Unkeyed() }
        func superEncoder() -> any Encoder { NullEncoder() }
        func superEncoder(forKey key: Key) -> any Encoder { NullEncoder() }
    }

    struct Unkeyed: UnkeyedEncodingContainer {
        var codingPath: [any CodingKey] { [] }
        var count: Int { 0 }

        func encodeNil() {}
        func encode<T: Encodable>(_ value: T) throws { try value.encode(to: NullEncoder()) }
        func nestedContainer<NestedKey: CodingKey>(
            keyedBy keyType: NestedKey.Type
        ) -> KeyedEncodingContainer<NestedKey> { KeyedEncodingContainer(Keyed<NestedKey>()) }
        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { Unkeyed() }
        func superEncoder() -> any Encoder { NullEncoder() }
    }

    struct Single: SingleValueEncodingContainer {
        var codingPath: [any CodingKey] { [] }

        func encodeNil() {}
        func encode(_ value: Bool) {}
        func encode(_ value: String) {}
        func encode(_ value: Double) {}
        func encode(_ value: Float) {}
        func encode(_ value: Int) {}
        func encode(_ value: Int8) {}
        func encode(_ value: Int16) {}
        func encode(_ value: Int32) {}
        func encode(_ value: Int64) {}
        func encode(_ value: UInt) {}
        func encode(_ value: UInt8) {}
        func encode(_ value: UInt16) {}
        func encode(_ value: UInt32) {}
        func encode(_ value: UInt64) {}
        func encode<T: Encodable>(_ value: T) throws { try value.encode(to: NullEncoder()) }
    }
}
