import HTTP

/// The request fields that pages may send: those known here, and the operator's (`cors_headers`).
///
/// Prepared once, because a preflight is answered before its sender is known.
public struct PageFields: Sendable {
    private static let known = [
        "Authorization", "Music-User-Token", "Media-User-Token", "Content-Type", "X-Refrain-Key", "Cache-Control",
        "If-Modified-Since", "If-None-Match", "Range", "traceparent", "tracestate",
    ]

    /// The value of `Access-Control-Allow-Headers`.
    let text: [UInt8]
    /// Whether `*` is among them.
    private let includesAll: Bool
    /// Names in lower case, by their length.
    private let names: [[[UInt8]]]
    /// The number of names. A browser lists each field once, so a longer list has another one in it
    /// (Fetch standard, 4.8).
    private let count: Int

    /// - Parameter more: names besides those known here; `*` is any name.
    public init(_ more: [String]) {
        let all = Self.known + more
        text = Array(all.joined(separator: ", ").utf8)
        includesAll = more.contains("*")
        count = all.count
        let longest = all.map(\.utf8.count).max() ?? 0
        names = all.reduce(into: Array(repeating: [], count: longest + 1)) { names, name in
            names[name.utf8.count].append(Array(name.lowercased().utf8))
        }
    }

    /// Whether pages may send every field of the list at `value`. Neither allocates nor reads more
    /// elements than there are names.
    func include(listedAt value: ByteRange, _ bytes: Span<UInt8>) -> Bool {
        if includesAll { return true }
        var elements = ListElements(value)
        var left = count
        while let element = elements.next(in: bytes) {
            guard left > 0, contains(element.range, bytes) else { return false }
            left -= 1
        }
        return true
    }

    private func contains(_ name: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
        guard name.count < names.count else { return false }
        return names[name.count].contains { bytes.equalsIgnoringCase(name, $0.span, 0..<name.count) }
    }
}
