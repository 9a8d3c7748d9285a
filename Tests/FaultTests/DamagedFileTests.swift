import Foundation
import TestSupport
import Testing

/// F4b: the program starts with a cache file that it may not write. Passes where it starts each
/// time and each answer is right. Damage at many places is the store's own tests
/// (`StoreDamageTests`), which need no process for each.
@Suite(.serialized, .timeLimit(.minutes(60)), .requires(.binary))
struct DamagedFileTests {
    private static let albums = 0..<20

    /// A file of another owner, and a file that may only be read. Root may write every file, so the
    /// program runs as another user where the tests run as root.
    @Test func aReadOnlyFileIsNoReasonNotToStart() async throws {
        try await onThread {
            let house = try FaultHouse()
            try house.fill(Self.albums)
            let setUser = "/usr/bin/setpriv"
            var runner: [String] = []
            if geteuid() == 0 {
                guard access(setUser, X_OK) == 0 else {
                    return LeftOut.note("no setpriv (apt-get install util-linux): no file of another owner was tried")
                }
                runner = [setUser, "--reuid=65534", "--regid=65534", "--clear-groups"]
            }
            // The key is the other user's own, and the folder may be entered.
            let key = try house.folder.put(house.folder.text("key.p8"), "other.p8", mode: 0o600)
            if geteuid() == 0 { #expect(chown(key, 65_534, 65_534) == 0) }
            chmod(house.folder.path, 0o755)
            for mode: mode_t in [0o600, 0o444, 0o000] {
                chmod(house.cacheFile, geteuid() == 0 ? mode : mode & 0o444)
                let program = try house.start(key: key, runner: runner)
                let tally = Tally()
                try program.ask(Self.albums, tally)
                #expect(tally.now.right == Self.albums.count, "mode \(String(mode, radix: 8)): \(tally.now)")
                #expect(program.stop() == 0, "mode \(String(mode, radix: 8)): \(program.text.suffix(1_000))")
            }
        }
    }
}
