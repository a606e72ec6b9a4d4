// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// A stand-in for the part of Combine that this package and `Usage.swift` use, for machines that have
// none. The declarations follow Apple's SDKs from 13 on, in which the protocols got primary
// associated types; they were written down from memory and from Apple's documentation, and no
// SDK was at hand to compare them with. Availability and inlining attributes are left out.
//
// Bodies are the least that works, so that the guarded code can run.

public protocol Publisher<Output, Failure> {
    associatedtype Output
    associatedtype Failure: Error
    func receive<S>(subscriber: S)
    where S: Subscriber, Self.Failure == S.Failure, Self.Output == S.Input
}

extension Publisher {
    public func subscribe<S>(_ subscriber: S)
    where S: Subscriber, Self.Failure == S.Failure, Self.Output == S.Input {
        receive(subscriber: subscriber)
    }
}

public protocol Subscriber<Input, Failure>: CustomCombineIdentifierConvertible {
    associatedtype Input
    associatedtype Failure: Error
    func receive(subscription: any Subscription)
    func receive(_ input: Self.Input) -> Subscribers.Demand
    func receive(completion: Subscribers.Completion<Self.Failure>)
}

public protocol Cancellable {
    func cancel()
}

public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {
    func request(_ demand: Subscribers.Demand)
}

public protocol CustomCombineIdentifierConvertible {
    var combineIdentifier: CombineIdentifier { get }
}

extension CustomCombineIdentifierConvertible where Self: AnyObject {
    public var combineIdentifier: CombineIdentifier { CombineIdentifier(self) }
}

public struct CombineIdentifier: Hashable {
    private let object: ObjectIdentifier

    public init(_ object: AnyObject) {
        self.object = ObjectIdentifier(object)
    }
}

public enum Subscribers {
    public struct Demand: Equatable, Hashable {
        public let max: Int?

        private init(limit: Int?) {
            max = limit
        }

        public static var unlimited: Demand { Demand(limit: nil) }
        public static var none: Demand { Demand(limit: 0) }

        public static func max(_ value: Int) -> Demand {
            precondition(value >= 0)
            return Demand(limit: value)
        }
    }

    public enum Completion<Failure: Error> {
        case finished
        case failure(Failure)
    }
}
