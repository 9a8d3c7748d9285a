import Text

// Reading HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/), as browsers and proxies export
// it.
// Must hold: what a recording of our own would not hold does not come out of a HAR file
// either. Fields are taken by the same allow-list, of personal requests only the route stays, hosts
// are dropped. An entry that cannot be read costs that entry, whatever is wrong with it.

/// A HAR file, read whole.
struct HARFile {
    let header: RecordingHeader
    /// In order of time.
    let exchanges: [RecordedExchange]
    let bodies: RecordedBodies
    let warnings: [String]

    init(path: String, bytes: [UInt8]) throws(RecordingError) {
        let log = try HARLog(bytes, path)
        let own = log.own
        var contents = HARContents(isOwn: own != nil)
        for (index, entry) in log.entries.enumerated() { contents.add(bytes[entry], number: index + 1) }
        let leftOut = contents.leftOutWords
        guard !contents.exchanges.isEmpty else {
            guard !leftOut.isEmpty else { throw .empty(path: path) }
            throw .badFile(path: path, reason: "it has no usable entry: " + leftOut.joined(separator: ", "))
        }
        let first = contents.exchanges.map(\.time).min() ?? Timestamp(microseconds: 0)
        let started = own?["started"]?.stringValue.flatMap(Timestamp.init(_:)) ?? first
        header = RecordingHeader(
            started: started, program: own?["program"]?.stringValue ?? Self.program(log.creator),
            sampling: Self.sampling(own?["sampling"]))
        exchanges = contents.inOrder(since: started)
        bodies = RecordedBodies(contents.bodies)
        warnings = leftOut.map { "\(path): left out: \($0)" }
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

/// Where the parts of a HAR file are, in whatever order its members come.
private struct HARLog {
    private(set) var entries: [Range<Int>] = []
    private(set) var creator: JSON?
    /// The member that files of this program have.
    private(set) var own: JSON?

    init(_ bytes: [UInt8], _ path: String) throws(RecordingError) {
        let missing: String?
        do throws(JSONWalker.Problem) {
            missing = try read(bytes)
        } catch {
            let line = 1 + bytes[..<min(error.offset, bytes.count)].count { $0 == 0x0A }
            throw .badLine(path: path, line: line, reason: "not JSON: \(error.reason.rawValue)")
        }
        if let missing { throw .badFile(path: path, reason: missing) }
    }

    /// The part that the file does not have; nil for none.
    private mutating func read(_ bytes: [UInt8]) throws(JSONWalker.Problem) -> String? {
        var (walker, hasLog, hasEntries) = (JSONWalker(bytes), false, false)
        guard try walker.enter("{") else { return "log is not an object" }
        while !hasLog, let name = try walker.nextMember() {
            hasLog = name == "log"
            if !hasLog { _ = try walker.value() }
        }
        guard hasLog, try walker.enter("{") else { return "log is not an object" }
        while let name = try walker.nextMember() {
            switch name {
            case "entries":
                guard try walker.enter("[") else { return "log.entries is not a list" }
                hasEntries = true
                while try walker.nextElement() { entries.append(try walker.value()) }
            case "creator": creator = try? JSON.parse(Array(bytes[try walker.value()]))
            case "_refrain": own = try? JSON.parse(Array(bytes[try walker.value()]))
            default: _ = try walker.value()
            }
        }
        return hasEntries ? nil : "log.entries is not a list"
    }
}

/// Entries read from a HAR file.
struct HARContents {
    /// Whether this program wrote the file: then entries that look alike are different exchanges.
    let isOwn: Bool
    private(set) var exchanges: [RecordedExchange] = []
    private(set) var bodies: [BodyHash: [UInt8]] = [:]
    private var leftOut: [HAREntry.LeftOut: Int] = [:]
    /// Entries that cannot be read: how many, and what is wrong with the first one.
    private var odd: (count: Int, first: String) = (0, "")
    private var seen: Set<BodyHash> = []

    init(isOwn: Bool) {
        self.isOwn = isOwn
    }

    /// - Parameter number: of the entry, from 1.
    mutating func add(_ entry: ArraySlice<UInt8>, number: Int) {
        do {
            let value = try JSON.parse(Array(entry))
            try add(value, hash: isOwn ? nil : BodyHash(of: Array(entry)))
        } catch {
            let reason = (error as? LineProblem)?.reason ?? (error as? JSONError)?.reason.rawValue ?? "\(error)"
            if odd.count == 0 { odd.first = "entry \(number): \(reason)" }
            odd.count += 1
        }
    }

    private mutating func add(_ entry: JSON, hash: BodyHash?) throws(LineProblem) {
        switch try HAREntry.read(entry) {
        case .leftOut(let why): leftOut[why, default: 0] += 1
        case .exchange(var exchange, let body):
            // Exports of several tabs that were put together have the same entry twice.
            if let hash, !seen.insert(hash).inserted {
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
        let known = HAREntry.LeftOut.allCases.compactMap { why in leftOut[why].map(why.words) }
        guard odd.count > 0 else { return known }
        return known
            + [odd.count == 1 ? odd.first : "\(odd.count) entries that cannot be read, the first is \(odd.first)"]
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
