import HTTP

/// The pages that one argument of `cors_origin` names: of one origin, or of every host in a domain.
public struct PageOrigin: Sendable, Equatable {
    /// Up to the `*`, or the whole where there is none.
    private let beginning: [UInt8]
    /// After the `*`, which is for one label of a host name or more; nil where there is none.
    private let end: [UInt8]?

    /// - Parameter text: `scheme://host[:port]` as browsers write it; the host may begin with `*.`.
    public init(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "*"), maxSplits: 1, omittingEmptySubsequences: false)
        beginning = Array(parts[0])
        end = parts.count > 1 ? Array(parts[1]) : nil
    }

    /// Whether the value of an `Origin` field is of such a page.
    func matches(_ origin: Span<UInt8>) -> Bool {
        guard let end else { return origin.equals(beginning) }
        let labels = origin.count - beginning.count - end.count
        guard labels > 0, origin.extracting(first: beginning.count).equals(beginning),
            origin.extracting(last: end.count).equals(end)
        else { return false }
        return (beginning.count..<beginning.count + labels).allSatisfy { Self.isOfHostName(origin[$0]) }
    }

    private static func isOfHostName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
