import TestSupport
import Testing

@testable import HTTP

@Suite struct CookiePairsTests {
    @Test(arguments: [
        ("a=1; b=2", ["a=1", "b=2"]), ("a=1;b=\"2\" ;", ["a=1", "b=2"]), (" a = 1 ", ["a=1"]), ("a", ["a="]),
        ("=1", ["=1"]), (";;", []), ("; ;a=1;;", ["a=1"]), ("a=b=c", ["a=b=c"]), ("a=\"", ["a=\""]), ("", []),
    ])
    func pairsAreTakenApart(value: String, pairs: [String]) {
        let bytes = Array(value.utf8)
        var (walk, found) = (CookiePairs(ByteRange(0, bytes.count)), [String]())
        while let pair = walk.next(in: bytes.span) {
            let text = [pair.name, pair.value].map { String(decoding: bytes[$0], as: UTF8.self) }
            found.append(text.joined(separator: "="))
        }
        #expect(found == pairs)
    }

    @Test func shortPairsArePassedOver() {
        let bytes = Array("a;b=1; token=2;; token=;tok;token=3".utf8)
        var (walk, found) = (CookiePairs(ByteRange(0, bytes.count), shortest: 7), [String]())
        while let pair = walk.next(in: bytes.span) { found.append(String(decoding: bytes[pair.value], as: UTF8.self)) }
        #expect(found == ["2", "3"])
    }
}
