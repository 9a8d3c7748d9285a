import Foundation
import Synchronization

/// What a run of the tests leaves out, which its last line names.
public enum LeftOut {
    private static let notes = Mutex<[String]>([])

    /// - Parameter note: what is missing, and what was not looked at without it.
    public static func note(_ note: String) {
        notes.withLock { notes in
            if !notes.contains(note) { notes.append(note) }
        }
    }

    /// Misses are joined where clients come within a few milliseconds of each other, which a busy
    /// machine may never do. What is decided then is held by tests of values.
    public static func noteClientsApart() {
        note("the machine is busy: no clients came together, whose misses could have been joined")
    }

    /// Of all notes so far; nil without any.
    public static var text: String? {
        let all = notes.withLock { $0.sorted() }
        return all.isEmpty ? nil : "Left out: " + all.joined(separator: "; ") + "."
    }

    /// Has the line written when the process ends, behind all that the runner says.
    public static func tellAtExit() {
        atexit {
            print(LeftOut.text ?? "Nothing was left out.")
            fflush(nil)
        }
    }
}
