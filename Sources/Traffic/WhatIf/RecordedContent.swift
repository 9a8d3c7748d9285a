import HTTP
import Recording

/// The bodies of a recording as an origin sends them: in gzip to a client that accepts it, as the
/// real one does (APPLE-MUSIC-API 9.8), so that the bytes that are counted are those of the wire.
/// Content used lately is kept.
final class RecordedContent {
    /// A body and its gzip form, if it has one.
    struct Forms {
        var identity: [UInt8] = []
        var gzip: [UInt8]?

        /// The origin does not compress shorter bodies.
        private static let leastCoded = 256

        init() {}

        init(identity: [UInt8]) {
            self.identity = identity
            gzip = identity.count < Self.leastCoded ? nil : Gzip.system.deflate(identity)
        }

        /// An answer of that length with nothing in it, not compressed: its compressed length is
        /// not known.
        static func filler(_ length: Int) -> Forms {
            var forms = Forms()
            let (head, tail) = (Array("{\"data\":[".utf8), Array("]}".utf8))
            let room = max(0, length - head.count - tail.count)
            forms.identity = Array((head + [UInt8](repeating: UInt8(ascii: " "), count: room) + tail).prefix(length))
            return forms
        }
    }

    private let bodies: RecordedBodies
    private var kept: [BodyHash: Forms] = [:]
    private var keptBytes = 0
    private static let mostKept = 64 << 20

    init(_ bodies: RecordedBodies) {
        self.bodies = bodies
    }

    /// nil where it was not recorded, or cannot be read.
    subscript(hash: BodyHash) -> Forms? {
        if let forms = kept[hash] { return forms }
        guard let identity = try? bodies.identity(of: hash) else { return nil }
        let forms = Forms(identity: identity)
        if keptBytes > Self.mostKept { (kept, keptBytes) = ([:], 0) }
        keptBytes += forms.identity.count + (forms.gzip?.count ?? 0)
        kept[hash] = forms
        return forms
    }
}
