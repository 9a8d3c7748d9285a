import TestSupport
import Testing

@testable import AppleMusic
@testable import Proxy

@Suite struct ClientKeysTests {
    private func keys(_ text: String) throws(ClientKeysError) -> ClientKeys {
        try ClientKeys(SecretBytes(Array(text.utf8).span))
    }

    private func admits(_ keys: ClientKeys, _ fields: String) throws -> Bool {
        let request = try ParsedRequest("GET / HTTP/1.1\r\nHost: x\r\n\(fields)\r\n")
        return keys.client(presenting: request.head, request.bytes.span) != nil
    }

    @Test func aKnownKeyIsAdmittedInEitherField() throws {
        let keys = try keys("# clients\n\nphone  0123456789abcdef\r\nweb\tfedcba9876543210\n")
        #expect(try admits(keys, "X-Refrain-Key: 0123456789abcdef\r\n"))
        #expect(try admits(keys, "Authorization: bearer fedcba9876543210\r\n"))
        for wrong in [
            "", "X-Refrain-Key: 0123456789abcdeg\r\n", "X-Refrain-Key: 0123456789abcde\r\n",
            "Authorization: Basic fedcba9876543210\r\n", "Authorization: Bearer\r\n", "X-Refrain-Key: phone\r\n",
        ] {
            #expect(try !admits(keys, wrong), "\(wrong)")
        }
    }

    @Test func countsOfAClientSurviveAReload() throws {
        let before = try keys("phone 0123456789abcdef\n")
        before.clients[0].count(status: 200, bytes: 5, isRefused: false)
        let file = SecretBytes(Array("web 0123456789abcdeg\nphone fedcba9876543210 9/s\n".utf8).span)
        let after = try ClientKeys(file, continuing: before)
        #expect(after.clients.map(\.requests) == [0, 1])
        #expect(after.clients.map(\.rate) == [nil, 9])
        #expect(try !admits(after, "X-Refrain-Key: 0123456789abcdef\r\n"))
    }

    @Test(arguments: [
        ("", "line 1: the file names no client"), ("phone\n", "line 1: expected a name, a key and optionally a rate"),
        ("\nphone short\n", "line 2: the key of phone has fewer than 16 characters"),
        ("a 0123456789abcdef\na 0123456789abcdeg\n", "line 2: client a is given twice"),
        ("a 0123456789abcdef\nb 0123456789abcdef\n", "line 2: client b has the same key as a"),
        ("a 0123456789abcdef more\n", "line 1: the third word is not a rate such as 50/s"),
        ("a 0123456789abcdef 0/s\n", "line 1: the third word is not a rate such as 50/s"),
        ("a 0123456789abcdef 5/s more\n", "line 1: expected a name, a key and optionally a rate"),
    ])
    func anErrorNamesItsLineAndNeverTheKey(text: String, message: String) {
        #expect(thrown { () throws(ClientKeysError) in try keys(text) }?.description == message)
    }

    /// A file for 420 apps was refused.
    @Test func thousandsOfClientsAreToldApart() throws {
        let count = 5_000
        let lines = (0..<count).map { "app\($0) key-of-app-number-\(10_000 + $0) \($0 + 1)/s\n" }
        let keys = try keys(lines.joined())
        #expect(keys.clients.map(\.rate) == (1...count).map { $0 })
        for number in [0, 419, count - 1] {
            let request = try ParsedRequest(fields: "X-Refrain-Key: key-of-app-number-\(10_000 + number)")
            #expect(keys.client(presenting: request.head, request.bytes.span)?.name == "app\(number)")
        }
        #expect(try !admits(keys, "X-Refrain-Key: key-of-app-number-15000\r\n"))
    }
}
