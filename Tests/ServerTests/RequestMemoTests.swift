import Testing

@testable import HTTP
@testable import Server

@Suite struct RequestMemoTests {
    private func request(_ path: String = "/a", _ fields: String = "") -> [UInt8] {
        Array("GET \(path) HTTP/1.1\r\nHost: x\r\n\(fields)\r\n".utf8)
    }

    private func note(_ bytes: [UInt8], in memory: inout RequestMemo, times: Int) throws {
        var parser = HeadParser(limits: .request)
        let head = RequestHead()
        #expect(try parser.parse(bytes.span, into: head))
        for _ in 0..<times { memory.note(bytes.span, head) }
    }

    private func find(_ bytes: [UInt8], _ memory: RequestMemo) -> RepeatedRequest? {
        memory.find(bytes.span)
    }

    @Test func onlyRequestsThatCameTwiceAreKnown() throws {
        var memory = RequestMemo()
        let bytes = request("/abcdefgh", "Accept: application/json\r\n")
        try note(bytes, in: &memory, times: 1)
        #expect(find(bytes, memory) == nil)
        try note(bytes, in: &memory, times: 1)
        let known = try #require(find(bytes, memory))
        #expect(known.head.byteCount == bytes.count && known.head.method == .get)
        for index in bytes.indices {
            var other = bytes
            other[index] ^= 1
            #expect(find(other, memory) == nil)
        }
        #expect(find(bytes + bytes, memory) == nil && find(bytes.dropLast(), memory) == nil)
    }

    @Test(arguments: [
        "Authorization: Bearer x", "Music-User-Token: x", "Cookie: x=y", "X-Refrain-Key: x", "Media-User-Token: x",
        "proxy-authorization: Basic x",
    ])
    func requestsWithCredentialsAreNotKept(_ field: String) throws {
        var memory = RequestMemo()
        let bytes = request("/a", field + "\r\n")
        try note(bytes, in: &memory, times: 3)
        #expect(find(bytes, memory) == nil)
    }

    @Test func keepsNoHeadThatIsTooLong() throws {
        var memory = RequestMemo()
        let rest = RequestMemo.longest - request("").count
        for (count, isKept) in [(rest, true), (rest + 1, false)] {
            let bytes = request(String(repeating: "/", count: count))
            try note(bytes, in: &memory, times: 2)
            #expect((find(bytes, memory) != nil) == isKept)
        }
    }

    /// More than there are places: they take each other's, and none is taken for another.
    @Test func neverMistakesOneForAnother() throws {
        var memory = RequestMemo()
        var found = 0
        for number in 0..<RequestMemo.count * 2 {
            let bytes = request("/songs/\(number)")
            try note(bytes, in: &memory, times: 2)
            let known = try #require(find(bytes, memory))
            #expect(known.head.target.range == 4..<4 + "/songs/\(number)".utf8.count)
        }
        for number in 0..<RequestMemo.count * 2 {
            let bytes = request("/songs/\(number)")
            guard let known = find(bytes, memory) else { continue }
            #expect(known.head.target.range == 4..<4 + "/songs/\(number)".utf8.count)
            found += 1
        }
        #expect(found > 0)
    }

    /// The result is the same for known and unknown requests, however the bytes are cut.
    @Test func readsKnownAndUnknownAlike() {
        let known = request("/known", "Accept: */*\r\n")
        let stream = known + known + known + request("/other") + known + known
        for size in 1...stream.count {
            var memory = RequestMemo()
            let input = RequestInput(capacity: 16, limits: .request)
            var seen: [String] = []
            for start in stride(from: 0, to: stream.count, by: size) {
                input.bytes.append(stream[start..<min(start + size, stream.count)])
                while input.advance(&memory) == .complete {
                    let range = input.head.target.range
                    seen.append(input.withHeadBytes { String(decoding: $0.extracting(range).copy(), as: UTF8.self) })
                    input.finish()
                }
            }
            #expect(seen == ["/known", "/known", "/known", "/other", "/known", "/known"], "cut into \(size)")
        }
    }
}
