import Foundation
import KVStore
import KVStoreUserDefaults

// A process of its own for tests of the UserDefaults store, which reads where preferences live when
// it starts. It takes commands from standard input, one JSON array a line, and answers each with
// one line of JSON: an array with the result, or an object with the code of the error.

let session = Session()
while let line = readLine() {
    say(session.answer(to: line))
}
