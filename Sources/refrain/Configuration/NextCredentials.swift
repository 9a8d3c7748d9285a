import AppleMusic
import CLinux
import EventLoop
import Glibc
import Synchronization

/// The credentials that the next start of a systemd service will have, for `check`.
///
/// A running service has copies that systemd made at its start. A change in their sources showed at
/// the next start alone, which then failed. So each source is read as systemd will read it,
/// whatever its mode, and judged in the place of the copy. The unit is asked once, and only if the
/// configuration names a credential.
final class NextCredentials: Sendable {
    /// How a credential is to be looked at.
    private enum Look: Sendable {
        /// As the file that is named.
        case asNamed(note: String?)
        /// As this content, which has been read from the source.
        case copied(Copy)
        /// The next start will fail with it.
        case unusable(String)
    }

    /// The content of a source in memory. A path leads there that other users cannot use.
    private final class Copy: Sendable {
        let source: String
        let hasChanged: Bool
        private let file: Descriptor

        var path: String { "/proc/self/fd/\(file.number)" }

        /// Nil where the system has no memory or descriptor left for it.
        init?(_ content: SecretBytes, of source: String, hasChanged: Bool) {
            let number = content.withUnsafeBytes { clinux_sealed_file($0.baseAddress, $0.count) }
            guard number >= 0 else { return nil }
            (self.source, self.hasChanged, file) = (source, hasChanged, Descriptor(owning: number))
            fchmod(number, 0o400)
        }
    }

    /// The folder of the running service's copies.
    private let directory: String
    private let unit: String
    private let ask: @Sendable (_ unit: String) -> Result<String, FileProblem>

    private struct State: Sendable {
        var unit: Result<UnitCredentials, FileProblem>?
        var looks: [String: Look] = [:]
    }

    private let state = Mutex(State())

    /// Nil where the folder is not that of a service, such as `/run/credentials/refrain.service`.
    init?(directory: String, ask: @escaping @Sendable (_ unit: String) -> Result<String, FileProblem>) {
        let parts = directory.split(separator: "/")
        guard parts.count > 1, parts[parts.count - 2] == "credentials", let unit = parts.last,
            unit.hasSuffix(".service")
        else { return nil }
        (self.directory, self.unit, self.ask) = ("/" + parts.joined(separator: "/"), String(unit), ask)
    }

    /// Whether the unit is known and has credentials.
    var areKnown: Bool {
        if case .success(let credentials) = unitCredentials { !credentials.isEmpty } else { false }
    }

    private var unitCredentials: Result<UnitCredentials, FileProblem> {
        state.withLock { state in
            if let known = state.unit { return known }
            let found = ask(unit).map { UnitCredentials(unit: unit, text: $0) }
            state.unit = found
            return found
        }
    }

    // MARK: Looks

    /// The result of `body` for a file, or for the content of its source if it is a credential.
    func problem(with path: String, _ body: (String) -> String?) -> String? {
        switch look(at: path) {
        case .asNamed: body(path)
        case .unusable(let words): words
        case .copied(let copy):
            body(copy.path).map { Self.words(copy.source, $0.replacing(copy.path, with: copy.source)) }
        }
    }

    /// A path to the content that the next start will have.
    func place(of path: String) -> String {
        if case .copied(let copy) = look(at: path) { copy.path } else { path }
    }

    /// Says that the running service has an older copy; nil for other files.
    func warning(about path: String) -> String? {
        guard case .copied(let copy) = look(at: path), copy.hasChanged else { return nil }
        return "\(name(of: path) ?? path) is the running service's copy; its source \(copy.source) has changed since, "
            + "and the next start takes that"
    }

    /// Says that a source was not looked at; nil for other files.
    func note(about path: String) -> String? {
        if case .asNamed(let note) = look(at: path) { note } else { nil }
    }

    private static func words(_ source: String, _ problem: String) -> String {
        "the next start copies \(source): \(problem)"
    }

    /// The name of the credential at a path; nil for other files.
    private func name(of path: String) -> String? {
        let rest = path.hasPrefix(directory + "/") ? path.dropFirst(directory.utf8.count + 1) : ""
        return rest.isEmpty || rest.contains("/") ? nil : String(rest)
    }

    private func look(at path: String) -> Look {
        guard let name = name(of: path) else { return .asNamed(note: nil) }
        let credentials = unitCredentials
        return state.withLock { state in
            if let known = state.looks[path] { return known }
            let look = makeLook(at: path, name, credentials)
            state.looks[path] = look
            return look
        }
    }

    private func makeLook(at path: String, _ name: String, _ credentials: Result<UnitCredentials, FileProblem>) -> Look
    {
        switch credentials.map({ $0.source(of: name) }) {
        case .failure(let problem):
            return .asNamed(
                note: "\(unit): its LoadCredential= lines are not known (systemctl cat: \(problem)); the copies in "
                    + "\(directory) were checked")
        case .success(nil):
            return .unusable("\(unit) has no LoadCredential=\(name):FILE, so the next start lacks it")
        case .success(.other): return .asNamed(note: nil)
        case .success(.file(let source)): return read(source, of: name, copiedTo: path)
        }
    }

    private func read(_ source: String, of name: String, copiedTo path: String) -> Look {
        let content: SecretBytes
        do throws(SecretFileError) {
            content = try SecretFile.readSource(source)
        } catch {
            guard [EACCES, EPERM].contains(error.errno) || error.isNoRegularFile else {
                return .unusable(Self.words(source, error.explanation))
            }
            return .asNamed(
                note: "\(name): this user cannot look at its source \(source) (\(error.explanation)); the running "
                    + "service's copy was checked")
        }
        let earlier = try? SecretFile.readSource(path)
        let hasChanged = earlier.map { !$0.withUnsafeBytes(content.isEqual(to:)) } ?? false
        return Copy(content, of: source, hasChanged: hasChanged).map { .copied($0) } ?? .asNamed(note: nil)
    }
}

extension FileAccess {
    /// With the credentials of the next start in place of the running service's copies.
    var ofNextStart: FileAccess {
        guard let folder = credentialsDirectory ?? serviceCredentials,
            let next = NextCredentials(directory: folder, ask: unitText)
        else { return self }
        let base = self
        var files = self
        files.problem = { path in next.problem(with: path, base.problem) }
        files.secretProblem = { path, kind in next.problem(with: path) { base.secretProblem($0, kind) } }
        files.certificateProblem = { path, key in
            next.problem(with: path) { certificate in
                next.problem(with: key) { base.certificateProblem(certificate, $0) }
            }
        }
        files.anchorsProblem = { path in
            guard let path else { return base.anchorsProblem(nil) }
            return next.problem(with: path, base.anchorsProblem)
        }
        files.chainFault = { path in next.problem(with: path, base.chainFault) }
        files.placeAtNextStart = { path in next.place(of: path) }
        files.credentialWarning = { path in next.warning(about: path) }
        files.credentialNote = { path in next.note(about: path) }
        // A stopped service has no copies.
        if credentialsDirectory == nil { files.stoppedCredentials = { next.areKnown ? folder : nil } }
        return files
    }
}
