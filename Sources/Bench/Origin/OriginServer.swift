import EventLoop

/// The origin behind every server that is measured: one loop in a process of its own that answers
/// any numbered song, and counts. `/requests` says how many it has answered: whether hits were hits
/// is seen here, in the same way for all.
final class OriginServer {
    static let countPath = "/requests"

    private let loop: EventLoop
    private let listener: Listener
    private let songs = Songs()

    init(port: UInt16) throws {
        guard let address = SocketAddress(host: "127.0.0.1", port: port) else { throw BenchError("no address") }
        let (loop, songs) = (try EventLoop(label: "bench.origin"), songs)
        self.loop = loop
        listener = try loop.sync {
            try Listener(address: address, loop: loop) { stream in stream.handler = Connection(songs) }
        }
    }

    /// What has been made so far, a template for each size. Confined to the loop.
    private final class Songs {
        private var documents: [Int: SongDocument] = [:]
        private var answered = 0

        func response(to target: Substring) -> [UInt8] {
            if target == OriginServer.countPath { return plain(200, "\(answered)") }
            let path = NumberedSongs.path
            guard target.hasPrefix(path) else { return plain(404, "") }
            let identifier = String(target.dropFirst(path.count))
            guard let bytes = NumberedSongs.bytes(of: identifier), bytes >= SongDocument.leastBytes else {
                return plain(404, "")
            }
            answered += 1
            let document = documents[bytes] ?? SongDocument(bytes: bytes)
            documents[bytes] = document
            return document.response(Array(identifier.utf8))
        }

        private func plain(_ status: Int, _ text: String) -> [UInt8] {
            Array(
                "HTTP/1.1 \(status) X\r\nContent-Type: text/plain\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
                    .utf8)
        }
    }

    /// Proxies send one request at a time, but not always in one piece.
    private final class Connection: ReadingHandler {
        private let songs: Songs
        private var head: [UInt8] = []

        init(_ songs: Songs) {
            self.songs = songs
        }

        func take(_ bytes: UnsafeRawBufferPointer, _ stream: Stream) {
            head.append(contentsOf: bytes)
            guard head.count >= 4, head.suffix(4).elementsEqual([13, 10, 13, 10]) else { return }
            let line = String(decoding: head.prefix { $0 != 13 }, as: UTF8.self).split(separator: " ")
            head.removeAll(keepingCapacity: true)
            guard line.count == 3 else { return stream.close() }
            let response = songs.response(to: line[1])
            response.withUnsafeBytes { stream.send($0) }
        }
    }
}
