import AppleMusic
import Freshness

extension TTLRule {
    /// Reads `DURATION|upstream|off [stale DURATION]`: the arguments of a `ttl` line after its
    /// class.
    init(words: ArraySlice<String>) throws(ValueError) {
        let first = words[words.startIndex]
        let stale = try Self.stale(Array(words.dropFirst()))
        switch first {
        case "off":
            guard stale == 0 else {
                throw ValueError("\"off\" answers are never stored, so they cannot be served stale")
            }
            self = .off
        case "upstream": self = .origin(stale: stale)
        default:
            do throws(ValueError) {
                self = .fixed(Self.wholeSeconds(try Quantity.duration(first)), stale: stale)
            } catch {
                throw ValueError(error.message + ", nor \"upstream\" or \"off\"")
            }
        }
    }

    private static func stale(_ words: [String]) throws(ValueError) -> Int {
        guard let keyword = words.first else { return 0 }
        guard keyword == "stale" else { throw ValueError(keyword, isNot: "\"stale\"") }
        guard words.count == 2 else { throw ValueError("\"stale\" needs a duration after it") }
        return words[1] == "off" ? 0 : wholeSeconds(try Quantity.duration(words[1]))
    }

    /// The cache counts whole seconds; a part of one counts as one.
    private static func wholeSeconds(_ duration: Duration) -> Int {
        Int(duration.components.seconds) + (duration.components.attoseconds > 0 ? 1 : 0)
    }
}

/// Names for a `ttl` line: the classes of resources, and two rules about the status.
enum TTLClass {
    /// For answers of status 404 and 410 in the classes with a duration of their own.
    static let notFound = "not-found"
    /// For answers of status 400 in them that blame the path or a parameter.
    static let badRequest = "bad-request"

    static let names = ResourceClass.allCases.map(\.name) + [notFound, badRequest]
}
