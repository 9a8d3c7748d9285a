import EventLoop
import Glibc
import Proxy
import Synchronization

/// Looks whether the certificates in use are still those of their files, and has the log say where
/// not. For the configuration in effect of this process, from its start; any thread.
///
/// How far it reaches: files of `LoadCredential=` are copies, which never change while the service
/// runs. `refrain check` compares their sources.
final class CertificateWatch: Sendable {
    /// Changes when a file is written, or another takes its name.
    private struct Stamp: Equatable {
        private let status: [Int]

        init?(_ path: String) {
            var found = stat()
            guard stat(path, &found) == 0 else { return nil }
            status = [
                Int(bitPattern: UInt(found.st_dev)), Int(bitPattern: UInt(found.st_ino)), Int(found.st_size),
                found.st_mtim.tv_sec, found.st_mtim.tv_nsec, found.st_ctim.tv_sec, found.st_ctim.tv_nsec,
            ]
            // Two seconds are the coarsest time stamp of a file system, that of FAT.
            isSettled = found.st_ctim.tv_sec + 2 < time(nil)
        }

        /// Whether a later change changes the stamp: one within a tick of the clock may not.
        let isSettled: Bool
    }

    private struct State {
        var renewals = CertificateRenewals()
        /// Stamps of each file and its key at the last look.
        var stamps: [[Stamp?]?] = []
        /// How often other files, or the same anew, were taken into use.
        var generation = 0
    }

    private let state = Mutex(State())
    private let log: OperationalLog

    init(_ log: OperationalLog) {
        self.log = log
    }

    /// The files, and whether each has changed since it was loaded.
    var files: [(file: CertificateFile, isOutdated: Bool)] { state.withLock { $0.renewals.files } }

    /// Takes the files in use from now on.
    func use(_ files: [CertificateFile]) {
        let lines = state.withLock { state in
            state.stamps = files.map { _ in nil }
            state.generation += 1
            return state.renewals.use(files)
        }
        for line in lines { log(line.level, line.text) }
    }

    /// Reads the files that were written since the last look.
    func look() {
        let (files, stamps, generation) = state.withLock { ($0.renewals.files.map(\.file), $0.stamps, $0.generation) }
        for (index, file) in files.enumerated() {
            // Before the file is read: a later change is seen at the next look.
            let stamp = [Stamp(file.path), file.keyFile.flatMap { Stamp($0) }]
            guard stamps[index] != stamp else { continue }
            let content = file.content
            let line = state.withLock { state -> CertificateRenewals.Line? in
                // A reload may have read a newer one meanwhile.
                guard state.generation == generation else { return nil }
                state.stamps[index] = stamp.allSatisfy { $0?.isSettled ?? true } ? stamp : nil
                return state.renewals.note(content, of: file)
            }
            if let line { log(line.level, line.text) }
        }
    }
}

extension CertificateFile {
    /// The content of the file now.
    fileprivate var content: CertificateRenewals.Content {
        do throws(TLSError) {
            let found = try CertificateFingerprint(ofFile: path)
            return .certificates(found, objection: found == loaded ? nil : objection)
        } catch {
            return .unusable(error.description)
        }
    }

    /// Why a reload could not load it now; nil where it could.
    private var objection: String? {
        guard let keyFile else { return nil }
        do throws(TLSError) {
            try ServerTLS.check(certificateFile: path, keyFile: keyFile)
            return nil
        } catch {
            return error.description
        }
    }
}

extension Configuration {
    /// Files that a reload reads, with the certificates that `settings` were made with.
    func certificateFiles(of settings: ProxySettings) -> [CertificateFile] {
        var files: [CertificateFile] = []
        if let path = tlsCertificateFile, let tls = settings.tls {
            files.append(
                CertificateFile(
                    directive: "tls_certificate", path: path, loaded: tls.fingerprint, keyFile: tlsCertificateKeyFile))
        }
        if let path = upstreamCAFile, let loaded = settings.upstreamTLS?.fingerprint {
            files.append(CertificateFile(directive: "upstream_ca_file", path: path, loaded: loaded))
        }
        return files
    }
}
