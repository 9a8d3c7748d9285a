import Glibc

// Files that hold a key or a token.
// Must hold: the open file is judged and not its name. So links are followed, by which certbot and
// Kubernetes renew keys, and a name that is exchanged meanwhile has no effect.

/// Opens files that no other user can read.
public enum PrivateFile {
    /// Why a file is refused.
    public enum Objection: Error, Sendable, Equatable {
        /// open(2) or fstat(2) failed with this errno.
        case system(CInt)
        case notRegularFile
        /// Owned by neither the user of this process nor root.
        case foreignOwner(uid: UInt32)
        /// The permission bits of a file that others have a right to, or a group that this process
        /// is not in.
        case accessibleByOthers(mode: UInt32)
    }

    /// `$CREDENTIALS_DIRECTORY`, as it was when this was first asked for. A root process that no
    /// service manager has started sees the directory of the service while that runs.
    public static let credentialsDirectory: String? = {
        if let directory = getenv("CREDENTIALS_DIRECTORY") { return String(cString: directory) }
        return geteuid() == 0 && access(serviceCredentials, R_OK) == 0 ? serviceCredentials : nil
    }()

    /// The directory of the unit that comes with the program.
    public static let serviceCredentials = "/run/credentials/refrain.service"

    /// Opens a regular file of this user or root for reading. Others have no right to it, and a
    /// group may at most read it, if this process is in that group.
    /// - Parameter credentialsDirectory: where systemd puts `LoadCredential=` files. Any group may
    ///   read those in it: an access list for the service's own user shows as rights of the group.
    public static func open(
        _ path: String, credentialsDirectory: String? = credentialsDirectory
    ) throws(Objection) -> Descriptor {
        // Non-blocking, or opening a pipe would wait for a writer.
        let number = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard number >= 0 else { throw .system(errno) }
        let file = Descriptor(owning: number)
        try judge(file, isCredential: credentialsDirectory.map { isDirectChild(path, of: $0) } ?? false)
        return file
    }

    private static func judge(_ file: Descriptor, isCredential: Bool) throws(Objection) {
        var status = stat()
        guard fstat(file.number, &status) == 0 else { throw .system(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegularFile }
        // A credential that systemd gave the service's own user is that user's.
        let isServices = isCredential && geteuid() == 0
        guard isServices || status.st_uid == geteuid() || status.st_uid == 0 else {
            throw .foreignOwner(uid: status.st_uid)
        }
        let mayGroupRead = isCredential && status.st_uid == 0 || isOwnGroup(status.st_gid)
        guard status.st_mode & (mayGroupRead ? 0o037 : 0o077) == 0 else {
            throw .accessibleByOthers(mode: status.st_mode & 0o7777)
        }
    }

    /// Whether this process is in the group.
    private static func isOwnGroup(_ group: gid_t) -> Bool {
        if group == getegid() { return true }
        var groups = [gid_t](repeating: 0, count: Int(max(0, getgroups(0, nil))))
        let count = getgroups(CInt(groups.count), &groups)
        return groups.prefix(Int(max(0, count))).contains(group)
    }

    private static func isDirectChild(_ path: String, of directory: String) -> Bool {
        guard !directory.isEmpty, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return false }
        return path.utf8[..<slash].elementsEqual(directory.utf8)
    }
}

extension PrivateFile.Objection: CustomStringConvertible {
    public var description: String {
        switch self {
        case .system(let number): String(cString: strerror(number))
        case .notRegularFile: "is not a regular file"
        case .foreignOwner(let uid): "belongs to user \(uid), not to the current user or root"
        case .accessibleByOthers(let mode):
            "has mode 0\(String(mode, radix: 8)): others must have no access, and a group only read access if the "
                + "current user is in it (chmod 600)"
        }
    }
}
