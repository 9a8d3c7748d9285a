import AppleMusic
import Cache
import EventLoop
import Glibc
import Proxy
import Recording
import Store

// The only place where commands and the configuration touch files; tests put values in its stead.

/// Why a file could not be had, in words for the operator.
struct FileProblem: Error, Equatable, Sendable, CustomStringConvertible {
    var description: String { message }
    let message: String
    /// The error of a call (`errno`); nil where none has failed.
    let code: CInt?

    init(_ message: String) {
        (self.message, code) = (message, nil)
    }

    init(code: CInt) {
        (message, self.code) = (String(cString: strerror(code)), code)
    }

    /// The error of the last call.
    static func lastError() -> FileProblem { FileProblem(code: errno) }

    /// There is no such file.
    static let absent = FileProblem(code: ENOENT)
}

struct FileAccess: Sendable {
    /// The content of a configuration file.
    var read: @Sendable (_ path: String) throws(FileProblem) -> [UInt8]
    /// The content of a configuration file that the program has found by itself; refused where
    /// another user could have written it. Nil: `read` serves.
    var readFound: (@Sendable (_ path: String) throws(FileProblem) -> [UInt8])?
    /// The words for a file that another user could have written; nil for others, and for none.
    var distrust: @Sendable (_ path: String) -> String? = { _ in nil }
    /// The token in `admin_token_file`, read as the server reads it.
    var token: @Sendable (_ path: String) throws(FileProblem) -> [UInt8] = none
    /// The result of a replay, which may be larger than a configuration.
    var readResult: @Sendable (_ path: String) throws(FileProblem) -> [UInt8] = none
    /// Nil where the file can be opened for reading.
    var problem: @Sendable (_ path: String) -> String?
    /// Nil where the file is there, kept from others, and has the content of its kind.
    var secretProblem: @Sendable (_ path: String, _ kind: SecretKind) -> String?
    /// A number that changes with the content of a secret file; nil where it cannot be read. Means
    /// nothing to another process.
    var secretSum: @Sendable (_ path: String) -> Int? = { _ in nil }
    /// Nil where clients can be served with this certificate and its key.
    var certificateProblem: @Sendable (_ path: String, _ key: String) -> String? = { _, _ in nil }
    /// Nil where these are certificates that servers can be trusted by; a nil path is for the
    /// machine's own.
    var anchorsProblem: @Sendable (_ path: String?) -> String? = { _ in nil }
    /// The first fault of the certificates in a file that clients are shown; nil for none.
    var chainFault: @Sendable (_ path: String) -> String? = { _ in nil }
    /// Nil where a host name has an address now.
    var nameProblem: @Sendable (_ host: String) -> String? = { _ in nil }
    /// Nil where a socket could listen there now.
    var listenProblem: @Sendable (SocketAddress) -> SystemError? = { _ in nil }
    /// Nil where the name is free for a Unix socket, or has a socket that may be replaced.
    var socketProblem: @Sendable (_ path: String) -> String? = { _ in nil }
    /// Nil where an access log could be written there.
    var logProblem: @Sendable (_ path: String) -> String? = { _ in nil }
    /// Nil where the answers in a cache file could be used, or one could be made.
    var cacheForecast: @Sendable (_ path: String) -> String? = { _ in nil }
    /// Sentences about the answers of other origins than this one in the cache file.
    var cacheOthers: @Sendable (_ path: String, _ origin: Origin) -> [String] = { _, _ in [] }
    /// Nil where this can be a cache file, be there one or not.
    var cacheProblem: @Sendable (_ path: String) -> String? = { _ in nil }
    /// The process that uses a cache file now; nil for none.
    var cacheHolder: @Sendable (_ path: String) -> Int? = { _ in nil }
    /// The words for a file that a proxy run by this user would refuse, though one run by the
    /// owner of the file's folder would not. Nil for others.
    var othersFile: @Sendable (_ path: String, FileUse) -> String? = { _, _ in nil }
    /// Nil where a recording could begin.
    var recordingProblem: @Sendable (RecordingSettings) -> String? = { _ in nil }
    /// The folder of the files of `LoadCredential=`, if systemd has started this.
    var credentialsDirectory: String?
    /// The folder of the credentials of the service that comes with the program; nil for a user
    /// who may not read their sources.
    var serviceCredentials: String?
    /// The folders with the credentials of all services.
    var credentialRoots = NextCredentials.Roots()
    /// Whether a file that this process does not find is missing for systemd too. Not so in the
    /// sandbox of a service, whose user is not root.
    var seesAllFiles = geteuid() == 0
    /// The folder of `serviceCredentials` if that service has any and is stopped; for `check`.
    var stoppedCredentials: @Sendable () -> String? = { nil }
    /// The text of a unit of systemd, with its drop-ins.
    var unitText: NextCredentials.Ask = { _ in .failure(.absent) }
    /// The time for an answer of the running proxy to `check`: one that is busy for longer is left
    /// out, and an operator waits no more than that.
    var statsPatience: Duration = .seconds(2)
    /// The time to reach the running proxy, and for its answers to commands that set no other.
    var adminTimeout = FileAccess.standardAdminTimeout
    /// A path to the content that a file will have at the next start.
    var placeAtNextStart: @Sendable (_ path: String) -> String = { $0 }
    /// Words about a credential whose source has changed; nil for other files.
    var credentialWarning: @Sendable (_ path: String) -> String? = { _ in nil }
    /// Words about a credential whose source cannot be looked at; nil for other files.
    var credentialNote: @Sendable (_ path: String) -> String? = { _ in nil }
    /// Puts a file that all users may read there, with the directories that it needs.
    var write: @Sendable (_ path: String, _ bytes: [UInt8]) throws(FileProblem) -> Void = readOnly
    /// Nil where `save` could put a file.
    var saveProblem: @Sendable (_ path: String) -> String? = { _ in nil }
    /// Puts a file there that is the user's own, with the mode that the umask leaves; the directory
    /// is there.
    var save: @Sendable (_ path: String, _ bytes: [UInt8]) throws(FileProblem) -> Void = readOnly

    static let system = FileAccess(
        read: { path throws(FileProblem) in try contents(of: opened(path), atMost: longestConfiguration) },
        readFound: { path throws(FileProblem) in
            try contents(of: opened(path, O_RDONLY, for: .believed), atMost: longestConfiguration)
        },
        distrust: { path in
            let refusal = failure { () throws(FileRefusal) in _ = try FilePlace.find(path, for: .believed) }
            return refusal.flatMap { $0.errno == nil ? $0.description : nil }
        },
        token: { path throws(FileProblem) in try token(in: path) },
        readResult: { path throws(FileProblem) in try contents(of: opened(path), atMost: 64 << 20) },
        problem: { path in
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else { return FileProblem.lastError().message }
            close(descriptor)
            return nil
        },
        secretProblem: { path, kind in
            failure { try kind.check(path) }.map { error in
                (error as? SecretFileError).map { words(of: $0, path) } ?? "\(error)"
            }
        },
        secretSum: { path in
            var hasher = Hasher()
            guard let content = try? SecretFile.read(path, sizes: SecretFile.listSizes) else { return nil }
            content.withUnsafeBytes { hasher.combine(bytes: $0) }
            return hasher.finalize()
        },
        certificateProblem: { path, key in
            failure { try ServerTLS.check(certificateFile: path, keyFile: key) }.map { "\($0)" }
        },
        anchorsProblem: { path in
            failure { _ = try ClientTLS(trustAnchors: path.map { .file($0) } ?? .system) }.map { "\($0)" }
        },
        chainFault: { path in CertificateChain.fault(in: path) },
        nameProblem: { host in Resolver.problem(with: host, within: namePatience) },
        listenProblem: { address in failure { () throws(SystemError) in try Listener.rehearse(address) } },
        socketProblem: { path in FilePlace.objection(to: path, for: .appended, .ofItsProxy)?.description },
        logProblem: { path in AccessLogSink.problem(path, .ofItsProxy).map { "\($0)" } },
        cacheForecast: { path in StoreForecast.trouble(path) },
        cacheOthers: { path, origin in
            StoreForecast.others(path, than: origin).map { $0.words(beside: origin) }
        },
        cacheProblem: { path in
            var status = stat()
            if let objection = StoreForecast.distrust(path, .ofItsProxy) { return objection.description }
            guard lstat(path, &status) == 0 else { return nil }
            guard status.st_mode & S_IFMT != S_IFLNK else {
                return "a symbolic link, which is not followed here; name its target"
            }
            return StoreForecast.objection(path)
        },
        cacheHolder: { path in StoreLock.holder(of: path) },
        othersFile: { path, use in
            guard FileTrust.ofThisProcess != .ofItsProxy else { return nil }
            switch use {
            case .believed: return StoreForecast.distrust(path)?.description
            case .appended, .written:
                let refusal = failure { () throws(FileRefusal) in _ = try FilePlace.find(path, for: use) }
                return refusal.flatMap { $0.errno == nil ? $0.description : nil }
            }
        },
        recordingProblem: { settings in
            failure { () throws(RecordingError) in try RecordingWriter.check(settings, .ofItsProxy) }?.description
        },
        credentialsDirectory: PrivateFile.credentialsDirectory,
        serviceCredentials: geteuid() == 0 ? PrivateFile.serviceCredentials : nil,
        unitText: { unit in
            Result { () throws(FileProblem) in try SystemProgram.output(of: unit.command) }
        },
        write: { path, bytes throws(FileProblem) in try install(bytes, at: path) },
        saveProblem: { path in
            if let refusal = failure({ () throws(FileRefusal) in _ = try FilePlace.find(path, for: .written) }),
                refusal.errno == nil
            {
                return refusal.description
            }
            let isThere = access(path, F_OK) == 0
            return access(isThere ? path : FilePath.folder(of: path), W_OK) == 0 ? nil : FileProblem.lastError().message
        },
        save: { path, bytes throws(FileProblem) in
            try put(bytes, at: path, mode: 0o666)
        })

    private static let longestConfiguration = 1 << 20
    /// The time for name servers. A good one answers within a second; glibc waits five for each
    /// that is silent, and an operator would take `check` for hung.
    private static let namePatience: Duration = .seconds(3)
    static let standardAdminTimeout: Duration = .seconds(5)

    /// The caller shows the path, shortened: it may be a secret that was put there by mistake.
    private static func words(of error: SecretFileError, _ path: String) -> String {
        String(error.description.dropFirst(path.count + 2))
    }

    private static func token(in path: String) throws(FileProblem) -> [UInt8] {
        do throws(SecretFileError) {
            let token = try SecretFile.readAdminToken(path)
            return token.withUnsafeBytes { Array($0) }
        } catch {
            throw error.errno.map { FileProblem(code: $0) } ?? FileProblem(words(of: error, path))
        }
    }

    private static func failure<Failure>(_ trial: () throws(Failure) -> Void) -> Failure? {
        do throws(Failure) {
            try trial()
            return nil
        } catch {
            return error
        }
    }

    /// A larger file is a mistake in the path.
    private static func contents(of file: Descriptor, atMost limit: Int) throws(FileProblem) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while bytes.count <= limit {
            let count = Glibc.read(file.number, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .lastError() }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
        throw FileProblem("larger than \(limit) bytes")
    }

    private static func opened(_ path: String) throws(FileProblem) -> Descriptor {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .lastError() }
        return Descriptor(owning: descriptor)
    }

    private static func opened(
        _ path: String, _ flags: CInt, mode: mode_t = 0, for use: FileUse
    ) throws(FileProblem) -> Descriptor {
        do throws(FileRefusal) {
            return try FilePlace.open(path, flags, mode: mode, for: use)
        } catch {
            throw error.errno.map { FileProblem(code: $0) } ?? FileProblem(error.description)
        }
    }

    @Sendable private static func none(_ path: String) throws(FileProblem) -> [UInt8] { throw .absent }

    @Sendable private static func readOnly(_ path: String, _ bytes: [UInt8]) throws(FileProblem) {
        throw FileProblem(code: EROFS)
    }

    /// The modes are those of installed files, whatever the umask, as with install(1).
    private static func install(_ bytes: [UInt8], at path: String) throws(FileProblem) {
        for end in path.indices where path[end] == "/" && end != path.startIndex {
            let parent = String(path[..<end])
            if mkdir(parent, 0o755) == 0 { chmod(parent, 0o755) }
        }
        let file = try opened(path, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o644, for: .written)
        fchmod(file.number, 0o644)
        try writeAll(bytes, to: file.number)
    }

    /// Writes a whole file, unless another user has laid one there, or a link.
    static func put(_ bytes: [UInt8], at path: String, mode: mode_t) throws(FileProblem) {
        let file = try opened(path, O_WRONLY | O_CREAT | O_TRUNC, mode: mode, for: .written)
        try writeAll(bytes, to: file.number)
    }

    static func writeAll(_ bytes: [UInt8], to descriptor: CInt) throws(FileProblem) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .lastError() }
            rest = rest.dropFirst(count)
        }
    }
}

extension FileAccess {
    /// Whether both paths lead to one file, by links or by other spellings.
    static func isSame(_ path: String, _ other: String) -> Bool {
        var (one, two) = (stat(), stat())
        return stat(path, &one) == 0 && stat(other, &two) == 0 && one.st_dev == two.st_dev && one.st_ino == two.st_ino
    }
}
