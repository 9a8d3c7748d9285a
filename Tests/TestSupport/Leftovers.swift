import Foundation

/// Processes and files that a test run has not cleared away.
struct Leftovers {
    /// A run, with the marks of its processes.
    struct Run {
        let process: pid_t
        /// Sessions that were made for its children.
        let sessions: Set<pid_t>
        /// The guardian process, which the run ends itself.
        let guardian: pid_t?
        /// Whether a process has the run's folder in its environment.
        let isMarked: (RunningProcess) -> Bool
    }

    /// The processes of a run, without the run and its guardian.
    static func processes(of run: Run, among all: [RunningProcess]) -> [RunningProcess] {
        all.filter { process in
            guard process.id != run.process, process.id != run.guardian else { return false }
            if process.parent == run.process { return true }
            return !process.hasEnded && (run.sessions.contains(process.session) || run.isMarked(process))
        }
    }

    /// Describes a process in one line.
    /// - Parameters:
    ///   - command: the program and its arguments.
    ///   - addresses: where it listens.
    static func line(_ process: RunningProcess, command: String, listensOn addresses: [String]) -> String {
        if process.hasEnded { return "process \(process.id) (\(process.name)) has ended, and nothing waited for it" }
        let listening = addresses.isEmpty ? "" : ", and listens on " + addresses.joined(separator: ", ")
        return "process \(process.id) runs: \(command)\(listening)"
    }

    /// Describes each entry of the run's folder in one line, with the first four files in it.
    /// - Parameters:
    ///   - paths: relative to the folder, as `subpathsOfDirectory` has them.
    ///   - makers: the tests that have made entries, by the names of these, as far as known.
    static func lines(paths: [String], makers: [String: String] = [:]) -> [String] {
        Dictionary(grouping: paths) { String($0.prefix { $0 != "/" }) }.sorted { $0.key < $1.key }.map { top, paths in
            let files = paths.filter { $0 != top }.map { $0.dropFirst(top.count + 1) }.sorted()
            let more = files.count > 4 ? " and \(files.count - 4) more" : ""
            let content = files.isEmpty ? "" : ", with \(files.prefix(4).joined(separator: ", "))\(more)"
            return "\(top) is in the temporary directory\(content)" + (makers[top].map { ", of the test \($0)" } ?? "")
        }
    }
}
