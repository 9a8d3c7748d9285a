import Purging
import Testing

@testable import Cache
@testable import Freshness
@testable import HTTP
@testable import Tier

@Suite struct TierValueTests {
    private static let text = String(repeating: "{\"id\":\"1\"}", count: 200)

    private func read(_ bytes: [UInt8], _ target: String = "/a", _ gzip: Gzip = .system) -> String {
        switch TierValue.read(bytes, for: key(target), gzip) {
        case .value: "value"
        case .mismatch: "mismatch"
        case .damaged: "damaged"
        case .unreadable: "unreadable"
        case .tooNew: "too new"
        }
    }

    @Test(arguments: [
        answer("/a", text, resources: [1, 9, .max - 1]),
        answer("/a", text, gzip: Gzip.system.deflate(Array(text.utf8))),
        answer("/a", "", selecting: "0123456789abcdef accept-language"),
    ])
    func aValueSurvivesItsBytes(stored: StoredResponse) throws {
        let bytes = try TierValue(stored, logMark: logMark(1_700_000_000_000, 7)).bytes()
        guard case .value(let value) = TierValue.read(bytes, for: stored.key) else {
            Issue.record("no value")
            return
        }
        #expect(value.logMark == logMark(1_700_000_000_000, 7))
        #expect(value.response.body == stored.body && value.response.gzip?.body == stored.gzip?.body)
        #expect(value.response.head == stored.head && value.response.lifetime == stored.lifetime)
        #expect(value.response.selecting == stored.selecting && value.response.isVariantIndex == stored.isVariantIndex)
        #expect(value.response.receivedAt == stored.receivedAt && value.response.classTag == stored.classTag)
        #expect(value.response.storefront == stored.storefront && value.response.resources == stored.resources)
        #expect(try value.bytes() == bytes)
    }

    /// Nodes of an older version leave fields about the origin's host there.
    @Test func aValueOfAnOlderNodeSaysNothingOfTheOriginsHost() throws {
        let lines = "Alt-Svc: h3=\":443\"\r\nA: b\r\nLocation: https://api.music.apple.com/c\r\nNEL: {}\r\n"
        let old = StoredResponse(
            restoring: key("/a"), status: 301, fields: Array(lines.utf8), content: .plain([]), receivedAt: noon,
            lifetime: Lifetime(freshFor: 1_000), classTag: 1, storefront: [])
        let bytes = try TierValue(old, logMark: logMark(1)).bytes()
        let site = SiteAddress(isTLS: true, host: "api.music.apple.com", port: 443)
        for (site, location) in [(site, "/c"), (nil, "https://api.music.apple.com/c")] {
            guard case .value(let value) = TierValue.read(bytes, for: key("/a"), from: site) else {
                Issue.record("no value")
                return
            }
            #expect(String(decoding: value.response.fields, as: UTF8.self) == "A: b\r\nLocation: \(location)\r\n")
        }
    }

    @Test func anotherKeyMismatchesAndCodedContentNeedsZlib() throws {
        let plain = try TierValue(answer("/a"), logMark: logMark(1)).bytes()
        for target in ["/b", "/aa", "", "/A"] { #expect(read(plain, target) == "mismatch") }
        #expect(read(plain) == "value")
        let stored = answer("/a", Self.text, gzip: Gzip.system.deflate(Array(Self.text.utf8)))
        let bytes = try TierValue(stored, logMark: logMark(1)).bytes()
        #expect(read(bytes, "/a", .absent) == "unreadable")
        #expect(read(plain, "/a", .absent) == "value")
        // A checksum agrees with content that was damaged before it was written.
        var coded = try #require(stored.gzip?.body)
        coded[coded.count / 2] ^= 0xFF
        let damaged = try TierValue(stored.copy(gzip: coded), logMark: logMark(1)).bytes()
        #expect(read(damaged) == "damaged")
    }

    @Test func everyChangedByteIsFoundOut() throws {
        let bytes = try TierValue(answer("/a"), logMark: logMark(1)).bytes()
        for index in bytes.indices {
            for flip in [1, 0x20, 0xFF] as [UInt8] {
                var changed = bytes
                changed[index] ^= flip
                let found = read(changed)
                #expect(found == "damaged" || index == 3 && found == "too new", "byte \(index): \(found)")
            }
        }
    }

    @Test func otherBytesAreDamagedOrTooNew() throws {
        var bytes = try TierValue(answer("/a"), logMark: logMark(1)).bytes()
        for count in bytes.indices { #expect(read(Array(bytes[..<count])) == "damaged", "\(count)") }
        for other in [bytes + [0], [], Array("OK".utf8), Array(repeating: 0, count: 100)] {
            #expect(read(other) == "damaged")
        }
        #expect(Array(bytes[..<4]) == Array("RfT1".utf8))
        bytes[3] = UInt8(ascii: "2")
        #expect(read(bytes) == "too new")
        bytes[3] = UInt8(ascii: "0")
        #expect(read(bytes) == "damaged", "there was none before the first")
    }

    @Test func onlySharedAnswersUpToFourMebibytesEnter() throws {
        let overhead = try TierValue(answer("/a", ""), logMark: logMark(1)).bytes().count
        // The tag of content has its length in it.
        for (bytes, isTaken) in [
            (TierValue.maxBytes - overhead - 16, true), (TierValue.maxBytes - overhead + 1, false),
        ] {
            let body = String(decoding: [UInt8](repeating: UInt8(ascii: "x"), count: bytes), as: UTF8.self)
            #expect((TierValue(answer("/a", body), logMark: logMark(1)).encoded() != nil) == isTaken, "\(bytes)")
        }
        #expect(read([UInt8](repeating: 0, count: TierValue.maxBytes + 1)) == "damaged")
        let user = try #require(someone())
        #expect(TierValue(answer("/a", scope: .personal(user)), logMark: logMark(1)).encoded() == nil)
        let composed = StoredResponse(
            composed: Array("{}".utf8), key: key("/a"), parts: [answer("/b")], detail: .composed, receivedAt: noon,
            born: 0,
            lifetime: Lifetime(freshFor: 1), classTag: 1)
        #expect(TierValue(composed, logMark: logMark(1)).encoded() == nil)
    }

    /// The value stayed for as long as it could have been served stale, and no node took it.
    @Test func aValueIsKeptForAsLongAsItIsFresh() {
        let lifetime = Lifetime(freshFor: 100, staleFor: 50, staleIfErrorFor: 80, keepFor: 200, initialAge: 10)
        let value = TierValue(answer("/a", lifetime: lifetime), logMark: logMark(1))
        #expect(value.millisecondsToLive(at: noon) == 90_000)
        #expect(value.millisecondsToLive(at: noon + 89) == 1_000)
        #expect(value.millisecondsToLive(at: noon + 90) == nil)
        #expect(value.millisecondsToLive(at: noon - 50) == 90_000)
        let forEver = TierValue(answer("/a", lifetime: Lifetime(freshFor: .max, keepFor: .max)), logMark: logMark(1))
        #expect(forEver.millisecondsToLive(at: noon) ?? 0 > 1 << 30 * 1_000)
    }

    /// The rest of the freshness, and whether the value is of use, after `seconds` under `rule`.
    @Test(arguments: [
        (0, Lifetime(freshFor: 100, staleFor: 50), 90, true), (60, Lifetime(freshFor: 80, staleFor: 50), 20, true),
        (60, Lifetime(freshFor: 60), 0, false), (89, Lifetime(freshFor: 5_000), 1, true),
        (110, Lifetime(freshFor: 100, staleFor: 50), 0, true),
        (140, Lifetime(freshFor: 5_000, staleFor: 900), 0, false),
    ])
    func takingItAppliesTheShorterLifetime(after seconds: Int, rule: Lifetime, fresh: Int, isUseful: Bool) {
        let stored = answer("/a", lifetime: Lifetime(freshFor: 100, staleFor: 50, initialAge: 10))
        let now = noon + Int64(seconds)
        let taken = TierValue(stored, logMark: logMark(1)).taken(under: rule, bornUnder: 7, at: now)
        #expect((taken != nil) == isUseful)
        guard let taken else { return }
        #expect(taken.age(at: now) == 10 + seconds && taken.receivedAt == noon && taken.born == 7)
        if case .fresh(let ttl) = Freshness.of(taken, at: now) { #expect(ttl == fresh) } else { #expect(fresh == 0) }
    }

    /// The fetching node's clock was ahead, and the value seemed younger than a purge that came
    /// after it.
    @Test(arguments: [-86_400, 0, 86_400] as [Int64])
    func noClockMakesAValueYounger(ahead: Int64) {
        let (knowledge, purges) = (PurgeKnowledge(), Purges())
        knowledge.begin(epoch, forgottenUntil: .start, in: purges)
        knowledge.note(LogPosition(2, 0), as: 1)
        purges.note(EntrySelection([.target(Array("/b".utf8))]), .hard)
        knowledge.move(to: logMark(2), mayTake: true)
        func born(since position: UInt64) -> Int64? {
            knowledge.born(TierValue(answer("/a", at: noon + ahead), logMark: logMark(position)))
        }
        #expect(born(since: 2) == 1 && born(since: 1) == 0)
        let unlogged = UnloggedPurge(number: 1, record: purge(.target(Array("/c".utf8))))
        knowledge.hold([unlogged], from: 2)
        purges.note(unlogged.record.selection, .hard)
        #expect(born(since: 2) == 1)
        knowledge.hold([unlogged, unlogged], from: 3)
        #expect(born(since: 2) == 1)
        knowledge.hold([], from: 3)
        #expect(born(since: 2) == 2)
        knowledge.move(to: logMark(2), mayTake: false)
        #expect(born(since: 2) == nil)
    }
}
