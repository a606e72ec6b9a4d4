import Foundation

let benchmarks: [(name: String, run: (inout Harness) throws -> Void)] = [
    ("codec", codecBenchmarks),
    ("json", jsonTextBenchmarks),
    ("store", storeBenchmarks),
    ("publish", publishBenchmarks),
    ("wake", wakeBenchmarks),
    ("memory", subscriptionMemory),
    ("defaults", userDefaultsBenchmarks),
    ("jsonfile", jsonFileBenchmarks),
]

if CommandLine.arguments.count == 4, CommandLine.arguments[1] == "--child" {
    try runChild(CommandLine.arguments[2], CommandLine.arguments[3])
}

#if DEBUG
print("These figures are of a debug build and mean nothing: add -c release.")
#endif

var harness = Harness()
let names = CommandLine.arguments.dropFirst()
for benchmark in benchmarks where names.isEmpty || names.contains(benchmark.name) {
    try benchmark.run(&harness)
}
if harness.missed > 0 {
    print("\n\(harness.missed) goals missed")
    exit(1)
}
