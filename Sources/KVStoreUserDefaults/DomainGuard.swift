/// What to do about the files of a domain, decided from what they look like.
///
/// Foundation on Linux writes a domain's file in place: whoever is killed meanwhile, or runs out of
/// disk, leaves it empty or cut short, and the next process takes that for an empty domain and
/// writes over it. So there is a backup of the last whole state beside the file, and no use of
/// `UserDefaults` before the file is whole.
package enum DomainGuard {
    /// What a file of a domain looks like.
    package enum Condition: CaseIterable, Sendable {
        /// There is none: the domain is empty.
        case absent
        /// A property list with a dictionary at its root.
        case whole
        /// Anything else, and not about to change.
        case damaged
        /// There, and it may not be read.
        case unreadable
        /// A folder, a pipe or a device, on which `UserDefaults` would wait for ever.
        case special
    }

    /// What to do before `UserDefaults` is used.
    package enum Action: Equatable, Sendable {
        /// Nothing.
        case proceed
        /// Make the backup a copy of the file.
        case refreshBackup
        /// Remove the backup: what it holds was removed since.
        case dropBackup
        /// Keep what is left of the file under another name, and put the backup in its place.
        case restoreBackup
        /// Keep what is left of the file under another name, and go on with an empty domain.
        case startEmpty
        /// Touch nothing, and say why.
        case refuse
    }

    /// Decides from the conditions of the domain's file and its backup.
    ///
    /// A file that is whole counts, even if the backup is newer or older: it may hold a commit that
    /// was not acknowledged, or what another program wrote. An absent file counts too, because
    /// that is how Foundation writes an empty domain.
    ///
    /// - Parameters:
    ///   - main: What the domain's file looks like.
    ///   - backup: What the backup looks like.
    ///   - isSame: Whether both hold the same bytes.
    /// - Returns: What to do.
    package static func action(
        main: Condition,
        backup: Condition,
        isSame: Bool
    ) -> Action {
        switch (main, backup) {
        case (.unreadable, _), (.special, _): .refuse
        case (.whole, .whole): isSame ? .proceed : .refreshBackup
        case (.whole, _): .refreshBackup
        case (.absent, .absent): .proceed
        case (.absent, _): .dropBackup
        case (.damaged, .whole): .restoreBackup
        case (.damaged, _): .startEmpty
        }
    }
}
