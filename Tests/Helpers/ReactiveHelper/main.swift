import Foundation
import KVStoreReactive

// Puts a reactive store through its paces in a process of its own, whose preferences are the
// test's and whose memory nobody else uses:
//
//   ReactiveHelper race <backend> <place> <own|other> <rounds>
//   ReactiveHelper write <backend> <place>         what "race" starts to have others write
//   ReactiveHelper cycles <backend> <place> <count>
//
// It prints what was wrong and fails, or prints what it counted.

let arguments = CommandLine.arguments
guard arguments.count >= 4, let backend = Backend(rawValue: arguments[2]) else { exit(64) }
let place = Place(backend: backend, path: arguments[3])
let count = arguments.last.flatMap { Int($0) } ?? 0

do {
    switch arguments[1] {
    case "race":
        let writer: any RaceWriter =
            if arguments[4] == "other" {
                try OtherProcess(place)
            } else {
                try OwnThreads(place)
            }
        print(try await Race(over: place, by: writer).run(rounds: count))
    case "write": try writeAsTold(place)
    case "cycles": print(try await growth(over: place, cycles: count))
    default: exit(64)
    }
} catch {
    print("\(error)")
    exit(1)
}
