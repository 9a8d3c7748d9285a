import AppleMusic
import EventLoop
import Text

/// Something that ends by itself: a certificate, a ready token. Times are Unix seconds.
struct Expiry {
    /// The directive that names it, and the file where there may be several.
    let subject: String
    let begins: Int64?
    let ends: Int64
    /// The effect of its end, for the log.
    let consequence: String
    /// Within as many seconds its renewal is late, however short its life.
    var leastNotice: Int64 = 0

    static let day: Int64 = 86_400

    /// Whether its renewal is late: within ten days, or a quarter of its life where that is less.
    private func endsSoon(at unixSeconds: Int64) -> Bool {
        let quarter = begins.map { max(0, ends &- $0) / 4 } ?? .max
        return ends &- unixSeconds < max(leastNotice, min(10 * Self.day, quarter))
    }

    func warning(at unixSeconds: Int64) -> String? {
        func span(_ seconds: Int64) -> String { SpanOfTime.text(Int(clamping: seconds)) }
        if let begins, begins > unixSeconds {
            return "\(subject) is not valid before \(span(begins &- unixSeconds)) from now; "
                + "check the clock of this machine"
        }
        if ends < unixSeconds { return "\(subject) expired \(span(unixSeconds &- ends)) ago; \(consequence)" }
        guard endsSoon(at: unixSeconds) else { return nil }
        // A reload reads the copy that systemd made at the start.
        return "\(subject) expires in \(span(ends &- unixSeconds)); renew it, then reload, "
            + "or restart where LoadCredential= brings it"
    }
}

extension Expiry {
    /// The end of a ready token; one that names none never ends.
    init(developerToken claims: TokenClaims) {
        self.init(
            subject: "developer_token_file:", begins: claims.issuedAt, ends: claims.expires ?? .max,
            consequence: "the origin refuses it", leastNotice: Self.day)
    }
}

extension Configuration {
    /// Ends of certificates that clients or this proxy will refuse; reads their files.
    var certificateExpiries: [Expiry] { certificateExpiries { $0 } }

    /// Ends of certificates that clients or this proxy will refuse, which name the files of the
    /// configuration.
    /// - Parameter place: where a file of the configuration is read.
    func certificateExpiries(readAt place: (_ path: String) -> String) -> [Expiry] {
        var expiries: [Expiry] = []
        if let path = tlsCertificateFile, listeners.contains(where: \.isTLS) {
            let chain = CertificateValidity.all(in: place(path))
            if let begins = chain.map(\.begins).max(), let ends = chain.map(\.ends).min() {
                expiries.append(
                    Expiry(
                        subject: "tls_certificate: \(path)", begins: begins, ends: ends,
                        consequence: "clients refuse it"))
            }
        }
        return expiries + authorityExpiries(readAt: place)
    }

    /// The latest expiry in each file of authorities: one that is valid may be enough.
    private func authorityExpiries(readAt place: (_ path: String) -> String) -> [Expiry] {
        let files = [("upstream_ca_file", upstreamCAFile), ("shared_tier_ca_file", sharedTierCAFile)]
        return files.compactMap { name, path in
            let all = path.map { CertificateValidity.all(in: place($0)) } ?? []
            guard let path, let last = all.max(by: { $0.ends < $1.ends }) else { return nil }
            return Expiry(
                subject: "\(name): \(path)", begins: last.begins, ends: last.ends,
                consequence: "no server certificate can be verified with it")
        }
    }
}
