import EventLoop

@testable import Recording
@testable import Text

/// First inputs of fuzzing: files of the repository and, if present, corpora.
enum Seeds {
    static func file(_ path: String) -> [UInt8] { (try? InputFile(path).rest()) ?? [] }

    /// Small enough to be changed to some purpose.
    private static let mostBytes = 16 << 10

    static func files(_ folder: String, ending: String) -> [[UInt8]] {
        let names = (try? Folder.names(in: folder)) ?? []
        return names.filter { $0.hasSuffix(ending) }.map { file("\(folder)/\($0)") }
            .filter { (1...mostBytes).contains($0.count) }
    }

    /// The raw messages of a corpus: `input_b64` of each line.
    static func corpus(_ name: String) -> [[UInt8]] {
        lines("../shared/corpora/\(name).jsonl").compactMap { line in
            (try? JSON.parse(Array(line)))?["input_b64"]?.stringValue.flatMap {
                Base64.standard.decode(Array($0.utf8).span)
            }
        }.filter { $0.count <= mostBytes }
    }

    /// The targets that were asked for in an index of recorded answers.
    static func recordedTargets() -> [[UInt8]] {
        lines("../shared/recordings/index.jsonl").compactMap { line in
            guard let object = try? JSON.parse(Array(line)), let path = object["path"]?.stringValue else { return nil }
            let query = object["query"]?.stringValue ?? ""
            return Array((query.isEmpty ? path : path + "?" + query).utf8)
        }
    }

    static func lines(_ path: String) -> [ArraySlice<UInt8>] {
        file(path).split(separator: UInt8(ascii: "\n"))
    }
}
