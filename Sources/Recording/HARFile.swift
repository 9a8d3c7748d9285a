import Text

// Reading HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/), as browsers and proxies export
// it.
// What must hold: what a recording of our own would not hold does not come out of a HAR file
// either. Fields are taken by the same allow-list, of personal requests only the route stays, hosts
// are dropped.

/// A HAR file, read whole.
struct HARFile {
    let header: RecordingHeader
    /// In order of time.
    let exchanges: [RecordedExchange]
    let bodies: RecordedBodies
    let warnings: [String]

    /// Whether a file that begins so is HAR: an object whose first member is `log`.
    static func begins(_ bytes: ArraySlice<UInt8>) -> Bool {
        let text = bytes.filter { $0 > 0x20 && $0 < 0x80 }.prefix(6)
        return text.elementsEqual(Array("{\"log\"".utf8))
    }

    init(path: String, bytes: [UInt8]) throws(RecordingError) {
        let log = try Self.log(path, bytes)
        guard let entries = log["entries"]?.arrayValue else {
            throw .badFile(path: path, reason: "log.entries is not a list")
        }
        let own = log["_refrain"]
        var contents = HARContents(isOwn: own != nil)
        for (index, entry) in entries.enumerated() {
            do {
                try contents.add(entry)
            } catch {
                throw .badFile(path: path, reason: "entry \(index + 1): \(error.reason)")
            }
        }
        let leftOut = contents.leftOutWords
        guard !contents.exchanges.isEmpty else {
            guard !leftOut.isEmpty else { throw .empty(path: path) }
            throw .badFile(path: path, reason: "nothing to be read in it: " + leftOut.joined(separator: ", "))
        }
        let first = contents.exchanges.map(\.time).min() ?? Timestamp(microseconds: 0)
        let started = own?["started"]?.stringValue.flatMap(Timestamp.init(_:)) ?? first
        header = RecordingHeader(
            started: started, program: own?["program"]?.stringValue ?? Self.program(log["creator"]),
            sampling: Self.sampling(own?["sampling"]))
        exchanges = contents.inOrder(since: started)
        bodies = RecordedBodies(contents.bodies)
        warnings = leftOut.map { "\(path): left out: \($0)" }
    }

    private static func log(_ path: String, _ bytes: [UInt8]) throws(RecordingError) -> JSON {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes
        let file: JSON
        do {
            file = try JSON.parse(text)
        } catch {
            let line = 1 + text[..<min(error.offset, text.count)].count { $0 == 0x0A }
            throw .badLine(path: path, line: line, reason: "not JSON: \(error.reason.rawValue)")
        }
        guard let log = file["log"], log.objectValue != nil else {
            throw .badFile(path: path, reason: "log is not an object")
        }
        return log
    }

    private static func program(_ creator: JSON?) -> String {
        [creator?["name"], creator?["version"]].compactMap { $0?.stringValue }.filter { !$0.isEmpty }
            .joined(separator: " ")
    }

    private static func sampling(_ value: JSON?) -> Double {
        guard case .number(let text)? = value, let share = Double(text), share > 0, share <= 1 else { return 1 }
        return share
    }
}

/// What has been read of a HAR file's entries.
struct HARContents {
    /// Whether this program wrote the file: then entries that look alike are different exchanges.
    let isOwn: Bool
    private(set) var exchanges: [RecordedExchange] = []
    private(set) var bodies: [BodyHash: [UInt8]] = [:]
    private var leftOut: [HAREntry.LeftOut: Int] = [:]
    private var seen: Set<BodyHash> = []

    init(isOwn: Bool) {
        self.isOwn = isOwn
    }

    mutating func add(_ entry: JSON) throws(LineProblem) {
        switch try HAREntry.read(entry) {
        case .leftOut(let why): leftOut[why, default: 0] += 1
        case .exchange(var exchange, let body):
            // Exports of several tabs that were put together have the same entry twice.
            if !isOwn, let hash = BodyHash(of: entry.bytes), !seen.insert(hash).inserted {
                leftOut[.isTwice, default: 0] += 1
                return
            }
            if let body, !body.isEmpty {
                if body.count > RecordedBodies.longest {
                    leftOut[.hasLongBody, default: 0] += 1
                } else if let hash = BodyHash(of: body) {
                    exchange.body = hash
                    bodies[hash] = body
                }
            }
            exchanges.append(exchange)
        }
    }

    /// How many of which kind.
    var leftOutWords: [String] {
        HAREntry.LeftOut.allCases.compactMap { why in leftOut[why].map { "\($0) \(why.rawValue)" } }
    }

    /// With offsets, where the file did not say any.
    func inOrder(since started: Timestamp) -> [RecordedExchange] {
        let timed = exchanges.map { exchange in
            var exchange = exchange
            if exchange.offset < .zero { exchange.offset = max(.zero, exchange.time - started) }
            return exchange
        }
        return timed.enumerated().sorted { ($0.element.offset, $0.offset) < ($1.element.offset, $1.offset) }
            .map(\.element)
    }
}
