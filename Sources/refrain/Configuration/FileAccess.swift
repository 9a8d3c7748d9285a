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
    /// The result of a replay, which may be larger than a configuration.
    var readResult: @Sendable (_ path: String) throws(FileProblem) -> [UInt8] = none
    /// Nil where the file can be opened for reading.
    var problem: @Sendable (_ path: String) -> String?
    /// Nil where the file is there, kept from others, and has the content of its kind.
    var secretProblem: @Sendable (_ path: String, _ kind: Directive.SecretKind) -> String?
    /// A number that changes with the content of a secret file; nil where it cannot be read. Means
    /// nothing to another process.
    var secretSum: @Sendable (_ path: String) -> Int? = { _ in nil }
    /// Nil where clients can be served with this certificate and its key.
    var certificateProblem: @Sendable (_ path: String, _ key: String) -> String? = { _, _ in nil }
    /// Nil where these are certificates that servers can be trusted by; a nil path is for the
    /// machine's own.
    var anchorsProblem: @Sendable (_ path: String?) -> String? = { _ in nil }
    /// Nil where a socket could listen there now.
    var listenProblem: @Sendable (SocketAddress) -> SystemError? = { _ in nil }
    /// Nil where an access log could be written there.
    var logProblem: @Sendable (_ path: String) -> String? = { _ in nil }
    /// Nil where the answers in a cache file could be used, or one could be made.
    var cacheForecast: @Sendable (_ path: String) -> String? = { _ in nil }
    /// Nil where this can be a cache file, be there one or not.
    var cacheProblem: @Sendable (_ path: String) -> String? = { _ in nil }
    /// The process that uses a cache file now; nil for none.
    var cacheHolder: @Sendable (_ path: String) -> Int? = { _ in nil }
    /// Nil where a recording could begin.
    var recordingProblem: @Sendable (RecordingSettings) -> String? = { _ in nil }
    /// Where systemd has put the files of `LoadCredential=`, if it has started this.
    var credentialsDirectory: String?
    /// Puts a file that all users may read there, with the directories that it needs.
    var write: @Sendable (_ path: String, _ bytes: [UInt8]) throws(FileProblem) -> Void = readOnly
    /// Nil where `save` could put a file.
    var saveProblem: @Sendable (_ path: String) -> String? = { _ in nil }
    /// Puts a file there that is the user's own, with the mode that the umask leaves; the directory
    /// is there.
    var save: @Sendable (_ path: String, _ bytes: [UInt8]) throws(FileProblem) -> Void = readOnly

    static let system = FileAccess(
        read: { path throws(FileProblem) in try contents(of: path, atMost: 1 << 20) },
        readResult: { path throws(FileProblem) in try contents(of: path, atMost: 64 << 20) },
        problem: { path in
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else { return FileProblem.lastError().message }
            close(descriptor)
            return nil
        },
        secretProblem: { path, kind in
            failure { try kind.check(path) }.map { error in
                // The caller shows the path, shortened: it may be a secret that was put there by
                // mistake.
                (error as? SecretFileError).map { String($0.description.dropFirst(path.count + 2)) } ?? "\(error)"
            }
        },
        secretSum: { path in
            var hasher = Hasher()
            guard let content = try? SecretFile.read(path, sizes: SecretFile.listSizes) else { return nil }
            content.withUnsafeBytes { hasher.combine(bytes: $0) }
            return hasher.finalize()
        },
        certificateProblem: { path, key in
            failure { _ = try ServerTLS(certificateFile: path, keyFile: key) }.map { "\($0)" }
        },
        anchorsProblem: { path in
            failure { _ = try ClientTLS(trustAnchors: path.map { .file($0) } ?? .system) }.map { "\($0)" }
        },
        listenProblem: { address in failure { () throws(SystemError) in try Listener.rehearse(address) } },
        logProblem: { path in AccessLogSink.problem(path).map { "\($0)" } },
        cacheForecast: { path in StoreForecast.trouble(path) },
        cacheProblem: { path in
            var status = stat()
            guard lstat(path, &status) == 0 else { return nil }
            if status.st_mode & S_IFMT != S_IFLNK { return StoreForecast.objection(path) }
            return "a symbolic link, which is not followed here; name its target"
        },
        cacheHolder: { path in StoreLock.holder(of: path) },
        recordingProblem: { settings in
            failure { () throws(RecordingError) in try RecordingWriter.check(settings) }?.description
        },
        credentialsDirectory: PrivateFile.credentialsDirectory,
        write: { path, bytes throws(FileProblem) in try install(bytes, at: path) },
        saveProblem: { path in
            let isThere = access(path, F_OK) == 0
            return access(isThere ? path : FilePath.folder(of: path), W_OK) == 0 ? nil : FileProblem.lastError().message
        },
        save: { path, bytes throws(FileProblem) in
            try put(bytes, open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666))
        })

    private static func failure<Failure>(_ trial: () throws(Failure) -> Void) -> Failure? {
        do throws(Failure) {
            try trial()
            return nil
        } catch {
            return error
        }
    }

    /// A larger file is a mistake in the path.
    private static func contents(of path: String, atMost limit: Int) throws(FileProblem) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .lastError() }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while bytes.count <= limit {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .lastError() }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
        throw FileProblem("larger than \(limit) bytes")
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
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        if descriptor >= 0 { fchmod(descriptor, 0o644) }
        try put(bytes, descriptor)
    }

    /// Writes to an open descriptor, and closes it.
    static func put(_ bytes: [UInt8], _ descriptor: CInt) throws(FileProblem) {
        guard descriptor >= 0 else { throw .lastError() }
        defer { close(descriptor) }
        try writeAll(bytes, to: descriptor)
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
