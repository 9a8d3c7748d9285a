import EventLoop

/// The origin of every measured server, in a process of its own.
///
/// It answers any numbered song, and counts. `/requests` says how many it has answered, which shows
/// for all servers alike whether hits were hits.
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

    /// Documents made so far, one for each size. Confined to the loop.
    private final class Songs {
        private var documents: [NumberedSongs: SongDocument] = [:]
        private var passed: [Substring: (head: [UInt8], body: [UInt8])] = [:]
        private var answered = 0
        private static let paths = [NumberedSongs.single, NumberedSongs.withLists].map { ($0, NumberedSongs.path($0)) }

        func send(_ target: Substring, to stream: Stream) {
            if target == OriginServer.countPath { return plain(200, "\(answered)", to: stream) }
            if target.hasPrefix(PassedBody.path), let answer = passed[target] ?? PassedBody.answer(to: target) {
                answered += 1
                passed[target] = answer
                return answer.head.withUnsafeBytes { stream.send($0, answer.body) }
            }
            guard let response = response(to: target) else { return plain(404, "", to: stream) }
            answered += 1
            response.withUnsafeBytes { stream.send($0) }
        }

        /// One song, or several by their identifiers; nil where the target names none.
        private func response(to target: Substring) -> [UInt8]? {
            for (storefront, path) in Self.paths where target.hasPrefix(path) {
                let identifier = String(target.dropFirst(path.count))
                return document(identifier, storefront)?.response(Array(identifier.utf8))
            }
            guard target.hasPrefix(NumberedSongs.listPath) else { return nil }
            let identifiers = target.dropFirst(NumberedSongs.listPath.count).split(separator: ",").map(String.init)
            let songs = identifiers.compactMap { identifier in
                document(identifier, NumberedSongs.withLists)?.resource(Array(identifier.utf8))
            }
            return songs.isEmpty ? nil : SongDocument.response(songs)
        }

        private func document(_ identifier: String, _ storefront: String) -> SongDocument? {
            guard let bytes = NumberedSongs.bytes(of: identifier), bytes >= SongDocument.leastBytes else { return nil }
            let songs = NumberedSongs(bytes: bytes, storefront: storefront)
            let document = documents[songs] ?? SongDocument(songs)
            documents[songs] = document
            return document
        }

        private func plain(_ status: Int, _ text: String, to stream: Stream) {
            let response =
                "HTTP/1.1 \(status) X\r\nContent-Type: text/plain\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
            Array(response.utf8).withUnsafeBytes { stream.send($0) }
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
            songs.send(line[1], to: stream)
        }
    }
}
