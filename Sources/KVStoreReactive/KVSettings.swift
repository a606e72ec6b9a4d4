public import Observation

/// A class of settings, each of which is a ``KVStored`` property.
///
/// ```swift
/// @MainActor final class Settings: KVSettings {
///     let store: ReactiveKVStore
///
///     init(store: any KVStoring = UserDefaultsKVStore()) {
///         self.store = ReactiveKVStore(store)
///     }
///
///     @KVStored("appearance") var appearance = Appearance()
///     @KVStored("launchCount") var launchCount = 0
///     @KVStored("nickname") var nickname: String?
/// }
/// ```
///
/// The class is observable as it stands, without a macro: whoever reads a property while tracking
/// observation is told of its changes, whoever makes them, and of no other property's. So SwiftUI
/// views need nothing but the object, and `@Bindable` gives bindings. Tests inject an
/// `InMemoryKVStore`.
///
/// **Isolation.** The class may be isolated to the main actor or to none. A property wrapper is a
/// variable, so a class that is shared between threads has to say `final` and `@unchecked Sendable`;
/// that is sound as long as its other stored properties are, because a ``KVStored`` may be used from
/// any thread.
///
/// **Lifetime.** The properties keep the store and never the object, which is released with its last
/// reference. Their observation ends with it. Streams go on as long as any store over the domain.
public protocol KVSettings: AnyObject, Observable {
    /// The store of the properties: the same one each time it is asked for.
    var store: ReactiveKVStore { get }
}
