/// The kinds of files that are read as recordings, told apart by how they begin.
enum RecordingKind {
    /// Lines of this program's, or an index of responses.
    case lines
    case har

    /// - Parameter beginning: some kilobytes, or all of the file. HAR is an object with a member
    ///   `log` in any place; objects of the other kinds have members of their own instead.
    init(_ beginning: ArraySlice<UInt8>) {
        self = .lines
        var walker = JSONWalker(Array(beginning))
        guard (try? walker.enter("{")) == true else { return }
        do throws(JSONWalker.Problem) {
            while let name = try walker.nextMember() {
                if name == "log" { self = .har }
                if name == "log" || Self.ofLines.contains(name) { return }
                _ = try walker.value()
            }
        } catch {
            // A long member comes first, which no line of the other kinds has there.
            if error.reason == .truncated, beginning.count >= InputFile.chunk { self = .har }
        }
    }

    private static let ofLines: Set<String> = ["refrain_recording", "path", "status", "method"]
}
