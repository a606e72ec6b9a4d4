import KVStoreUserDefaults
import Testing

@Suite("DomainGuard")
struct DomainGuardTests {
    struct Row: Sendable {
        let main: DomainGuard.Condition
        let backup: DomainGuard.Condition
        let action: DomainGuard.Action
    }

    private static let table: [Row] = [
        Row(main: .absent, backup: .absent, action: .proceed),
        Row(main: .absent, backup: .whole, action: .dropBackup),
        Row(main: .absent, backup: .damaged, action: .dropBackup),
        Row(main: .absent, backup: .unreadable, action: .dropBackup),
        Row(main: .absent, backup: .special, action: .dropBackup),
        Row(main: .whole, backup: .absent, action: .refreshBackup),
        Row(main: .whole, backup: .whole, action: .refreshBackup),
        Row(main: .whole, backup: .damaged, action: .refreshBackup),
        Row(main: .whole, backup: .unreadable, action: .refreshBackup),
        Row(main: .whole, backup: .special, action: .refreshBackup),
        Row(main: .damaged, backup: .absent, action: .startEmpty),
        Row(main: .damaged, backup: .whole, action: .restoreBackup),
        Row(main: .damaged, backup: .damaged, action: .startEmpty),
        Row(main: .damaged, backup: .unreadable, action: .startEmpty),
        Row(main: .damaged, backup: .special, action: .startEmpty),
    ]

    @Test(arguments: table)
    func decidesFromBothFiles(row: Row) {
        let action = DomainGuard.action(main: row.main, backup: row.backup, isSame: false)
        #expect(action == row.action)
    }

    @Test
    func leavesEqualFilesAlone() {
        #expect(DomainGuard.action(main: .whole, backup: .whole, isSame: true) == .proceed)
    }

    @Test(arguments: DomainGuard.Condition.allCases)
    func refusesWhatItMayNotReadWhateverTheBackupIs(backup: DomainGuard.Condition) {
        #expect(DomainGuard.action(main: .unreadable, backup: backup, isSame: false) == .refuse)
        #expect(DomainGuard.action(main: .special, backup: backup, isSame: false) == .refuse)
    }
}
