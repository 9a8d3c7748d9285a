import Text

// Reading HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/), as browsers and proxies export
// it.
// Must hold: a HAR file gives nothing that a recording of our own would not hold. Fields are taken
// by the same allow-list, of personal requests only the route stays, hosts are dropped. An entry
// that cannot be read costs that entry, whatever is wrong with it.

/// A HAR file, read whole.
struct HARFile {
    private let path: String
    private let log: HARLog
    private var inFileOrder: [RecordedExchange] = []
    private var contents: [BodyHash: [UInt8]] = [:]
    private var leftOut: [HAREntry.LeftOut: Int] = [:]
    /// Entries that cannot be read: how many, and the fault of the first one.
    private var odd: (count: Int, first: String) = (0, "")
    private var seen: Set<BodyHash> = []

    init(path: String, bytes: [UInt8]) throws(RecordingError) {
        self.path = path
        log = try HARLog(bytes, path)
        for (index, entry) in log.entries.enumerated() { add(bytes[entry], number: index + 1) }
        guard inFileOrder.isEmpty else { return }
        guard !leftOutWords.isEmpty else { throw .empty(path: path) }
        throw .badFile(path: path, reason: "it has no usable entry: " + leftOutWords.joined(separator: ", "))
    }

    /// Whether a file with this beginning is HAR: an object with a member `log` in any place. Lines
    /// of the other kinds have members of their own instead.
    /// - Parameter beginning: some kilobytes, or all of the file.
    static func begins(with beginning: ArraySlice<UInt8>) -> Bool {
        var walker = JSONWalker(Array(beginning))
        guard (try? walker.enter("{")) == true else { return false }
        do throws(JSONWalker.Problem) {
            while let name = try walker.nextMember() {
                if name == "log" || membersOfOthers.contains(name) { return name == "log" }
                _ = try walker.value()
            }
            return false
        } catch {
            // A long member comes first, which no line of the other kinds has there.
            return error.reason == .truncated && beginning.count >= InputFile.chunk
        }
    }

    private static let membersOfOthers: Set = ["refrain_recording", "path", "status", "method"]

    /// - Parameter number: of the entry, from 1.
    private mutating func add(_ entry: ArraySlice<UInt8>, number: Int) {
        do {
            let value = try JSON.parse(Array(entry))
            try add(value, hash: log.own != nil ? nil : BodyHash(of: Array(entry)))
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
                    contents[hash] = body
                }
            }
            inFileOrder.append(exchange)
        }
    }

    private var leftOutWords: [String] {
        let known = HAREntry.LeftOut.allCases.compactMap { why in leftOut[why].map(why.words) }
        guard odd.count > 0 else { return known }
        return known
            + [odd.count == 1 ? odd.first : "\(odd.count) entries that cannot be read, the first is \(odd.first)"]
    }

    var warnings: [String] { leftOutWords.map { "\(path): left out: \($0)" } }

    var bodies: RecordedBodies { RecordedBodies(contents) }

    var header: RecordingHeader {
        let creator = [log.creator?["name"], log.creator?["version"]].compactMap { $0?.stringValue }
        let program = creator.filter { !$0.isEmpty }.joined(separator: " ")
        return RecordingHeader(
            started: started, program: log.own?["program"]?.stringValue ?? program, sampling: sampling)
    }

    private var started: Timestamp {
        log.own?["started"]?.stringValue.flatMap(Timestamp.init(_:)) ?? inFileOrder.map(\.time).min()
            ?? Timestamp(microseconds: 0)
    }

    private var sampling: Double {
        guard case .number(let text)? = log.own?["sampling"], let share = Double(text), share > 0, share <= 1 else {
            return 1
        }
        return share
    }

    /// In order of time, with offsets where the file does not say any.
    var exchanges: [RecordedExchange] {
        let started = started
        let timed = inFileOrder.map { exchange in
            var exchange = exchange
            if exchange.offset < .zero { exchange.offset = max(.zero, exchange.time - started) }
            return exchange
        }
        return timed.enumerated().sorted { ($0.element.offset, $0.offset) < ($1.element.offset, $1.offset) }
            .map(\.element)
    }
}

/// The parts of a HAR file, in whatever order its members come.
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
