import TestSupport
import Testing

@testable import EventLoop
@testable import refrain

/// The text of a unit, as `systemctl cat` prints it.
@Suite struct UnitCredentialsTests {
    private func read(_ lines: String, unit: String = "refrain.service") -> UnitCredentials {
        UnitCredentials(unit: unit, text: "# /usr/lib/systemd/system/\(unit)\n[Unit]\nAfter=a\n\n[Service]\n" + lines)
    }

    @Test func sourcesAreFound() {
        let unit = read(
            """
            ExecStart=/usr/bin/refrain serve
            LoadCredential=apple-key:/etc/refrain/AuthKey.p8
            #LoadCredential=tls-key:/etc/refrain/tls-key.pem
            LoadCredential = tier-auth:/etc/refrain/tier auth
            LoadCredential=\\
              # a comment
              client-keys:/etc/refrain/keys

            # /etc/systemd/system/refrain.service.d/secrets.conf
            [Service]
            LoadCredential=apple-key:/srv/new.p8
            [Install]
            LoadCredential=other:/etc/other
            """)
        #expect(unit.source(of: "apple-key") == .file("/srv/new.p8"), "the last line counts")
        #expect(unit.source(of: "client-keys") == .file("/etc/refrain/keys"))
        #expect(unit.source(of: "tier-auth") == .file("/etc/refrain/tier auth"))
        #expect(unit.source(of: "tls-key") == nil && unit.source(of: "other") == nil)
        #expect(!unit.isEmpty && read("").isEmpty)
    }

    @Test func otherWaysAreKnownWithoutAFile() {
        let unit = read(
            """
            LoadCredentialEncrypted=a:/etc/credstore.encrypted/a
            LoadCredential=b
            LoadCredential=c:relative
            LoadCredential=d:/etc/%H/d
            LoadCredential=e:/etc/e
            SetCredential=e:a value that holds where the file is missing
            """)
        let directives = [
            "a": "LoadCredentialEncrypted=", "b": "LoadCredential= without a path",
            "c": "LoadCredential= without a folder", "d": "LoadCredential= with /etc/%H/d", "e": "SetCredential=",
        ]
        for (name, directive) in directives { #expect(unit.source(of: name) == .other(directive), "\(name)") }
        #expect(unit.source(of: "f") == nil)
        #expect(read("ImportCredential=refrain.*").source(of: "f") == .other("ImportCredential="))
        #expect(read("ImportCredential=refrain.*\nImportCredential=").isEmpty)
    }

    /// The credentials of a folder have its name before theirs.
    @Test func aFolderMayHaveMore() {
        let unit = read("LoadCredential=creds:/etc/refrain/creds\nLoadCredential=creds_key:/etc/key")
        #expect(unit.source(of: "creds_token") == .other("LoadCredential=creds:FOLDER"))
        #expect(unit.source(of: "creds_key") == .file("/etc/key"))
        #expect(unit.source(of: "creds") == .file("/etc/refrain/creds"))
        #expect(unit.source(of: "credstoken") == nil && unit.source(of: "other_token") == nil)
    }

    @Test func anEmptyValueEmptiesTheList() {
        let unit = read("LoadCredential=a:/a\nLoadCredential=\nLoadCredential=b:/b\nLoadCredential=%H:/c")
        #expect(unit.source(of: "a") == nil && unit.source(of: "b") == .file("/b"))
        #expect(read("SetCredential=a:b\nSetCredential=").isEmpty)
    }

    @Test func specifiersOfNodesAreReplaced() {
        let unit = read(
            "LoadCredential=key-%i:%E/refrain/%p-%i.p8\nLoadCredential=b:/%%n/%n/%N", unit: "refrain@2.service")
        #expect(unit.source(of: "key-2") == .file("/etc/refrain/refrain-2.p8"))
        #expect(unit.source(of: "b") == .file("/%n/refrain@2.service/refrain@2"))
    }
}
