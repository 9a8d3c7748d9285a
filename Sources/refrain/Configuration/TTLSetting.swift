import AppleMusic

/// How long answers of one class are kept: the argument of a `ttl` line after its class.
struct TTLSetting: Equatable, Sendable {
    enum Lifetime: Equatable, Sendable {
        /// Never stored.
        case off
        /// As the origin's own headers say (RFC 9111).
        case upstream
        /// Fresh for this long, whatever the origin says.
        case fixed(Duration)
    }

    let lifetime: Lifetime
    /// For how long after that it may still be served while a new one is fetched, or where the
    /// origin fails.
    let stale: Duration

    init(_ lifetime: Lifetime, stale: Duration = .zero) {
        self.lifetime = lifetime
        self.stale = stale
    }

    /// Reads `DURATION|upstream|off [stale DURATION]`.
    init(words: ArraySlice<String>) throws(ValueError) {
        let first = words[words.startIndex]
        switch first {
        case "off": lifetime = .off
        case "upstream": lifetime = .upstream
        default:
            do throws(ValueError) {
                lifetime = try .fixed(Quantity.duration(first))
            } catch {
                throw ValueError(error.message + ", nor \"upstream\" or \"off\"")
            }
        }
        let tail = Array(words.dropFirst())
        guard let keyword = tail.first else {
            stale = .zero
            return
        }
        guard keyword == "stale" else { throw ValueError(keyword, isNot: "\"stale\"") }
        guard tail.count == 2 else { throw ValueError("\"stale\" needs a duration after it") }
        stale = tail[1] == "off" ? .zero : try Quantity.duration(tail[1])
        guard lifetime != .off || stale == .zero else {
            throw ValueError("what is never stored (\"off\") cannot be served stale")
        }
    }
}

/// Names for a `ttl` line: the classes of resources, and one rule about the status.
enum TTLClass {
    /// For answers of status 404 and 410 in the classes with a duration of their own.
    static let notFound = "not-found"

    static let names = ResourceClass.allCases.map(\.name) + [notFound]
}
