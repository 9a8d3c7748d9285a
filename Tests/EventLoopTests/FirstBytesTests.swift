import Testing

@testable import EventLoop

@Suite struct FirstBytesTests {
    @Test(arguments: [
        ("GET ", FirstBytes.request), ("DELETE /v1", .request), ("OPTIONS ", .request), ("PATCH / HTTP/1.1", .request),
        ("M-SEARCH * ", .request), ("PRI", .unknown), ("PRIX ", .request), ("", .nothing), ("G", .unknown),
        ("DELETE", .unknown), ("PRI * HTTP/2.0", .other), (" GET /", .other), ("GET\t/", .other),
        ("SSH-2.0-x\r\n", .other), ("\r\n\r\n", .other), ("\u{16}\u{3}\u{1}", .other),
        (String(repeating: "A", count: 32), .unknown), (String(repeating: "A", count: 32) + " ", .request),
        (String(repeating: "A", count: 33), .other), (String(repeating: "A", count: 33) + " ", .other),
    ])
    func aMethodIsKnownByTheSpaceAfterIt(text: String, expected: FirstBytes) {
        #expect(FirstBytes(Array(text.utf8).span) == expected)
    }
}
