import EventLoop
import Glibc

/// The origin of every measured server, in a process of its own: `bench origin PORT`.
///
/// It answers any numbered song, and counts. `/requests` says how many it has answered, which shows
/// for all servers alike whether hits were hits.
final class OriginServer {
    static let role = "origin"
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

    static func serve(_ arguments: [String]) throws -> Never {
        guard let port = arguments.first.flatMap({ UInt16($0) }) else { throw BenchError("bench \(role) takes a port") }
        _ = FileDescriptors.limit
        let server = try OriginServer(port: port)
        while true { withExtendedLifetime(server) { _ = sleep(3600) } }
    }

    /// Documents made so far, one for each size. Confined to the loop.
    private final class Songs {
        private var documents: [NumberedSongs: SongDocument] = [:]
        private var answered = 0

        func send(_ target: Substring, to stream: Stream) {
            if target == OriginServer.countPath { return plain(200, "\(answered)", to: stream) }
            guard let response = response(to: target) else { return plain(404, "", to: stream) }
            answered += 1
            response.withUnsafeBytes { stream.send($0) }
        }

        /// nil where the target names no song.
        private func response(to target: Substring) -> [UInt8]? {
            guard target.hasPrefix(NumberedSongs.path) else { return nil }
            let identifier = String(target.dropFirst(NumberedSongs.path.count))
            guard let bytes = NumberedSongs.bytes(of: identifier), bytes >= SongDocument.leastBytes else { return nil }
            let songs = NumberedSongs(bytes: bytes)
            let document = documents[songs] ?? SongDocument(songs)
            documents[songs] = document
            return document.response(Array(identifier.utf8))
        }

        private func plain(_ status: Int, _ text: String, to stream: Stream) {
            let response =
                "HTTP/1.1 \(status) X\r\nContent-Type: text/plain\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
            Array(response.utf8).withUnsafeBytes { stream.send($0) }
        }
    }

    /// Proxies send one request at a time, but not always in one piece.
    private final class Connection: StreamHandler {
        private let songs: Songs
        private var head: [UInt8] = []

        init(_ songs: Songs) {
            self.songs = songs
        }

        func streamDidClose(_ stream: Stream, _ error: StreamError?) {}

        func streamDidBecomeReadable(_ stream: Stream) {
            withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 16) { buffer in
                while true {
                    switch stream.read(into: buffer) {
                    case .bytes(let count): take(buffer[..<count], stream)
                    case .wouldBlock: return
                    case .end, .failed: return stream.close()
                    }
                }
            }
        }

        private func take(_ bytes: Slice<UnsafeMutableRawBufferPointer>, _ stream: Stream) {
            head.append(contentsOf: bytes)
            guard head.suffix(4).elementsEqual([13, 10, 13, 10]) else { return }
            let line = String(decoding: head.prefix { $0 != 13 }, as: UTF8.self).split(separator: " ")
            head.removeAll(keepingCapacity: true)
            guard line.count == 3 else { return stream.close() }
            songs.send(line[1], to: stream)
        }
    }
}
