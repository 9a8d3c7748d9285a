import Glibc
import TestSupport
import Testing

@testable import EventLoop

/// The facts of real files.
@Suite struct FilePlaceTests {
    private let folder: TemporaryFolder
    private static let stranger: uid_t = 65_534

    init() throws { folder = try TemporaryFolder() }

    private func refusal(_ path: String, _ flags: CInt = O_RDONLY, for use: FileUse) -> FileRefusal? {
        thrown { () throws(FileRefusal) in _ = try FilePlace.open(path, flags, mode: 0o644, for: use) }
    }

    private func objection(_ path: String, _ flags: CInt = O_RDONLY, for use: FileUse) -> FileObjection.Reason? {
        if case .untrusted(let objection) = refusal(path, flags, for: use) { objection.reason } else { nil }
    }

    @Test func linksOfOnesOwnAreFollowed() throws {
        let file = try folder.put("x", "file", mode: 0o644)
        for (name, target) in [("one", "two"), ("two", file), ("loop", "loop"), ("lost", "gone")] {
            #expect(symlink(target, folder.file(name)) == 0)
        }
        for use in [FileUse.believed, .appended, .written] {
            #expect(refusal(folder.file("one"), for: use) == nil)
            #expect(refusal(folder.file("loop"), for: use)?.errno == ELOOP)
            #expect(refusal(folder.file("lost"), for: use)?.errno == ENOENT)
            #expect(refusal(folder.file("no/file"), for: use)?.errno == ENOENT)
        }
        #expect(refusal(folder.file("lost"), O_WRONLY | O_CREAT, for: .written) == nil && folder.has("gone"))
    }

    /// The folder of a link's target counts, too.
    @Test func modesOfFileAndFolderCount() throws {
        let file = try folder.put("x", "file", mode: 0o666)
        #expect(objection(file, for: .believed) == .writableByOthers)
        #expect(objection(file, O_WRONLY, for: .appended) == .writableByOthers)
        #expect(refusal(file, O_WRONLY | O_TRUNC, for: .written) == nil)
        let other = try TemporaryFolder()
        let target = try other.put("x", "target", mode: 0o644)
        #expect(symlink(target, folder.file("link")) == 0 && chmod(other.path, 0o1777) == 0)
        #expect(objection(folder.file("link"), for: .believed) == .writableByOthers)
        #expect(refusal(folder.file("link"), O_WRONLY, for: .appended) == nil)
    }

    /// A stranger's link in a folder such as /tmp had the victim's file emptied or appended to.
    @Test(.requires(.root)) func aStrangersLinkIsNotWrittenThrough() throws {
        let own = try TemporaryFolder()
        let victim = try own.put("precious", "victim", mode: 0o644)
        #expect(chmod(folder.path, 0o1777) == 0 && symlink(victim, folder.file("x")) == 0)
        #expect(lchown(folder.file("x"), Self.stranger, Self.stranger) == 0)
        for use in [FileUse.appended, .written] {
            let found = objection(folder.file("x"), O_WRONLY | O_CREAT | O_TRUNC, for: use)
            #expect(found == .owner(expected: 0))
        }
        #expect(own.text("victim") == "precious")
    }

    /// Another user may have made it, of a file that is not theirs.
    @Test func aSecondNameInASharedFolderIsRefused() throws {
        let victim = try folder.put("precious", "victim", mode: 0o644)
        let shared = try TemporaryFolder()
        #expect(chmod(shared.path, 0o1777) == 0 && link(victim, shared.file("x")) == 0)
        #expect(objection(shared.file("x"), O_WRONLY | O_TRUNC, for: .written) == .severalNames)
        #expect(objection(shared.file("x"), O_WRONLY, for: .appended) == .severalNames)
        #expect(folder.text("victim") == "precious")
    }

    @Test func aPipeIsNotWaitedFor() throws {
        #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
        #expect(refusal(folder.file("pipe"), for: .believed) == .notRegular)
        #expect(refusal(folder.file("pipe"), O_WRONLY | O_APPEND, for: .appended) == nil)
        #expect(refusal(folder.path, for: .believed) == .notRegular)
    }

    /// `/dev/stdout` and `>(...)` of a shell: whatever the process was given, it may write to.
    @Test func anOpenDescriptorIsTakenAsItIs() throws {
        let file = try folder.put("", "file", mode: 0o666)
        let own = open(file, O_WRONLY | O_CLOEXEC)
        defer { close(own) }
        #expect(symlink("/proc/self/fd/\(own)", folder.file("stdout")) == 0)
        for path in ["/proc/self/fd/\(own)", "/dev/fd/\(own)", folder.file("stdout")] {
            #expect(refusal(path, O_WRONLY | O_CREAT | O_TRUNC, for: .written) == nil, "\(path)")
            #expect(refusal(path, O_WRONLY | O_APPEND | O_CREAT, for: .appended) == nil, "\(path)")
        }
        #expect(refusal("/dev/null", O_WRONLY | O_APPEND | O_CREAT, for: .appended) == nil)
    }

    /// Debian's umask of 002 is for users whose group is theirs alone.
    @Test(.requires(.root)) func theOwnGroupOfAUserMayWrite() throws {
        guard let entry = getpwuid(1), entry.pointee.pw_gid == 1 else { return }
        let file = try folder.put("x", "file", mode: 0o664)
        func hasOwnGroup(_ owner: uid_t, _ group: gid_t) throws -> Bool? {
            #expect(chown(file, owner, group) == 0)
            return try FilePlace(of: file).facts?.hasOwnGroup
        }
        #expect(try hasOwnGroup(1, 1) == true && hasOwnGroup(1, 2) == false)
        #expect(try hasOwnGroup(0, 0) == false, "containers give root's group to other users")
        #expect(try hasOwnGroup(54_321, 54_321) == false, "nothing says whose that group is")
    }

    /// The rights of the group are then the mask of a list that may name anyone.
    @Test(.requires(.root)) func anAccessListTakesTheOwnGroupAway() throws {
        guard let entry = getpwuid(1), entry.pointee.pw_gid == 1, access("/usr/bin/setfacl", X_OK) == 0 else { return }
        let file = try folder.put("x", "file", mode: 0o664)
        #expect(chown(file, 1, 1) == 0)
        let status = try Tool("setfacl")?.run(["-m", "u:54321:rw", file]).status
        guard status == 0 else { return }
        #expect(try FilePlace(of: file).facts?.hasOwnGroup == false)
    }
}
