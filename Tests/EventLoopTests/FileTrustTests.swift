import Testing

@testable import EventLoop

/// The rule, over all that it depends on.
@Suite struct FileTrustTests {
    private static let (user, stranger): (UInt32, UInt32) = (1000, 1001)
    private let trust = FileTrust(user: user)

    private func facts(
        _ kind: FileFacts.Kind = .regular, owner: UInt32 = user, mode: UInt32 = 0o644, names: Int = 1,
        hasOwnGroup: Bool = false, path: String = "/f/x"
    ) -> FileFacts {
        FileFacts(
            path: path, kind: kind, owner: owner, group: owner, mode: mode, names: names, hasOwnGroup: hasOwnGroup)
    }

    private func folder(_ owner: UInt32 = user, _ mode: UInt32 = 0o755, hasOwnGroup: Bool = false) -> FileFacts {
        facts(.folder, owner: owner, mode: mode, hasOwnGroup: hasOwnGroup, path: "/f")
    }

    private func accepts(_ file: FileFacts, in folder: FileFacts, _ use: FileUse) -> Bool {
        trust.objection(to: file, in: folder, for: use) == nil
    }

    /// For each owner, mode and group of file and folder.
    @Test func nothingIsBelievedThatAnotherUserCouldHaveLaidThere() {
        let owners: [UInt32] = [0, Self.user, Self.stranger]
        let modes: [UInt32] = [0o600, 0o644, 0o664, 0o622, 0o666, 0o1777, 0o1775]
        for (owner, mode, isOwn) in owners.flatMap({ o in modes.flatMap { m in [(o, m, true), (o, m, false)] } }) {
            let isSafe = owner != Self.stranger && mode & 0o002 == 0 && (mode & 0o020 == 0 || isOwn)
            let file = facts(owner: owner, mode: mode, hasOwnGroup: isOwn)
            let place = folder(owner, mode, hasOwnGroup: isOwn)
            #expect(accepts(file, in: folder(), .believed) == isSafe, "\(file)")
            #expect(accepts(facts(), in: place, .believed) == isSafe, "\(place)")
            #expect((trust.objection(to: place) == nil) == isSafe, "\(place)")
            #expect(accepts(file, in: folder(), .appended) == isSafe, "\(file)")
            #expect(accepts(file, in: folder(), .written), "a file in the caller's own folder is the caller's")
            #expect(accepts(file, in: folder(0, 0o1777), .written) == (owner != Self.stranger), "\(file)")
        }
    }

    @Test func aLinkCountsByItsOwnerAlone() {
        for use in [FileUse.believed, .appended] {
            #expect(accepts(facts(.link, mode: 0o777), in: folder(), use))
            #expect(!accepts(facts(.link, owner: Self.stranger, mode: 0o777), in: folder(), use))
        }
        let shared = folder(0, 0o1777)
        #expect(accepts(facts(.link, mode: 0o777), in: shared, .appended), "a log may be in a shared folder")
        #expect(!accepts(facts(.link, owner: Self.stranger, mode: 0o777), in: shared, .written))
        // systemd binds its sockets with 0666, and /dev/null has that mode too.
        #expect(accepts(facts(.socket, owner: 0, mode: 0o666), in: folder(0), .appended))
        #expect(accepts(facts(.device, owner: 0, mode: 0o666), in: folder(0), .appended))
        #expect(!accepts(facts(.pipe, owner: 0, mode: 0o666), in: folder(0), .appended))
    }

    /// Another user may give any file a name in a folder that they can write to.
    @Test func aSecondNameCountsInASharedFolder() {
        for use in [FileUse.appended, .written] {
            #expect(accepts(facts(names: 2), in: folder(), use))
            #expect(!accepts(facts(names: 2), in: folder(0, 0o1777), use))
            #expect(!accepts(facts(names: 2), in: folder(Self.stranger), use))
        }
    }

    /// Root may ask `check` about files of the service's user, and not about those of anyone else.
    @Test func theOwnerOfAFolderCountsIfItIsAService() {
        var root = FileTrust(user: 0)
        for (owner, counts) in [(997, true), (61_184, true), (1000, false), (65_534, false)] as [(UInt32, Bool)] {
            root.includesServices = true
            #expect((root.objection(to: facts(owner: owner), in: folder(owner), for: .believed) == nil) == counts)
            #expect(root.objection(to: facts(owner: owner), in: folder(0), for: .believed) != nil)
            #expect(root.objection(to: facts(owner: owner), in: folder(owner, 0o777), for: .believed) != nil)
            root.includesServices = false
            #expect(root.objection(to: facts(owner: owner), in: folder(owner), for: .believed) != nil)
        }
    }

    @Test func aSecretGoesToAnOwnProcessOrToThatOfAnOwnersFolder() {
        let (own, others, shared) = (folder(), folder(Self.stranger), folder(0, 0o1777))
        #expect(trust.trusts(0, listeningIn: shared) && trust.trusts(Self.user, listeningIn: shared))
        #expect(!trust.trusts(Self.stranger, listeningIn: shared) && !trust.trusts(Self.stranger, listeningIn: own))
        #expect(trust.trusts(Self.stranger, listeningIn: others))
    }

    @Test func theWordsHavePathModeOwnerAndTheWayOut() throws {
        let cases: [(FileFacts, String)] = [
            (
                facts(owner: Self.stranger),
                "/f/x (-rw-r--r-- 1001 1001) belongs to user 1001, not to root or user 1000; remove it, or chown it if "
                    + "you trust it"
            ),
            (facts(mode: 0o666), "/f/x (-rw-rw-rw- 1000 1000) can be written by others (chmod go-w)"),
            (facts(mode: 0o664), "/f/x (-rw-rw-r-- 1000 1000) can be written by group 1000 (chmod g-w)"),
        ]
        for (file, words) in cases {
            #expect(trust.objection(to: file, in: folder(), for: .believed)?.description == words)
        }
        let sticky = try #require(trust.objection(to: folder(0, 0o1777)))
        #expect(sticky.description.hasPrefix("folder /f (drwxrwxrwt 0 0) can be written by others, sticky or not; "))
        #expect(facts(.link, mode: 0o6744).listing == "lrwsr-Sr-- 1000 1000")
    }
}
