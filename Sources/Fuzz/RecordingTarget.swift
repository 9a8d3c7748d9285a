import Glibc

@testable import Recording

extension FuzzTarget {
    /// Reading any file ends; exchanges that are read and written again are read as they were.
    static let recordings = FuzzTarget(
        name: "recordings", summary: "recordings of traffic: this program's, HAR, indexes",
        run: { bytes in
            let path = "/tmp/refrain-fuzz-\(getpid()).jsonl"
            guard let exchanges = read(bytes, path) else { return }
            guard let header = exchanges.header else { return }
            let written = header.line + exchanges.list.flatMap(\.line)
            guard let again = read(written, path) else { preconditionFailure("what was written cannot be read") }
            precondition(bodiless(again.list) == bodiless(exchanges.list), "what was written is not what was read")
        },
        seeds: {
            Seeds.lines("Sources/Documentation/examples/sessions.jsonl").prefix(60).reduce(into: [[]]) { files, line in
                files.append((files.last ?? []) + line + [0x0A])
            }.suffix(59) + [
                Array(#"{"log":{"version":"1.2","entries":[{"request":{"method":"GET","url":"http://a/v1"}}]}}"#.utf8)
            ]
        })

    /// Bodies are in a file of their own, which is not there.
    private static func bodiless(_ exchanges: [RecordedExchange]) -> [RecordedExchange] {
        exchanges.map { exchange in
            var exchange = exchange
            exchange.body = nil
            return exchange
        }
    }

    private static func read(_ bytes: [UInt8], _ path: String) -> (header: RecordingHeader?, list: [RecordedExchange])?
    {
        guard let file = fopen(path, "w") else { return nil }
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
        defer { unlink(path) }
        do throws(RecordingError) {
            let reader = try RecordingReader(path: path)
            var list: [RecordedExchange] = []
            while let exchange = try reader.next() { list.append(exchange) }
            return (reader.header, list)
        } catch {
            return nil
        }
    }
}
