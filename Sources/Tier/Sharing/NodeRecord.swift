/// A node's record for the others: a field of the hash `TierKeys.nodes`, by its name.
///
///     address=10.0.0.1:8080 version=1.4.0 process=71 started=1800000000000 seen=1800000002000
///     ready=1 applied=0123456789abcdef:1800000001000-0
///
/// in one line, in any order; with `after=70 since=1799999990000` where it takes the place of
/// another process, which began then, and `confirmed=0123456789abcdef` where it was in doubt about
/// a life of the log, with `upstream=https://music.example`, and with `wanted=` and the names that
/// its clients want (`NodeIdentity.wanted`). Names that a reader does not know are of a later
/// version.
struct NodeRecord: Sendable, Equatable {
    var address = ""
    var version = ""
    /// Which process it is, and when it began, by its own clock: unix milliseconds.
    var process: Int32 = 0
    var startedAt: Int64 = 0
    /// See `NodeIdentity.predecessor`.
    var predecessor: Int32 = 0
    var predecessorStartedAt: Int64 = 0
    /// When it wrote this, by the engine's clock: unix milliseconds.
    var seen: Int64 = 0
    var isReady = false
    /// Everything up to there is applied; nil before it has read a log.
    var mark: LogMark?
    /// A life of the log that this node has not taken for its own, though it has its place in it
    /// (`LogSuccession`).
    var confirmed: LogEpoch?
    /// Name of the origin that it asks; empty for a node of an earlier version.
    var upstream = ""
    /// See `NodeIdentity.wanted`.
    var wanted = ""

    init(_ own: NodeIdentity, seen: Int64, isReady: Bool, mark: LogMark?) {
        (address, version, process, startedAt) = (own.address, own.version, own.process, own.startedAt)
        (predecessor, predecessorStartedAt) = (own.predecessor, own.predecessorStartedAt)
        (self.seen, self.isReady, self.mark) = (seen, isReady, mark)
        (upstream, wanted) = (own.upstream, own.wanted)
    }

    /// Nil where it does not say when it was written.
    init?(_ bytes: [UInt8]) {
        guard bytes.count <= 4_096 else { return nil }
        for field in String(decoding: bytes, as: UTF8.self).split(separator: " ") {
            guard let sign = field.firstIndex(of: "=") else { continue }
            let value = String(field[field.index(after: sign)...])
            switch field[..<sign] {
            case "address": address = value
            case "version": version = value
            case "process": process = Int32(value) ?? 0
            case "started": startedAt = Int64(value) ?? 0
            case "after": predecessor = Int32(value) ?? 0
            case "since": predecessorStartedAt = Int64(value) ?? 0
            case "seen": seen = Int64(value) ?? 0
            case "ready": isReady = value == "1"
            case "confirmed": confirmed = LogEpoch(value.utf8)
            case "upstream": upstream = value
            case "wanted": wanted = value
            case "applied": mark = LogMark(value.utf8)
            default: break
            }
        }
        guard seen > 0 else { return nil }
    }

    var text: String {
        """
        address=\(Self.word(address)) version=\(Self.word(version)) process=\(process) started=\(startedAt) \
        seen=\(seen) ready=\(isReady ? 1 : 0)\(mark.map { " applied=\($0.text)" } ?? "")\
        \(predecessor == 0 ? "" : " after=\(predecessor) since=\(predecessorStartedAt)")\(confirmed.map { " confirmed=\($0.text)" } ?? "")\
        \(upstream.isEmpty ? "" : " upstream=\(Self.word(upstream))")\(wanted.isEmpty ? "" : " wanted=\(Self.word(wanted))")
        """
    }

    /// Whether both are of one node: of one process, or of the two of an upgrade.
    func isOfSameNode(as own: NodeIdentity) -> Bool {
        func isOne(_ first: (Int32, Int64), _ second: (Int32, Int64)) -> Bool {
            first.0 == second.0 && (first.1 == second.1 || first.1 == 0)
        }
        return process == own.process && startedAt == own.startedAt
            || isOne((own.predecessor, own.predecessorStartedAt), (process, startedAt))
            || isOne((predecessor, predecessorStartedAt), (own.process, own.startedAt))
    }

    /// Nothing in it may end a field.
    private static func word(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value > 0x20 && $0.value != 0x7F ? $0 : "_" }))
    }
}
