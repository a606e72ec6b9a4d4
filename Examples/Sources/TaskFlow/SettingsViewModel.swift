import Observation

/// What a settings screen shows, kept current by the preferences' streams.
///
/// It works wherever Swift does; in an app a SwiftUI view would hold it.
@MainActor
@Observable
package final class SettingsViewModel {
    package private(set) var theme: AppTheme
    package private(set) var fontSize: Double
    package private(set) var lastError: String?

    @ObservationIgnored private let prefs: any TaskFlowPrefsProtocol

    package init(prefs: any TaskFlowPrefsProtocol) {
        self.prefs = prefs
        theme = prefs.theme
        fontSize = prefs.fontSize
    }

    /// Follows the preferences until the task is cancelled, as SwiftUI's `task` modifier does.
    package func observe() async {
        async let themes: Void = followTheme()
        async let sizes: Void = followFontSize()
        _ = await (themes, sizes)
    }

    package func choose(_ theme: AppTheme) {
        attempt { try prefs.setTheme(theme) }
    }

    package func choose(fontSize: Double) {
        attempt { try prefs.setFontSize(fontSize) }
    }

    package func resetAll() {
        attempt { try prefs.resetAll() }
    }

    private func followTheme() async {
        for await theme in prefs.themeStream() { self.theme = theme ?? .system }
    }

    private func followFontSize() async {
        for await size in prefs.fontSizeStream() { fontSize = size ?? 16 }
    }

    private func attempt(_ change: () throws -> Void) {
        do {
            try change()
            lastError = nil
        } catch {
            lastError = "\(error)"
        }
    }
}
