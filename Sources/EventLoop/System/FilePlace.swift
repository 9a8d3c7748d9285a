import CLinux
import Glibc

// Reads the facts that `FileTrust` judges, and opens what it has judged.
// Must hold: a folder is opened before its names are looked at, and a file is judged once more when
// it is open, so a name that is exchanged meanwhile has no effect. Links at the end of a path are
// followed one by one, each judged; folders on the way to the last one are not looked at.

/// Why a file is not opened.
public enum FileRefusal: Error, Equatable, Sendable, CustomStringConvertible {
    case system(SystemError)
    case untrusted(FileObjection)
    /// A folder, a pipe or a device, whose content would be believed.
    case notRegular

    public var description: String {
        switch self {
        case .system(let error): error.description
        case .untrusted(let objection): objection.description
        case .notRegular: "not a regular file"
        }
    }

    /// Nil where no call has failed.
    public var errno: CInt? {
        if case .system(let error) = self { error.errno } else { nil }
    }
}

extension FileTrust {
    /// Root and the user of this process.
    public static var ofThisProcess: FileTrust { FileTrust(user: geteuid()) }

    /// The trust of a command that foretells what a proxy will say. Root foretells for a service,
    /// whose user owns the folders that the files are in.
    public static var ofItsProxy: FileTrust {
        var trust = ofThisProcess
        trust.includesServices = trust.user == 0
        return trust
    }
}

/// A folder that is open, whatever its name comes to mean.
public struct OpenFolder: Sendable {
    private let descriptor: Descriptor
    public let facts: FileFacts
    fileprivate let path: String

    /// - Parameter path: with its slash, as `FilePath.folder` has it.
    public init(_ path: String) throws(SystemError) {
        let number = Glibc.open(path, Self.pathOnly | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw .last("open") }
        descriptor = Descriptor(owning: number)
        self.path = path
        var status = stat()
        guard fstat(number, &status) == 0 else { throw .last("fstat") }
        facts = FileFacts(status, Self.realPath(path)) { clinux_has_access_list(number, ".") != 0 }
    }

    /// The facts about a name in it; nil where there is nothing of that name.
    public func facts(of name: String) throws(SystemError) -> FileFacts? {
        var status = stat()
        guard fstatat(descriptor.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return nil }
            throw .last("open")
        }
        return FileFacts(status, name == "." ? facts.path : path + name) {
            clinux_has_access_list(descriptor.number, name) != 0
        }
    }

    fileprivate func open(_ name: String, _ flags: CInt, _ mode: mode_t = 0) throws(SystemError) -> Descriptor {
        let number = openat(descriptor.number, name, flags | O_CLOEXEC | O_NOCTTY, mode)
        guard number >= 0 else { throw .last("open") }
        return Descriptor(owning: number)
    }

    fileprivate func target(of name: String) throws(SystemError) -> String {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlinkat(descriptor.number, name, &bytes, bytes.count)
        guard count > 0 else { throw .last("readlink") }
        let target = String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return target.hasPrefix("/") ? target : path + target
    }

    /// Whether names in it are descriptors of a process, which it was given by its starter.
    fileprivate var isOfDescriptors: Bool { clinux_is_proc(descriptor.number) != 0 }

    /// O_PATH, for which the folder need not be readable.
    private static let pathOnly: CInt = 0o10_000_000

    private static func realPath(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}

/// The last name of a path, after its links.
public struct FilePlace: Sendable {
    public let folder: OpenFolder
    public let name: String
    /// Nil where there is nothing of that name.
    public let facts: FileFacts?

    /// The kernel's limit of symbolic links.
    private static let mostLinks = 40

    /// The name itself, be it a link or not.
    public init(of path: String) throws(SystemError) {
        folder = try OpenFolder(FilePath.folder(of: path))
        let last = path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
        name = last.isEmpty ? "." : String(last)
        facts = try folder.facts(of: name)
    }

    /// Why a name must not be used in this way, be it a link or not; nil where it may, and where
    /// nothing is there.
    public static func objection(
        to path: String, for use: FileUse, _ trust: FileTrust = .ofThisProcess
    ) -> FileObjection? {
        guard let place = try? FilePlace(of: path), let facts = place.facts else { return nil }
        return trust.objection(to: facts, in: place.folder.facts, for: use)
    }

    /// Follows links from `path` on, and throws where one of them, or the file, must not be used in
    /// this way.
    public static func find(
        _ path: String, for use: FileUse, _ trust: FileTrust = .ofThisProcess
    ) throws(FileRefusal) -> FilePlace {
        var path = path
        for _ in 0...mostLinks {
            let place = try refusing { () throws(SystemError) in try FilePlace(of: path) }
            guard let facts = place.facts, !place.isDescriptor else { return place }
            if let objection = trust.objection(to: facts, in: place.folder.facts, for: use) {
                throw .untrusted(objection)
            }
            guard facts.kind == .link else {
                if use == .believed, facts.kind != .regular { throw .notRegular }
                return place
            }
            path = try refusing { () throws(SystemError) in try place.folder.target(of: place.name) }
        }
        throw .system(SystemError(call: "open", errno: ELOOP))
    }

    /// Opens a file that may be used in this way.
    /// - Parameters:
    ///   - flags: of open(2), without O_CLOEXEC, O_NOFOLLOW and O_NONBLOCK. With O_CREAT a file is
    ///     made where there is none.
    ///   - mode: of a file that is made, before the umask.
    public static func open(
        _ path: String, _ flags: CInt, mode: mode_t = 0o600, for use: FileUse, _ trust: FileTrust = .ofThisProcess
    ) throws(FileRefusal) -> Descriptor {
        var attempts = 0
        while true {
            let place = try find(path, for: use, trust)
            do throws(FileRefusal) {
                return try place.open(flags, mode, for: use, trust)
            } catch {
                // The name was exchanged meanwhile: a link is followed anew, a new file is judged.
                attempts += 1
                guard attempts < mostAttempts, let code = error.errno, code == EEXIST || code == ELOOP else {
                    throw error
                }
            }
        }
    }

    private static let mostAttempts = 8

    private func open(
        _ flags: CInt, _ mode: mode_t, for use: FileUse, _ trust: FileTrust
    ) throws(FileRefusal) -> Descriptor {
        let asIs = flags & ~(O_CREAT | O_EXCL | O_TRUNC)
        guard let facts else {
            guard flags & O_CREAT != 0 else { throw .system(SystemError(call: "open", errno: ENOENT)) }
            return try opened(asIs | O_CREAT | O_EXCL | O_NOFOLLOW, mode)
        }
        if isDescriptor { return try opened(asIs) }
        // A pipe without a reader: to open it for writing alone would wait for one, and fail once
        // the reader restarts (fifo(7)).
        if facts.kind == .pipe {
            let isKept = use == .appended && flags & O_ACCMODE == O_WRONLY
            let access = isKept ? asIs & ~O_ACCMODE | O_RDWR : asIs
            return try judged(opened(access | O_NOFOLLOW), for: use, trust)
        }
        // O_NONBLOCK, or a pipe that takes the file's place now would keep this waiting.
        let file = try judged(opened(asIs | O_NOFOLLOW | O_NONBLOCK), for: use, trust)
        _ = fcntl(file.number, F_SETFL, fcntl(file.number, F_GETFL) & ~O_NONBLOCK)
        if flags & O_TRUNC != 0, facts.kind == .regular, ftruncate(file.number, 0) != 0 {
            throw .system(.last("ftruncate"))
        }
        return file
    }

    private func opened(_ flags: CInt, _ mode: mode_t = 0) throws(FileRefusal) -> Descriptor {
        try Self.refusing { () throws(SystemError) in try folder.open(name, flags, mode) }
    }

    /// Judges the file that is open, whatever its name meant before.
    private func judged(
        _ file: Descriptor, for use: FileUse, _ trust: FileTrust
    ) throws(FileRefusal) -> Descriptor {
        var status = stat()
        guard fstat(file.number, &status) == 0 else { throw .system(.last("fstat")) }
        let facts = FileFacts(status, self.facts?.path ?? name) { clinux_has_access_list(file.number, nil) != 0 }
        if let objection = trust.objection(to: facts, in: folder.facts, for: use) { throw .untrusted(objection) }
        if use == .believed, facts.kind != .regular { throw .notRegular }
        return file
    }

    /// Whether a file could be made there; sets errno where not.
    public var mayMake: Bool { access(folder.path, W_OK | X_OK) == 0 }

    /// Whether it stands for an open descriptor, such as /proc/self/fd/1, where /dev/stdout leads.
    private var isDescriptor: Bool { facts?.kind == .link && folder.isOfDescriptors }

    private static func refusing<R>(_ body: () throws(SystemError) -> R) throws(FileRefusal) -> R {
        do throws(SystemError) { return try body() } catch { throw .system(error) }
    }
}

extension FileFacts {
    /// - Parameter hasAccessList: asked only where the group may write.
    fileprivate init(_ status: stat, _ path: String, hasAccessList: () -> Bool) {
        let kind: Kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .folder
            case S_IFLNK: .link
            case S_IFIFO: .pipe
            case S_IFSOCK: .socket
            default: .device
            }
        let groupMayWrite = kind != .link && status.st_mode & S_IWGRP != 0
        self.init(
            path: path, kind: kind, owner: status.st_uid, group: status.st_gid, mode: status.st_mode & 0o7777,
            names: Int(status.st_nlink),
            hasOwnGroup: groupMayWrite && Self.isOwn(group: status.st_gid, of: status.st_uid) && !hasAccessList())
    }

    /// Whether a group is a user's own: their primary one, of their name, without other members. A
    /// umask of 002 is meant for such users (pam_umask(8), `usergroups`; login.defs(5),
    /// USERGROUPS_ENAB). Not for root, whose group containers give to other users.
    private static func isOwn(group: gid_t, of user: uid_t) -> Bool {
        guard user != 0, group != 0 else { return false }
        var buffer = [CChar](repeating: 0, count: longestEntry)
        var (entry, found) = (passwd(), UnsafeMutablePointer<passwd>?.none)
        guard getpwuid_r(user, &entry, &buffer, buffer.count, &found) == 0, found != nil, entry.pw_gid == group else {
            return false
        }
        let name = String(cString: entry.pw_name)
        var groupBuffer = [CChar](repeating: 0, count: longestEntry)
        var (groupEntry, groupFound) = (Glibc.group(), UnsafeMutablePointer<Glibc.group>?.none)
        guard getgrgid_r(group, &groupEntry, &groupBuffer, groupBuffer.count, &groupFound) == 0, groupFound != nil,
            String(cString: groupEntry.gr_name) == name
        else { return false }
        var members = groupEntry.gr_mem
        while let member = members?.pointee {
            guard String(cString: member) == name else { return false }
            members = members?.advanced(by: 1)
        }
        return true
    }

    /// A group that does not fit has more members than one.
    private static let longestEntry = 16_384
}
