import TestSupport
import Testing

@testable import HTTP

/// Properties of any message, tested with generated ones; a failure prints the seed to repeat it.
@Suite struct MessagePropertyTests {
    private func pick<T>(_ choices: [T], _ generator: inout SeededGenerator) -> T {
        choices[Int.random(in: 0..<choices.count, using: &generator)]
    }

    /// A stream of requests, mostly well-formed, with some bytes spoilt.
    private func stream(_ generator: inout SeededGenerator) -> [UInt8] {
        var text = ""
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let chunked = Bool.random(using: &generator)
            text += pick(["", "\r\n"], &generator)
            text += pick(["GET", "POST", "M-SEARCH", "TRACE"], &generator)
            text += " " + pick(["/", "/a%20b?c", "http://h/x", "*", "//"], &generator)
            text += pick([" HTTP/1.1", " HTTP/1.0", " HTTP/1.1"], &generator) + "\r\nHost: h\r\n"
            text += pick(["", "Connection: close\r\n", "Expect: 100-continue\r\n", "X: \t y \r\n"], &generator)
            text += chunked ? "Transfer-Encoding: chunked\r\n\r\n" : "Content-Length: 4\r\n\r\nbody"
            if chunked {
                text += pick(
                    ["3;a=\"b\"\r\nabc\r\n0\r\nT: v\r\n\r\n", "0\r\n\r\n", "1\r\nx\r\n00\r\n\r\n"], &generator)
            }
        }
        var bytes = [UInt8](text.utf8)
        for _ in 0..<pick([0, 0, 1, 2], &generator) {
            let index = Int.random(in: 0..<bytes.count, using: &generator)
            bytes[index] = pick(
                [0, 9, 10, 13, 32, 58, 59, 44, 128, 255, UInt8.random(in: 0...255, using: &generator)], &generator)
        }
        return bytes
    }

    @Test(arguments: TestSize.of(0..<100, full: 0..<400))
    func trickledEqualsWhole(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let bytes = stream(&generator)
        let whole = Verdict(reading: bytes)
        let cuts = (0..<6).map { _ in Int.random(in: 0...bytes.count, using: &generator) }.sorted()
        #expect(Verdict(reading: bytes, cuts: cuts) == whole, "seed \(seed), cuts \(cuts)")
        #expect(Verdict(reading: bytes, cuts: Array(0..<bytes.count)) == whole, "seed \(seed), bytewise")
    }

    @Test(arguments: TestSize.of(0..<100, full: 0..<400))
    func randomBytesNeverTrap(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let beginnings = [
            "", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
            "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        ]
        var bytes = [UInt8](pick(beginnings, &generator).utf8)
        let alphabet: [UInt8] = [UInt8]("\r\n\r\n :;,=\"\\%09afGX/".utf8) + [0, 0x7F, 0x80, 0xFF]
        for _ in 0..<Int.random(in: 0...200, using: &generator) { bytes.append(pick(alphabet, &generator)) }
        let request = Verdict(reading: bytes)
        #expect(request.messages <= bytes.count)
        var reader = AnswerReader()
        reader.begin(isHead: false, keepsContent: true)
        _ = try? reader.take(bytes.span)
        _ = HTTPDate.parse(bytes.span)
        var directives = CacheControl()
        directives.merge(bytes.span)
    }
}
