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
    /// The unit of a service, and whose manager knows it.
    struct Unit: Equatable, Sendable {
        let name: String
        /// Whether it is of the user's own manager (`systemctl --user`).
        let isOfUser: Bool

        /// The command that prints the unit.
        var command: [String] { ["systemctl"] + (isOfUser ? ["--user"] : []) + ["cat", name] }
    }

    /// The folders in which service managers make folders of credentials.
    struct Roots: Sendable {
        /// The folder of the system's manager.
        var system = "/run/credentials"
        /// The folder of the manager of this process's user.
        var user = "/run/user/\(geteuid())/credentials"
    }

    typealias Ask = @Sendable (_ unit: Unit) -> Result<String, FileProblem>

    /// The content that a credential is judged by.
    private enum Inspection: Sendable {
        /// The content of the file that is named.
        case asNamed(note: String?)
        /// The content of the source.
        case copied(Copy)
        /// None: the source cannot be looked at, and there is no copy of it.
        case unknown(note: String)
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
    private let unit: Unit
    /// Whether a source that this process does not find is missing for systemd too.
    private let seesAllFiles: Bool
    private let ask: Ask

    private struct State: Sendable {
        var unit: Result<UnitCredentials, FileProblem>?
        var inspections: [String: Inspection] = [:]
    }

    private let state = Mutex(State())

    /// Nil where the folder is not that of a service, such as `/run/credentials/refrain.service`.
    init?(directory: String, in roots: Roots = Roots(), seesAllFiles: Bool, ask: @escaping Ask) {
        let parts = directory.split(separator: "/")
        let root = "/" + parts.dropLast().joined(separator: "/")
        guard let name = parts.last, name.hasSuffix(".service"), root == roots.system || root == roots.user else {
            return nil
        }
        unit = Unit(name: String(name), isOfUser: root != roots.system)
        (self.directory, self.seesAllFiles, self.ask) = ("\(root)/\(name)", seesAllFiles, ask)
    }

    /// Whether the unit is known and has credentials.
    var areKnown: Bool {
        if case .success(let credentials) = unitCredentials { !credentials.isEmpty } else { false }
    }

    private var unitCredentials: Result<UnitCredentials, FileProblem> {
        state.withLock { state in
            if let known = state.unit { return known }
            let found = ask(unit).map { UnitCredentials(unit: unit.name, text: $0) }
            state.unit = found
            return found
        }
    }
}

// MARK: - Judging

extension NextCredentials {
    /// The result of `body` for a file, or for the content of its source if it is a credential.
    func problem(with path: String, _ body: (String) -> String?) -> String? {
        problem(with: [path]) { body($0[0]) }
    }

    /// The result of `body` for files that belong together, each in the place of its next content.
    func problem(with paths: [String], _ body: ([String]) -> String?) -> String? {
        var copies: [Copy] = []
        var (places, areAllKnown) = (paths, true)
        for (index, path) in paths.enumerated() {
            switch inspection(of: path) {
            case .asNamed: break
            case .copied(let copy):
                places[index] = copy.path
                copies.append(copy)
            case .unknown: areAllKnown = false
            case .unusable(let words): return words
            }
        }
        guard areAllKnown, var problem = body(places) else { return nil }
        for copy in copies { problem.replace(copy.path, with: copy.source) }
        return copies.isEmpty ? problem : Self.words(copies.map(\.source), problem)
    }

    /// A path to the content that the next start will have.
    func place(of path: String) -> String {
        if case .copied(let copy) = inspection(of: path) { copy.path } else { path }
    }

    /// Says that the running service has an older copy; nil for other files.
    func warning(about path: String) -> String? {
        guard case .copied(let copy) = inspection(of: path), copy.hasChanged else { return nil }
        return "\(name(of: path) ?? path) is the running service's copy; its source \(copy.source) has changed since, "
            + "and the next start takes that"
    }

    /// Says that a source was not looked at; nil for other files.
    func note(about path: String) -> String? {
        switch inspection(of: path) {
        case .asNamed(let note): note
        case .unknown(let note): note
        case .copied, .unusable: nil
        }
    }

    private static func words(_ sources: [String], _ problem: String) -> String {
        "the next start copies \(sources.joined(separator: " and ")): \(problem)"
    }
}

// MARK: - Inspecting

extension NextCredentials {
    /// The name of the credential at a path; nil for other files.
    private func name(of path: String) -> String? {
        let rest = path.hasPrefix(directory + "/") ? path.dropFirst(directory.utf8.count + 1) : ""
        return rest.isEmpty || rest.contains("/") ? nil : String(rest)
    }

    private func inspection(of path: String) -> Inspection {
        guard let name = name(of: path) else { return .asNamed(note: nil) }
        let credentials = unitCredentials
        return state.withLock { state in
            if let known = state.inspections[path] { return known }
            let inspection = inspect(path, name, credentials)
            state.inspections[path] = inspection
            return inspection
        }
    }

    private func inspect(
        _ path: String, _ name: String, _ credentials: Result<UnitCredentials, FileProblem>
    ) -> Inspection {
        switch credentials.map({ $0.source(of: name) }) {
        case .failure(let problem):
            let command = unit.command.dropLast().joined(separator: " ")
            return .asNamed(
                note: "\(unit.name): its LoadCredential= lines are not known (\(command): \(problem)); the copies in "
                    + "\(directory) were checked")
        case .success(nil):
            return .unusable("\(unit.name) has no LoadCredential=\(name):FILE, so the next start lacks it")
        case .success(.other(let directive)):
            return unjudged(path, "\(name): its source was not judged (\(directive)); ")
        case .success(.file(let source)): return read(source, of: name, copiedTo: path)
        }
    }

    private func read(_ source: String, of name: String, copiedTo path: String) -> Inspection {
        guard !isFolder(source) else {
            return .unusable(
                "\(source) is a folder: systemd loads its files as \(name)_FILE, so the next start lacks \(name)")
        }
        let content: SecretBytes
        do throws(SecretFileError) {
            content = try SecretFile.readSource(source)
        } catch {
            guard isBeyondThisProcess(error, copy: path) else {
                return .unusable(Self.words([source], error.explanation))
            }
            return unjudged(path, "\(name): this user cannot look at its source \(source) (\(error.explanation)); ")
        }
        let earlier = try? SecretFile.readSource(path)
        let hasChanged = earlier.map { !$0.withUnsafeBytes(content.isEqual(to:)) } ?? false
        return Copy(content, of: source, hasChanged: hasChanged).map { .copied($0) } ?? .asNamed(note: nil)
    }

    private func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The copy is all there is to judge, if the source says nothing of the next start.
    private func unjudged(_ path: String, _ beginning: String) -> Inspection {
        hasCopy(path)
            ? .asNamed(note: beginning + "the running service's copy was checked")
            : .unknown(note: beginning + "it was not checked")
    }

    /// Whether systemd may read a source that this process cannot: a file or a folder that is kept
    /// from the user, one that the sandbox of a service hides, or a socket (`ENXIO`), which systemd
    /// connects to.
    private func isBeyondThisProcess(_ error: SecretFileError, copy path: String) -> Bool {
        switch error.errno {
        case EACCES, EPERM, ENXIO: true
        case ENOENT: !seesAllFiles && hasCopy(path)
        default: error.isNoRegularFile
        }
    }

    /// Whether the running service has a copy, be it readable or not.
    private func hasCopy(_ path: String) -> Bool { access(path, F_OK) == 0 || errno != ENOENT }
}

extension FileAccess {
    /// The files of the next start: its credentials in place of the running service's copies.
    var ofNextStart: FileAccess {
        guard let folder = credentialsDirectory ?? serviceCredentials,
            let next = NextCredentials(
                directory: folder, in: credentialRoots, seesAllFiles: seesAllFiles, ask: unitText)
        else { return self }
        let base = self
        var files = self
        files.problem = { path in next.problem(with: path, base.problem) }
        files.secretProblem = { path, kind in next.problem(with: path) { base.secretProblem($0, kind) } }
        files.certificateProblem = { path, key in
            next.problem(with: [path, key]) { base.certificateProblem($0[0], $0[1]) }
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
