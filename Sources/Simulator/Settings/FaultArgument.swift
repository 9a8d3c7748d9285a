/// Why a text is no argument of `--fault`, in words for the command line.
public struct MalformedFault: Error, Equatable, CustomStringConvertible {
    public let description: String
}

extension SimulatorConfiguration {
    /// Adds a fault that befalls a share of the requests, or a limit on their rate, which takes the
    /// place of an earlier one.
    ///
    /// - Parameter text: `KIND`, `KIND:RATE` with a share from 0 to 1 of at most six decimals, or
    ///   `limit:N/s`.
    public mutating func addFault(_ text: String) throws(MalformedFault) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        let value = parts.count == 2 ? parts[1] : nil
        if name == "limit" {
            guard let value, let limit = Self.limit(value) else {
                throw MalformedFault(description: "\"\(text)\" is not limit:N/s, such as limit:20/s")
            }
            requestsPerSecond = limit
            return
        }
        guard let kind = Fault.Kind(rawValue: name) else {
            let known = Fault.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw MalformedFault(description: "\"\(name)\" is none of \(known), limit")
        }
        guard let perMillion = value.map(Self.perMillion) ?? 1_000_000 else {
            throw MalformedFault(
                description: "\"\(text)\" is not KIND:RATE with a rate from 0 to 1, such as 503:0.1")
        }
        faults.append(Fault(kind, perMillion: perMillion))
    }

    /// `N/s`.
    private static func limit(_ text: Substring) -> Int? {
        let digits = text.dropLast(2)
        guard text.hasSuffix("/s"), areDigits(digits), let limit = Int(digits), limit > 0 else { return nil }
        return limit
    }

    /// A share in whole millionths, read digit by digit so that none is rounded.
    private static func perMillion(_ text: Substring) -> Int? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let decimals = parts.count == 2 ? parts[1] : "0"
        guard areDigits(parts[0]), areDigits(decimals), decimals.utf8.count <= 6, let whole = Int(parts[0]),
            let part = Int(decimals + String(repeating: "0", count: 6 - decimals.utf8.count))
        else { return nil }
        guard whole == 0 || (whole == 1 && part == 0) else { return nil }
        return whole * 1_000_000 + part
    }

    private static func areDigits(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
