// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// A stand-in for the part of SwiftUI that this package and `Usage.swift` use, for machines that have
// none. The declarations follow Apple's SDKs of Xcode 16 (macOS 15, iOS 18): `View` is isolated to the
// main actor, `DynamicProperty`, `State`, `Environment` and `Binding` are not; the last three are
// Sendable where their values are; closures of a binding are `@isolated(any) @Sendable`. They were
// written down from memory and from Apple's documentation, and no SDK was at hand to compare them
// with. Availability and inlining attributes are left out.
//
// Bodies are the least that works, so that the guarded code can run. `StandInPlace` plays SwiftUI's
// part: it keeps state and provides the environment while a view is rendered, and reading either
// at another time, of which SwiftUI warns at run time, ends the program here.

public import Observation

@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Self.Body { get }
}

extension Never: View {
    public var body: Never { preconditionFailure() }
}

public struct EmptyView: View {
    public nonisolated init() {}
    public var body: Never { preconditionFailure() }
}

@resultBuilder
public struct ViewBuilder {
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
}

public protocol DynamicProperty {
    mutating func update()
}

extension DynamicProperty {
    public mutating func update() {}
}

@propertyWrapper
@dynamicMemberLookup
public struct Binding<Value> {
    private let get: @Sendable () -> Value
    private let set: @Sendable (Value) -> Void

    @preconcurrency
    public init(
        @_inheritActorContext get: @escaping @isolated(any) @Sendable () -> Value,
        @_inheritActorContext set: @escaping @isolated(any) @Sendable (Value) -> Void
    ) {
        // The stand-in calls closures where it is called, as SwiftUI does.
        self.get = unsafeBitCast(get, to: (@Sendable () -> Value).self)
        self.set = unsafeBitCast(set, to: (@Sendable (Value) -> Void).self)
    }

    public var wrappedValue: Value {
        get { get() }
        nonmutating set { set(newValue) }
    }

    public var projectedValue: Binding<Value> { self }

    public subscript<Subject>(
        dynamicMember keyPath: WritableKeyPath<Value, Subject>
    ) -> Binding<Subject> {
        nonisolated(unsafe) let keyPath = keyPath
        let whole = UncheckedBinding(binding: self)
        return Binding<Subject> {
            whole.binding.wrappedValue[keyPath: keyPath]
        } set: {
            whole.binding.wrappedValue[keyPath: keyPath] = $0
        }
    }
}

extension Binding: Sendable where Value: Sendable {}

@propertyWrapper
@dynamicMemberLookup
public struct Bindable<Value> {
    public var wrappedValue: Value

    public var projectedValue: Bindable<Value> { self }

    @available(*, unavailable, message: "The object has to be observable.")
    public init(wrappedValue: Value) {
        self.wrappedValue = wrappedValue
    }
}

extension Bindable where Value: Observable {
    public init(wrappedValue: Value) {
        self.wrappedValue = wrappedValue
    }

    public init(_ wrappedValue: Value) {
        self.wrappedValue = wrappedValue
    }
}

extension Bindable where Value: AnyObject {
    public subscript<Subject>(
        dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>
    ) -> Binding<Subject> {
        nonisolated(unsafe) let (object, keyPath) = (wrappedValue, keyPath)
        return Binding<Subject> {
            object[keyPath: keyPath]
        } set: {
            object[keyPath: keyPath] = $0
        }
    }
}

extension Bindable: Sendable where Value: Sendable {}

private struct UncheckedBinding<Value>: @unchecked Sendable {
    let binding: Binding<Value>
}

@propertyWrapper
public struct State<Value>: DynamicProperty {
    private let location: StateLocation

    public init(wrappedValue value: Value) {
        location = StateLocation(value)
    }

    public init(initialValue value: Value) {
        location = StateLocation(value)
    }

    public var wrappedValue: Value {
        get { location.kept(as: Value.self).value }
        nonmutating set { location.kept(as: Value.self).value = newValue }
    }
}

extension State: Sendable where Value: Sendable {}

@propertyWrapper
public struct Environment<Value>: DynamicProperty {
    private let keyPath: any KeyPath<EnvironmentValues, Value> & Sendable

    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {
        self.keyPath = unsafeBitCast(
            keyPath,
            to: (any KeyPath<EnvironmentValues, Value> & Sendable).self
        )
    }

    public var wrappedValue: Value {
        guard let environment = StandInPlace.environment else {
            preconditionFailure("The environment was read outside of a view's rendering.")
        }
        return environment[keyPath: keyPath]
    }
}

extension Environment: Sendable where Value: Sendable {}

public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Self.Value { get }
}

public struct EnvironmentValues {
    private var values: [ObjectIdentifier: Any] = [:]

    public init() {}

    public subscript<K>(key: K.Type) -> K.Value where K: EnvironmentKey {
        get { values[ObjectIdentifier(key)] as? K.Value ?? K.defaultValue }
        set { values[ObjectIdentifier(key)] = newValue }
    }
}

extension View {
    nonisolated public func environment<V>(
        _ keyPath: WritableKeyPath<EnvironmentValues, V>,
        _ value: V
    ) -> some View {
        EmptyView()
    }
}

public struct TextField: View {
    public init(_ title: some StringProtocol, text: Binding<String>) {}

    public var body: Never { preconditionFailure("It is only compiled.") }
}

public struct Stepper: View {
    public init<V: Strideable>(_ title: some StringProtocol, value: Binding<V>) {}

    public var body: Never { preconditionFailure("It is only compiled.") }
}

/// One place in a tree of views, which keeps the state of the views that are rendered in it.
public final class StandInPlace {
    /// The environment of the view that is being rendered.
    ///
    /// Unsafe is right because a program of one thread uses it.
    nonisolated(unsafe) static var environment: EnvironmentValues?

    private var kept: [String: AnyObject] = [:]

    public init() {}

    /// Gives a view its state and environment, lets its properties update, and renders it.
    public func render<Content, Result>(
        _ view: Content,
        in environment: EnvironmentValues,
        update: (inout Content) -> Void,
        body: (Content) -> Result
    ) -> Result {
        var view = view
        install(Mirror(reflecting: view), path: "")
        Self.environment = environment
        defer { Self.environment = nil }
        update(&view)
        return body(view)
    }

    private func install(_ mirror: Mirror, path: String) {
        for child in mirror.children {
            let path = path + "." + (child.label ?? "")
            if let location = child.value as? StateLocation {
                location.keep(&kept[path])
            } else if Mirror(reflecting: child.value).displayStyle == .struct {
                install(Mirror(reflecting: child.value), path: path)
            }
        }
    }
}

/// Where a `State` finds the value that is kept for it.
///
/// Unchecked because a program of one thread uses it.
private final class StateLocation: @unchecked Sendable {
    final class Cell<Value> {
        var value: Value

        init(_ value: Value) {
            self.value = value
        }
    }

    private let initial: AnyObject
    private var installed: AnyObject?

    init<Value>(_ value: Value) {
        initial = Cell(value)
    }

    func keep(_ kept: inout AnyObject?) {
        if kept == nil { kept = initial }
        installed = kept
    }

    func kept<Value>(as type: Value.Type) -> Cell<Value> {
        guard let cell = installed as? Cell<Value> else {
            preconditionFailure("State was read outside of a view's rendering.")
        }
        return cell
    }
}
