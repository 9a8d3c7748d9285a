import Glibc

// The only place where the configuration touches the file system; tests put values in its stead.

/// Why a file could not be had, in words for the operator.
struct FileProblem: Error, Equatable, Sendable {
    let message: String

    init(_ message: String) {
        self.message = message
    }

    /// What errno says about the last call.
    static func lastError() -> FileProblem { FileProblem(String(cString: strerror(errno))) }

    /// There is no such file.
    static let absent = FileProblem(String(cString: strerror(ENOENT)))
}

struct FileAccess: Sendable {
    /// The content of a configuration file.
    var read: @Sendable (_ path: String) throws(FileProblem) -> [UInt8]
    /// Nil where the file can be opened for reading.
    var problem: @Sendable (_ path: String) -> String?
    /// Nil where the file is there and kept from others.
    var secretProblem: @Sendable (_ path: String) -> String?

    static let system = FileAccess(
        read: { path throws(FileProblem) in try contents(of: path) },
        problem: { path in
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else { return FileProblem.lastError().message }
            close(descriptor)
            return nil
        },
        secretProblem: SecretFileRule.problem)

    /// A mebibyte at most: a configuration that is larger is a mistake in the path.
    private static func contents(of path: String) throws(FileProblem) -> [UInt8] {
        let limit = 1 << 20
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
}

/// HARDENING, key file: a regular file of the service's user or root that nobody else can read.
enum SecretFileRule {
    static func problem(with path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            return errno == ELOOP ? "a symbolic link; name the file itself" : FileProblem.lastError().message
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return FileProblem.lastError().message }
        guard status.st_mode & S_IFMT == S_IFREG else { return "not a regular file" }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            return "owned by user \(status.st_uid), not by the user that runs Refrain"
        }
        let mode = status.st_mode & 0o7777
        guard mode & 0o077 == 0 else {
            return "open to group or others (mode 0\(String(mode, radix: 8))); chmod 600 it"
        }
        return status.st_size == 0 ? "empty" : nil
    }
}
