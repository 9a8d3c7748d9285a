import Admin
import EventLoop
import Text
import Tier

// Warnings of `check` alone: name servers, clients and the running proxy have a say in them.

extension Configuration {
    /// Warnings about names and certificates. Blocks for some seconds at most.
    func surroundings(_ files: FileAccess) -> [String] {
        upstreamName(files) + certificates(files)
    }

    /// Why no engine of the shared tier can be used, a line for each; none if one can.
    func tierComplaints(_ files: FileAccess) -> [String] {
        var configuration = self
        configuration.sharedTierAuthFile = sharedTierAuthFile.map(files.placeAtNextStart)
        configuration.sharedTierCAFile = sharedTierCAFile.map(files.placeAtNextStart)
        guard let settings = try? configuration.tierSettings() else { return [] }
        return TierProbe.complaints(settings)
    }

    private func upstreamName(_ files: FileAccess) -> [String] {
        guard let problem = files.nameProblem(upstream.host) else { return [] }
        return ["upstream: \(upstream.host): \(problem); requests to it fail until this name has an address"]
    }

    private func certificates(_ files: FileAccess) -> [String] {
        guard let path = tlsCertificateFile, listeners.contains(where: \.isTLS) else { return [] }
        let words = [files.chainFault(path), servedCertificate(besides: path, files)]
        return words.compactMap { $0 }.map { "tls_certificate: \(path): \($0)" }
    }

    /// Whether the running proxy has another certificate than the file. One that does not answer
    /// has nothing to compare.
    private func servedCertificate(besides path: String, _ files: FileAccess) -> String? {
        guard let place = adminListener, place.address.path != nil || place.address.port > 0,
            let end = CertificateValidity.all(in: path).map(\.ends).min(),
            let fingerprint = try? CertificateFingerprint(ofFile: path)
        else { return nil }
        let client = AdminClient(
            server: AdminServer(listening: place), token: adminTokenFile.flatMap { try? files.token($0) },
            timeout: files.adminTimeout)
        guard let body = try? client.ask("/stats", within: files.statsPatience),
            let stats = try? AdminClient.stats(body),
            let served = stats["certificate_expires"]?.intValue.map(Int64.init)
        else { return nil }
        // A proxy of 1.0.0 has no fingerprint to compare.
        let isSame = stats["certificate_sha256"].map { $0 == fingerprint.json } ?? (served == end)
        let span = SpanOfTime.text(Int(clamping: abs(end - served)))
        let difference = served == end ? "at the same time" : span + (served < end ? " earlier" : " later")
        return isSame
            ? nil : "the running proxy serves another certificate, which ends \(difference); reload to serve this one"
    }
}
