import Testing

@testable import HTTP

@Suite struct TraceContextTests {
    private static let id = "0af7651916cd43dd8448eb211c80319c"

    private func traceID(_ text: String) -> String? {
        let bytes = Array(("x" + text).utf8)
        return TraceContext.traceID(bytes.span, 1..<bytes.count).map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    @Test func theIDIsFoundInStandardValues() {
        #expect(traceID("00-\(Self.id)-b7ad6b7169203331-01") == Self.id)
        #expect(traceID("cc-\(Self.id)-b7ad6b7169203331-01-what-comes") == Self.id)
    }

    @Test(arguments: [
        "", "00", "00-\(id)-b7ad6b7169203331-0", "00-\(id)-b7ad6b7169203331-01-more", "ff-\(id)-b7ad6b7169203331-01",
        "cc-\(id)-b7ad6b7169203331-01more", "00-\(id.uppercased())-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01", "00-\(id)-0000000000000000-01",
        "00_\(id)-b7ad6b7169203331-01", "00-\(id)-b7ad6b7169203331_01", "00-\(id)-b7ad6b716920333\"-01",
    ])
    func otherValuesHaveNoID(value: String) { #expect(traceID(value) == nil) }
}
