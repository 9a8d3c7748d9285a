import Foundation

/// One line of the report, at once: a benchmark takes minutes, and standard output may be a pipe.
func report(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}
