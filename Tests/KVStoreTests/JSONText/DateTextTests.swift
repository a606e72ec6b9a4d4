import KVStore
import TestSupport
import Testing

@Suite("DateText", .onOwnThreads) struct DateTextTests {
    static let texts: [(Double, String)] = [
        (0, "2001-01-01T00:00:00Z"),
        (0.5, "2001-01-01T00:00:00.5Z"),
        (1.25, "2001-01-01T00:00:01.25Z"),
        (-0.1, "2000-12-31T23:59:59.9Z"),
        (-0.000000001, "2000-12-31T23:59:59.999999999Z"),
        (1e-5, "2001-01-01T00:00:00.00001Z"),
        (-60.25, "2000-12-31T23:58:59.75Z"),
        (780_000_000.123456, "2025-09-19T18:40:00.123456Z"),
        (63_113_904_000, "4001-01-01T00:00:00Z"),
        (-63_113_904_000, "0001-01-01T00:00:00Z"),
        (252_423_993_599, "9999-12-31T23:59:59Z"),
        (-13_197_600_001, "1582-10-14T23:59:59Z"),
        (-978_307_200, "1970-01-01T00:00:00Z"),
        (99_705_599, "2004-02-28T23:59:59Z"),
        (99_705_600, "2004-02-29T00:00:00Z"),
        (-26_524_800, "2000-02-29T00:00:00Z"),
    ]

    @Test("a date has one text, which gives back every bit", arguments: texts)
    func text(seconds: Double, text: String) {
        #expect(DateText.text(of: seconds) == text)
        #expect(DateText.seconds(of: text)?.bitPattern == seconds.bitPattern)
    }

    @Test(
        "a date that calendar text cannot hold has none",
        arguments: [
            -63_114_076_800, -63_113_904_001, 252_423_993_600, 1e-10, .leastNonzeroMagnitude,
            -1e-10, 1e18, -1e18,
            0.1234567891, .nan, .infinity, -.infinity, .greatestFiniteMagnitude,
        ]
    )
    func noText(seconds: Double) {
        #expect(DateText.text(of: seconds) == nil)
    }

    @Test(
        "other spellings of the grammar are read",
        arguments: [
            ("2024-01-01T00:00:00+02:00", 725_752_800), ("2001-01-01T00:00:00-00:00", 0),
            ("2000-12-31T00:01:00-23:59", 0), ("2001-01-01T00:00:00.000000000000000Z", 0),
            ("2001-01-01T00:00:00.50000Z", 0.5), ("2000-12-31T23:59:59.900000Z", -0.1),
            ("2000-12-31T23:59:59.0Z", -1), ("0000-12-30T00:00:00Z", -63_114_076_800),
            ("2001-01-01T00:00:00.1000000000000000055511151231257827Z", 0.1),
            ("2000-02-29T00:00:00Z", -26_524_800),
        ] as [(String, Double)]
    )
    func reading(text: String, seconds: Double) {
        #expect(DateText.seconds(of: text)?.bitPattern == seconds.bitPattern)
    }

    @Test(
        "anything else is not a date",
        arguments: [
            "", "Z", "2024-02-30T00:00:00Z", "2023-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
            "2024-04-31T00:00:00Z", "2024-13-01T00:00:00Z", "2024-00-01T00:00:00Z",
            "2024-01-00T00:00:00Z", "2024-01-32T00:00:00Z", "2016-12-31T23:59:60Z",
            "2016-12-31T24:00:00Z", "2016-12-31T23:60:00Z", "2016-12-31T23:59:59ZZ",
            "2016-12-31T23:59:59z", "2016-12-31t23:59:59Z", "2016-12-31 23:59:59Z",
            "2016-12-31T23:59:59", "2016-12-31T23:59:59.Z", "2016-12-31T23:59:59,5Z",
            "2016-12-31T23:59:59.5", "2016-12-31T23:59:59.5 Z", " 2016-12-31T23:59:59Z",
            "2016-12-31T23:59:59Z ", "2016-12-31T23:59:59+0200", "2016-12-31T23:59:59+02",
            "2016-12-31T23:59:59+24:00", "2016-12-31T23:59:59+02:60", "2016-12-31T23:59:59+2:00",
            "2016-12-31", "20161231T235959Z", "12016-12-31T23:59:59Z", "-016-12-31T23:59:59Z",
            "+2016-12-31T23:59:59Z", "2016-1-31T23:59:59Z", "２016-12-31T23:59:59Z",
            "2016-12-31T23:59:59.5.5Z", "2016-12-31T23:59:59.5e1Z", "2016-12-31T23:59:59Z\u{0}",
            "2016-12-31T23:59:59Z\u{301}", "2016-W01-1T00:00:00Z", "2016-12-31T23:59Z",
        ]
    )
    func refusal(text: String) {
        #expect(DateText.seconds(of: text) == nil)
    }

    @Test("a fraction of any length is rounded once")
    func randomFractions() throws {
        var random = SeededGenerator(seed: 8)
        for index in 0..<Load.millions(0.2) {
            // The first is where 64 bits overflow.
            let whole =
                index == 0
                ? 9_223_372_036
                : Int64.random(in: -63_113_904_000..<252_423_993_600, using: &random)
                    >> Int64.random(in: 0..<30, using: &random)
            var fraction = index == 0 ? "854775809" : ""
            for _ in 0..<(index == 0 ? 0 : Int.random(in: 1..<22, using: &random)) {
                fraction += "\(Int.random(in: 0...9, using: &random))"
            }
            let text = try #require(DateText.text(of: Double(whole))).dropLast() + ".\(fraction)Z"
            let seconds = try #require(DateText.seconds(of: String(text)))
            guard whole >= 0, Double("\(whole).\(fraction)") != seconds else { continue }
            Issue.record("\(text) became \(seconds)")
        }
    }

    @Test("no date of a million is altered by its text")
    func randomDates() {
        var random = SeededGenerator(seed: 1)
        for index in 0..<Load.millions(1) {
            let seconds: Double =
                switch index % 4 {
                case 0: .random(in: -63_113_904_000..<252_423_993_600, using: &random)
                case 1: .random(in: 700_000_000..<900_000_000, using: &random)
                case 2: .random(in: -1000..<1000, using: &random)
                default:
                    Double(Int64.random(in: -9_000_000_000...9_000_000_000, using: &random)) / 1e3
                }
            guard let text = DateText.text(of: seconds) else {
                #expect(seconds.magnitude < 1e7)
                continue
            }
            guard DateText.seconds(of: text)?.bitPattern != seconds.bitPattern else { continue }
            Issue.record("\(seconds) became \(text)")
        }
    }

    @Test("the first and the last day of every month are where the calendar has them")
    func calendar() {
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        var seconds = -63_113_904_000.0
        func padded(_ number: Int, _ width: Int) -> String {
            String(repeating: "0", count: width - "\(number)".utf8.count) + "\(number)"
        }
        for year in 1...9999 {
            let isLeap =
                year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
            for month in 1...12 {
                let length = lengths[month - 1] + (month == 2 && isLeap ? 1 : 0)
                for day in [1, length] {
                    let time = seconds + Double(day - 1) * 86_400
                    let text =
                        "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T00:00:00Z"
                    guard DateText.text(of: time) != text || DateText.seconds(of: text) != time
                    else { continue }
                    Issue.record("\(text)")
                }
                seconds += Double(length) * 86_400
            }
        }
        #expect(seconds == 252_423_993_600)
    }
}
