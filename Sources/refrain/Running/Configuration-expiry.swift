import EventLoop
import Text

// Warnings of what ends by itself: certificates and ready tokens. `serve` logs them at the start
// and at a reload, `check` shows them.

/// The time in which something is valid, in Unix seconds.
struct ValidTime {
    var begins: Int64?
    let ends: Int64

    /// Whether it ends so soon that its renewal is late: within ten days, or a quarter of its life
    /// where that is less.
    func endsSoon(at unixSeconds: Int64) -> Bool {
        let quarter = begins.map { max(0, ends &- $0) / 4 } ?? .max
        return ends &- unixSeconds < min(10 * 86_400, quarter)
    }
}

extension Configuration {
    /// Certificates that clients or this proxy will refuse, now or soon.
    func certificateWarnings(at unixSeconds: Int64) -> [String] {
        var words: [String] = []
        if let path = tlsCertificateFile, listeners.contains(where: \.isTLS) {
            let chain = CertificateValidity.all(in: path)
            if let begins = chain.map(\.begins).max(), let ends = chain.map(\.ends).min() {
                let warning = ValidTime(begins: begins, ends: ends).warning(at: unixSeconds, "clients refuse it")
                words += warning.map { ["tls_certificate: \(path) \($0)"] } ?? []
            }
        }
        return words + authorityWarnings(at: unixSeconds)
    }

    /// One authority that is valid may be enough.
    private func authorityWarnings(at unixSeconds: Int64) -> [String] {
        let files = [("upstream_ca_file", upstreamCAFile), ("shared_tier_ca_file", sharedTierCAFile)]
        return files.flatMap { name, path -> [String] in
            let all = path.map { CertificateValidity.all(in: $0) } ?? []
            guard let path, let last = all.max(by: { $0.ends < $1.ends }) else { return [] }
            let time = ValidTime(begins: last.begins, ends: last.ends)
            let warning = time.warning(at: unixSeconds, "no server can be trusted by it")
            return warning.map { ["\(name): \(path) \($0)"] } ?? []
        }
    }
}

extension ValidTime {
    /// - Parameter consequence: follows from its end.
    func warning(at unixSeconds: Int64, _ consequence: String) -> String? {
        func span(_ seconds: Int64) -> String { SpanOfTime.text(Int(clamping: seconds)) }
        if let begins, begins > unixSeconds {
            return "is not valid before \(span(begins &- unixSeconds)) from now; is the clock of this machine right?"
        }
        if ends < unixSeconds { return "expired \(span(unixSeconds &- ends)) ago; \(consequence)" }
        return endsSoon(at: unixSeconds) ? "expires in \(span(ends &- unixSeconds)); renew it, then reload" : nil
    }
}
