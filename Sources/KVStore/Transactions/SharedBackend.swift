/// A backend over a medium that others write too, past the domain.
package protocol SharedBackend: KVBackend {
    /// Has a handler called after others may have changed the medium.
    ///
    /// - Returns: What keeps the handler being called; nil if there is nothing to watch.
    func watch(_ handler: @escaping @Sendable () -> Void) -> (any AnyObject & Sendable)?

    /// Returns what a read gives for a name while it has no value in the domain itself.
    func valueBehindAbsence(of name: String) throws -> PropertyListValue?

    /// Pays heed to changes of names, while the medium is watched; some media must be told.
    func follow(_ names: [String])

    /// Takes in what others wrote, so that reads give it.
    ///
    /// - Returns: Whether there may be anything new since this was last asked.
    func refresh() throws -> Bool
}
