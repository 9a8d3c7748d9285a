/// The server that gives answers: scheme, host and port of `upstream`, so that two spellings of one
/// server are equal. Not the addresses that its name leads to.
public struct Origin: Sendable, Hashable {
    /// `https://music.example`, with the port unless it is the scheme's own; empty for `none`.
    public let name: String
    public let tag: OriginTag

    /// The origin of records that no upstream gave: those of tests and benchmarks.
    public static let none = Origin(name: "")

    /// - Parameters:
    ///   - host: in any case, with or without the dot that ends an absolute name; an IPv6 literal
    ///     with or without brackets.
    ///   - port: of TCP.
    public init(isTLS: Bool, host: String, port: UInt16) {
        var host = host.lowercased()
        if host.utf8.count > 1, host.hasSuffix(".") { host.removeLast() }
        if host.contains(":"), !host.hasPrefix("[") { host = "[\(host)]" }
        let port = port == (isTLS ? 443 : 80) ? "" : ":\(port)"
        self.init(name: (isTLS ? "https://" : "http://") + host + port)
    }

    /// The origin of that name, as the other initializer makes it.
    init(name: String) {
        self.name = name
        tag = OriginTag(name: name)
    }
}

/// Stands for an origin in keys: FNV-1a with 64 bits over its name, the same on every machine. No
/// two upstreams of an operator are expected to share one.
public struct OriginTag: Sendable, Hashable {
    public let bits: UInt64

    /// The tag of `Origin.none`.
    public static let none = OriginTag(bits: 0)

    init(bits: UInt64) { self.bits = bits }

    fileprivate init(name: String) {
        self = name.isEmpty ? .none : OriginTag(bits: max(1, Self.hash(name)))
    }

    private static func hash(_ name: String) -> UInt64 {
        name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}

// A file has a home: the upstream with which it began. In its rows the origin of a record is the
// tag less that of home, so records of home look as in a file of version 10, which knew no origins.

extension OriginTag {
    /// The number of the origin in a file with this home, 0 for home itself; and of such a number
    /// the tag.
    func relative(to home: OriginTag) -> OriginTag { OriginTag(bits: bits ^ home.bits) }

    /// The bits as SQLite has them.
    var number: Int64 { Int64(bitPattern: bits) }

    init(number: Int64) { self.init(bits: UInt64(bitPattern: number)) }
}

extension Int64 {
    /// The index of a key whose origin becomes relative to `home`, or is so no more
    /// (`RecordKey.index`).
    func relative(to home: OriginTag) -> Int64 { self ^ home.number }
}

/// The records of one origin in a file.
public struct OriginRows: Sendable, Equatable {
    /// See `Origin.name`.
    public let name: String
    public let entries: Int

    /// The line of the log about them while another origin is upstream.
    public func words(beside present: Origin) -> String {
        "\(entries) stored \(entries == 1 ? "answer is" : "answers are") of another upstream, \(name.isEmpty ? "unknown" : name): none of them is "
            + "served while upstream is \(present.name)"
    }
}
