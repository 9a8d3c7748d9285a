import Glibc

/// Name of a node among those that share a tier: letters, digits and `-_.`.
enum NodeName {
    static let others = "-_."

    /// The name of a node that was given none: its host's.
    static var ofHost: String {
        // Linux's names have 64 bytes at most.
        var buffer = [CChar](repeating: 0, count: 65)
        guard gethostname(&buffer, buffer.count) == 0 else { return named(after: "") }
        return buffer.withUnsafeBytes { bytes in
            named(after: String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self))
        }
    }

    /// Makes a node's name of a host's by leaving out the letters that it may not have. The
    /// operator did not choose this name, so it must not keep the proxy from starting.
    static func named(after host: String) -> String {
        let allowed = host.utf8.filter { PlainWord.contains($0, with: others) }.prefix(PlainWord.longestName)
        return allowed.isEmpty ? "node" : String(decoding: allowed, as: UTF8.self)
    }
}
