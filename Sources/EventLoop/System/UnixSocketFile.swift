import Glibc

// The file that a Unix socket is found by (unix(7)).
// Must hold: only the owner can ever connect; only a socket of ours that no process listens on is
// ever removed; of two processes that start at once, one gets the path and the other an error.

/// The file of a listening Unix socket, told from another that may have taken its place.
struct UnixSocketFile {
    private let path: String
    private let device: dev_t
    private let inode: ino_t

    /// Binds a socket to a file of mode 0600 and listens. A file that a dead process left is
    /// replaced.
    static func listen(
        _ address: SocketAddress, _ path: String, backlog: CInt
    ) throws(SystemError) -> (descriptor: CInt, file: UnixSocketFile?) {
        let descriptor = try Socket.open(family: address.family)
        do throws(SystemError) {
            // The file gets the mode of the socket (unix(7)): there is no moment in which others
            // could connect.
            guard fchmod(descriptor, 0o600) == 0 else { throw .last("fchmod") }
            // Held until the socket listens: until then it looks like a dead one to another
            // process.
            let lock = lockDirectory(of: path)
            defer { if lock >= 0 { _ = close(lock) } }
            try bind(descriptor, address, path, mayReplace: lock >= 0)
            guard Glibc.listen(descriptor, backlog) == 0 else { throw .last("listen") }
            return (descriptor, UnixSocketFile(path))
        } catch {
            _ = close(descriptor)
            throw error
        }
    }

    /// Whether `listen` could bind there; makes no file.
    static func rehearse(_ address: SocketAddress, _ path: String) throws(SystemError) {
        guard let status = status(path) else {
            guard access(FilePath.folder(of: path), W_OK | X_OK) == 0 else { throw .last("bind") }
            return
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw SystemError(call: "bind", errno: EEXIST) }
        guard isDead(address, path) else { throw SystemError(call: "bind", errno: EADDRINUSE) }
    }

    /// Removes the file, unless it is another by now.
    func remove() {
        if let present = UnixSocketFile(path), present.inode == inode, present.device == device { _ = unlink(path) }
    }

    /// The file of a socket that another process of this user has bound and handed over; nil where
    /// there is no socket of that name.
    init?(adopting path: String) {
        guard let status = Self.status(path), status.st_mode & S_IFMT == S_IFSOCK, status.st_uid == geteuid() else {
            return nil
        }
        self.init(path)
    }

    private init?(_ path: String) {
        guard let status = Self.status(path) else { return nil }
        self.path = path
        (device, inode) = (status.st_dev, status.st_ino)
    }

    private static func bind(
        _ descriptor: CInt, _ address: SocketAddress, _ path: String, mayReplace: Bool
    ) throws(SystemError) {
        func attempt() -> Bool { address.withSockaddr { Glibc.bind(descriptor, $0, $1) } == 0 }
        if attempt() { return }
        let error = SystemError.last("bind")
        guard error.errno == EADDRINUSE, mayReplace, isDead(address, path), unlink(path) == 0 else { throw error }
        guard attempt() else { throw .last("bind") }
    }

    /// Whether the file is a socket of this user's that no process listens on.
    private static func isDead(_ address: SocketAddress, _ path: String) -> Bool {
        guard let status = status(path), status.st_mode & S_IFMT == S_IFSOCK, status.st_uid == geteuid(),
            let probe = try? Socket.open(family: address.family)
        else { return false }
        defer { _ = close(probe) }
        return address.withSockaddr { connect(probe, $0, $1) } != 0 && errno == ECONNREFUSED
    }

    private static func status(_ path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }

    /// A descriptor that holds a lock on the directory; -1 where there can be none, or another has
    /// it now.
    private static func lockDirectory(of path: String) -> CInt {
        let descriptor = open(FilePath.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return descriptor }
        if descriptor >= 0 { _ = close(descriptor) }
        return -1
    }
}

extension SocketAddress {
    /// Whether it is the path of a Unix socket, and nothing is there: no client can connect.
    public var hasLostFile: Bool {
        var status = stat()
        return path.map { lstat($0, &status) != 0 && errno == ENOENT } ?? false
    }
}
