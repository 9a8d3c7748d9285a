import TestSupport
import Testing

@testable import AppleMusic
@testable import refrain

@Suite struct TierCredentialsTests {
    private func read(_ text: String) throws(FileProblem) -> (user: String?, password: String) {
        let found = try TierCredentials(SecretBytes(Array(text.utf8).span))
        func string(_ bytes: SecretBytes) -> String { bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
        return (found.user.map(string), string(found.password))
    }

    @Test(
        arguments: [
            ("p", nil, "p"), ("p\n", nil, "p"), ("u p\r\n", "u", "p"), ("\tu \t p \n\n", "u", "p"),
            ("# who\n  # and what\n\np", nil, "p"), ("u:p\n", nil, "u:p"), ("default #p\n# end\n", "default", "#p"),
            ("päß wörd", "päß", "wörd"),
        ] as [(String, String?, String)])
    func readsTheArgumentsOfAUTH(text: String, user: String?, password: String) throws {
        let found = try read(text)
        #expect(found.user == user && found.password == password)
    }

    @Test(arguments: [
        ("", "no password in the file"), ("\n# p\n", "no password in the file"),
        ("#\na b c", "line 2: expected a password, or a user and a password"),
        ("p\n\nq", "line 3: more than one line of credentials"),
    ])
    func saysWhatIsWrongWithoutTheSecret(text: String, message: String) {
        #expect(thrown { () throws(FileProblem) in try read(text) }?.description == message)
    }
}
