// The one rule about files that lie where the program looks: whose they must be, and who may write
// to them.
// Must hold: a value; facts in, verdict out (`FilePlace` reads the facts). The sticky bit changes
// nothing: it keeps others from removing a file, not from being first.

/// Facts about one name in a folder, as lstat(2) has them.
public struct FileFacts: Equatable, Sendable {
    enum Kind: Character, Sendable {
        case regular = "-"
        case folder = "d"
        case link = "l"
        case pipe = "p"
        case socket = "s"
        case device = "c"
    }

    /// The path in messages.
    let path: String
    let kind: Kind
    let owner: UInt32
    let group: UInt32
    /// Permission bits, with set-user-ID, set-group-ID and sticky.
    let mode: UInt32
    /// How many names the file has.
    let names: Int
    /// Whether the rights of the group are the owner's alone: the group is the owner's own, and no
    /// access list is there, whose mask would show as these rights. Looked up only where the group
    /// may write.
    let hasOwnGroup: Bool

    /// Mode, owner and group as `ls -ln` shows them.
    var listing: String {
        var letters = Array("rwxrwxrwx").enumerated().map { index, letter in
            mode & (0o400 >> UInt32(index)) != 0 ? letter : "-"
        }
        for (bit, index, letter) in [(0o4000, 2, "s"), (0o2000, 5, "s"), (0o1000, 8, "t")] as [(UInt32, Int, String)]
        where mode & bit != 0 {
            letters[index] = Character(letters[index] == "x" ? letter : letter.uppercased())
        }
        return "\(kind.rawValue)\(String(letters)) \(owner) \(group)"
    }
}

/// How a file is used, and thus what could be done with one that another user has laid there.
public enum FileUse: Sendable {
    /// The program acts by its content, or answers with it: a configuration, a cache.
    case believed
    /// A server appends to it: a log, a recording. Others could read it, or direct it elsewhere.
    case appended
    /// A command writes it once, because its caller has named it.
    case written
}

/// The users whose files a process trusts: root and its own.
public struct FileTrust: Equatable, Sendable {
    let user: UInt32
    /// Whether the user of a service counts for its own folder and the files in it.
    var includesServices = false

    /// Users of services: system accounts, and those of `DynamicUser=` (systemd's ranges of
    /// users).
    private static let services: [ClosedRange<UInt32>] = [1...999, 61_184...65_519]

    /// Nil where the file may be used. Where none is there, ask about the folder alone.
    public func objection(to file: FileFacts, in folder: FileFacts, for use: FileUse) -> FileObjection? {
        let sharing = objection(to: folder)
        switch use {
        case .believed: if let sharing { return sharing }
        case .appended: break
        // Any file in a folder of the caller's own is the caller's.
        case .written: if sharing == nil { return nil }
        }
        guard trusts(file.owner, in: folder) else { return FileObjection(file, .owner(expected: user)) }
        // Modes of links and sockets mean nothing here, and a device keeps nothing.
        guard file.kind == .regular || file.kind == .pipe || file.kind == .folder else { return nil }
        if use != .written, let writers = writers(of: file) { return FileObjection(file, writers) }
        // Anyone may give a file of another user one more name (link(2)).
        return sharing != nil && file.kind == .regular && file.names > 1 ? FileObjection(file, .severalNames) : nil
    }

    /// Nil where only users that are trusted can add, exchange and remove names in a folder.
    public func objection(to folder: FileFacts) -> FileObjection? {
        guard trusts(folder.owner, in: folder) else { return FileObjection(folder, .owner(expected: user)) }
        return writers(of: folder).map { FileObjection(folder, $0) }
    }

    /// Whether a secret may go to a process of this user that listens at a name in the folder. A
    /// folder that only its owner can write to is named for that user's service.
    func trusts(_ peer: UInt32, listeningIn folder: FileFacts) -> Bool {
        peer == 0 || peer == user || peer == folder.owner && writers(of: folder) == nil
    }

    private func trusts(_ owner: UInt32, in folder: FileFacts) -> Bool {
        owner == 0 || owner == user
            || includesServices && owner == folder.owner && Self.services.contains { $0.contains(owner) }
    }

    private func writers(of file: FileFacts) -> FileObjection.Reason? {
        if file.mode & 0o002 != 0 { return .writableByOthers }
        return file.mode & 0o020 != 0 && !file.hasOwnGroup ? .writableByGroup : nil
    }
}

/// Why a file is not used, with its owner and mode and the way out.
public struct FileObjection: Error, Equatable, Sendable {
    enum Reason: Equatable {
        /// The owner is neither root nor this user.
        case owner(expected: UInt32)
        case writableByOthers
        case writableByGroup
        /// Others can write to the folder, and may have made this name of another file.
        case severalNames
    }

    let file: FileFacts
    let reason: Reason

    init(_ file: FileFacts, _ reason: Reason) {
        (self.file, self.reason) = (file, reason)
    }
}

extension FileObjection: CustomStringConvertible {
    public var description: String {
        let path = file.path
        let kind = file.kind == .link ? "symbolic link " : file.kind == .folder ? "folder " : ""
        let subject = "\(kind)\(path) (\(file.listing))"
        switch reason {
        case .owner(let user):
            let expected = user == 0 ? "root" : "root or user \(user)"
            let remedy = file.kind == .folder ? "use another folder" : "remove it"
            return "\(subject) belongs to user \(file.owner), not to \(expected); \(remedy), or chown "
                + "\(file.kind == .link ? "-h " : "")it if you trust it"
        case .writableByOthers where file.mode & 0o1000 != 0:
            return "\(subject) can be written by others, sticky or not; use a folder of your own"
        case .writableByOthers: return "\(subject) can be written by others (chmod go-w)"
        case .writableByGroup: return "\(subject) can be written by group \(file.group) (chmod g-w)"
        case .severalNames:
            return "\(subject) has \(file.names) names, in a folder that others can write to; remove this one"
        }
    }
}
