import EventLoop

/// A file whose certificates are in use.
struct CertificateFile: Sendable, Equatable {
    let directive: String
    let path: String
    /// The certificates that were read from it.
    let loaded: CertificateFingerprint
    /// The file of the private key, without which the certificates cannot be used; nil for those
    /// of authorities.
    var keyFile: String?

    /// The use, be the certificates others or not.
    func isSameUse(as other: CertificateFile) -> Bool { directive == other.directive && path == other.path }
}

/// Decides when the log says that the certificates of a file are not those in use. Pure.
///
/// A change is said once, and its end once: when a reload has loaded it, or the file has its former
/// content again.
struct CertificateRenewals {
    /// The content of a file at a look.
    enum Content: Equatable {
        /// - Parameter objection: why they could not be loaded now.
        case certificates(CertificateFingerprint, objection: String? = nil)
        /// The file cannot be read, or has no certificate.
        case unusable(String)
    }

    struct Line: Equatable {
        let level: LogLevel
        let text: String
    }

    private struct Watched {
        let file: CertificateFile
        var seen: Content

        var isOutdated: Bool {
            if case .certificates(file.loaded, _) = seen { false } else { true }
        }
    }

    private var watched: [Watched] = []

    /// The files, and whether each has changed since it was loaded.
    var files: [(file: CertificateFile, isOutdated: Bool)] { watched.map { ($0.file, $0.isOutdated) } }

    /// Takes the files in use from now on, at the start and after a reload.
    mutating func use(_ files: [CertificateFile]) -> [Line] {
        let former = watched
        watched = files.map { Watched(file: $0, seen: .certificates($0.loaded)) }
        return files.compactMap { file in
            guard former.contains(where: { $0.isOutdated && $0.file.isSameUse(as: file) }) else { return nil }
            return Line(level: .notice, text: "\(file.directive): \(file.path): its new certificates are in use")
        }
    }

    /// Takes a look at a file.
    mutating func note(_ content: Content, of file: CertificateFile) -> Line? {
        guard let index = watched.firstIndex(where: { $0.file == file }), watched[index].seen != content else {
            return nil
        }
        watched[index].seen = content
        let name = file.directive
        switch content {
        case .certificates(file.loaded, _):
            return Line(level: .notice, text: "\(name): \(file.path) has the certificates in use again")
        case .certificates(_, let objection):
            let refusal = objection.map { "; as it is, that would be refused: \($0)" } ?? ""
            return Line(
                level: .warn,
                text: "\(name): \(file.path) has changed and is not in use; reload the proxy\(refusal)")
        case .unusable(let why):
            return Line(
                level: .warn,
                text: "\(name): \(why); the former certificates stay in use until a reload or start, which is refused")
        }
    }
}
