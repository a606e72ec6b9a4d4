@_exported public import KVStoreReactive  // A file with settings names what they expand to.

/// Declares settings: gives a struct or class its store, and a key to each property that is stored.
///
/// ```swift
/// @KVSettings(prefix: "app.") struct Settings {
///     var launchCount = 0
///     var nickname: String?
///     @KVEntry("appTheme") var theme = Theme.system
/// }
/// let settings = Settings(store: store)
/// settings.launchCount += 2
/// settings.nickname = nil                          // removes the key
/// for await theme in settings.$theme.stream() { apply(theme) }
/// ```
///
/// The macro adds `store` and `init(store:)`; for each variable that would be stored in the type,
/// accessors over its key and a `KVHandle` as `$property`; and `Keys`, a nested type with the keys
/// by the names of the properties, for streams and property wrappers, and with all of them as
/// `Keys.all`. It expands to names that can also be written by hand.
///
/// Values are read and written as those of a `@KVStored` property are: a read gives what is stored,
/// and the default or nil where nothing readable is; the default is never written; an assignment
/// that fails is reported and leaves the old value; a change in place is a read and a write, which
/// writes nothing over what it cannot read. Reads are tracked by observation as long as the value
/// or object lives.
///
/// **Classes.** A class conforms to `KVSettings`, so it is `Observable`. All that the macro stores
/// is constant: a final class can be declared `Sendable`, and the compiler checks that it is.
///
/// **Properties.** The type is written, or shown by the text of the default: a literal, the call of
/// an initialiser, or a member of the type (`Theme.system`). A property needs a default or an
/// optional type. The default is an expression that is evaluated once, or at each read where the
/// type is generic; it is moved into `Keys`, where the static members of the type are
/// `Settings.member` or `Self.member`.
/// Constants, computed and static properties, and variables with a property wrapper or another
/// macro are left alone. Several variables in one declaration, `lazy`, observers (`didSet`) and
/// conditions (`#if`) are errors.
///
/// The type must not be declared in a function.
///
/// - Parameters:
///   - prefix: What the names of all keys begin with.
///   - store: The default of `init(store:)`; nil for none.
///   - access: The access level of `init(store:)`; nil for that of the type.
@attached(memberAttribute)
@attached(member, names: named(store), named(init(store:)), named(Keys))
@attached(extension, conformances: KVSettings)
public macro KVSettings(
    prefix: String = "",
    store: (any KVStoring)? = nil,
    access: KVSettingsAccess? = nil
) = #externalMacro(module: "KVStoreMacrosPlugin", type: "SettingsMacro")

/// Declares one setting: a property of every store, of a `@KVSettings` type, or over a given store.
///
/// ```swift
/// extension KVStoring {
///     @KVEntry var launchCount = 123
///     @KVEntry(prefixedWith: "app.") var nickname: String?
/// }
/// store.launchCount += 1
/// for await name in store.$nickname.stream() { greet(name) }
///
/// struct Mailer {
///     @KVEntry("mailer.sender", store: settings) var sender = "nobody"
/// }
/// ```
///
/// In a `@KVSettings` type it gives a property a name of its own, behind the prefix of the type.
/// Elsewhere it makes accessors over the key, and a `KVHandle` as `$property`, in the store that the
/// extension is of or that `store` is. Reads outside of `@KVSettings` types are not tracked by
/// observation; those of a handle that is kept are.
///
/// The type is written, or shown by the text of the default; a property needs a default or an
/// optional type. Outside of `@KVSettings` types the default is evaluated at each use.
///
/// - Parameters:
///   - name: The name of the key; nil for that of the property.
///   - prefix: What the name of the key begins with.
///   - store: The store of the property; nil for that of its surroundings.
@attached(accessor)
@attached(peer, names: prefixed(`$`))
public macro KVEntry(
    _ name: String? = nil,
    prefixedWith prefix: String = "",
    store: (any KVStoring)? = nil
) = #externalMacro(module: "KVStoreMacrosPlugin", type: "EntryMacro")

/// Declares one setting whose value has a form of its own in the store.
///
/// ```swift
/// @KVSettings struct Settings {
///     @KVEntry<Speed>("speed", bridge: .rawValue) var speed = Speed.normal
///     @KVEntry<Profile>(bridge: .jsonData) var profile: Profile?
/// }
/// ```
///
/// Everything else is as it is without a bridge; the type need not be `Codable`.
///
/// - Parameters:
///   - name: The name of the key; nil for that of the property.
///   - prefix: What the name of the key begins with.
///   - bridge: The form of a value that is not nil.
///   - store: The store of the property; nil for that of its surroundings.
@attached(accessor)
@attached(peer, names: prefixed(`$`))
public macro KVEntry<Value: Sendable>(
    _ name: String? = nil,
    prefixedWith prefix: String = "",
    bridge: KVBridge<Value>,
    store: (any KVStoring)? = nil
) = #externalMacro(module: "KVStoreMacrosPlugin", type: "EntryMacro")

/// The access level of what a macro declares.
public enum KVSettingsAccess: Sendable {
    /// Visible in the declaration that surrounds it.
    case `private`
    /// Visible in its file.
    case `fileprivate`
    /// Visible in its module.
    case `internal`
    /// Visible in its package.
    case package
    /// Visible everywhere.
    case `public`
}
