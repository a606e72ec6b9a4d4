/// Lets asynchronous updates run one at a time, in the order in which they came.
struct UpdateQueue: Sendable {
}
