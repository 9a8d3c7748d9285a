import Cache
import Testing

@testable import Cache
@testable import Compose

/// The bytes that one composition may read, and those that its answer may have.
@Suite struct SourceReadingTests {
    private let reading = SourceReading()

    /// An album of that many bytes in an answer that was not looked at yet, as from the file.
    private static func unread(_ id: String, _ size: Int, isMapped: Bool = false) -> Stored {
        var stored = Stored("albums/\(id)", document(album(id).replacing("\"albums \(id)\"", with: filler(size))))
        stored.isMapped = isMapped
        return stored
    }

    private static func filler(_ size: Int) -> String {
        "\"\(String(decoding: [UInt8](repeating: UInt8(ascii: "x"), count: size), as: UTF8.self))\""
    }

    /// The library knows the places, and has read nothing: as after a start.
    private func scene(_ stored: [Stored]) throws -> StoredScene {
        let scene = StoredScene(memory: MemoryTier(maxBytes: 64 << 20, shardCount: 1))
        try scene.store([Taught.album, Taught.albums])
        for answer in stored {
            var known = answer
            known.isMapped = true
            try scene.store(known)
            if !answer.isMapped { scene.cache.store(try scene.response(answer)) }
        }
        return scene
    }

    /// A request for 80 songs, each in another answer of 7 MB, read 560 MB on the loop at once.
    @Test func nothingIsReadBeyondTheRoom() throws {
        let (one, other) = (Self.unread("1", 1_000), Self.unread("2", 2_000))
        let sum = one.body.utf8.count + other.body.utf8.count
        let scene = try scene([one, other])
        reading.begin(room: sum - 1)
        #expect(
            words(try scene.compose("albums?ids=1,2", isPeeking: true, reading: reading))
                == "batch sources-too-large")
        #expect(reading.isShort && reading.bytes == sum)
        reading.begin(room: sum)
        #expect(
            Outcome(try scene.compose("albums?ids=1,2", reading: reading))
                == .split([one, other].map { String($0.body.dropFirst(9).dropLast(2)) }))
        #expect(!reading.isShort && reading.bytes == sum)
        // They have maps since.
        reading.begin(room: 0)
        #expect(
            Outcome(try scene.compose("albums?ids=2,1", reading: reading))
                == .split([other, one].map { String($0.body.dropFirst(9).dropLast(2)) }))
        #expect(!reading.isShort && reading.bytes == 0)
    }

    /// Nothing is asked of the origin either but the whole: a part would be read with the rest.
    @Test func aPartIsNotAskedForBesideAnswersThatAreTooLarge() throws {
        let scene = try scene([Self.unread("1", 1_000)])
        reading.begin(room: 10)
        #expect(
            words(try scene.compose("albums?ids=1,5", isPeeking: true, reading: reading))
                == "batch sources-too-large")
        reading.begin()
        #expect(Outcome(try scene.compose("albums?ids=1,5", reading: reading)) == .fetch("albums?ids=5"))
    }

    /// Without any room only memory is asked, and nothing is read.
    @Test func withoutRoomNothingIsRead() throws {
        let scene = try scene([Self.unread("1", 1_000)])
        reading.begin(room: 0)
        scene.cache.memory.remove(try scene.response(Self.unread("1", 1_000)).key)
        #expect(words(try scene.compose("albums?ids=1,2", reading: reading)) == "batch sources-too-large")
        #expect(reading.isShort && reading.bytes == 0)
    }

    /// Answers in memory cost nothing to read, and an answer of any size was made of them.
    @Test func anAnswerThatCouldNotBeKeptIsNotComposed() throws {
        let half = BodyBuilder.mostBytes / 2
        let scene = try scene(
            [("1", half - 2_000), ("2", half - 2_000), ("3", half + 2_000)].map {
                Self.unread($0.0, $0.1, isMapped: true)
            })
        #expect(try scene.compose("albums?ids=1,2").isAnswer)
        #expect(words(try scene.compose("albums?ids=1,3")) == "batch answer-too-large")
    }

    @Test func aBodyOfVeryManyPiecesIsTooLong() {
        var builder = BodyBuilder()
        for _ in 0..<BodyBuilder.mostPieces { builder.append(",") }
        #expect(!builder.isTooLong && builder.joined()?.count == BodyBuilder.mostPieces)
        builder.append(",")
        #expect(builder.isTooLong && builder.joined() == nil)
    }

    /// As values, attributes of seven megabytes in another order took twenty times their size.
    @Test func largeAttributesAreComparedAsBytes() throws {
        func album(_ size: Int, isReversed: Bool) throws -> Candidate {
            let members = ["\"a\":1", "\"b\":\(Self.filler(size))"]
            let shown = (isReversed ? members.reversed() : members).joined(separator: ",")
            let body = document("{\"id\":\"1\",\"type\":\"albums\",\"attributes\":{\(shown)}}")
            let scene = StoredScene()
            let response = try scene.response(Stored("albums/1", body))
            let part = try #require(StoredSource(scanning: response))
            return Candidate(part: part, object: part.document.map.objects[0], placement: .item)
        }
        for (size, contradicts) in [(1_000, false), (64 << 10, true)] {
            let (one, other) = (try album(size, isReversed: false), try album(size, isReversed: true))
            #expect(one.contradicts(other) == contradicts, "\(size)")
            #expect(!one.contradicts(one))
        }
    }

    // MARK: What is asked for fits

    /// A list of a hundred albums, of which half were there, was asked for and thrown away.
    @Test func aPartThatCouldNotBeKeptIsNotAskedFor() throws {
        let stored = (1...4).map { Self.unread("\($0)", 1_000_000, isMapped: true) }
        let scene = try scene(stored)
        func target(_ further: Int) -> String {
            "albums?ids=" + (["1"] + (0..<further).map { "\(100 + $0)" }).joined(separator: ",")
        }
        #expect(Outcome(try scene.compose(target(4))) == .fetch("albums?ids=100,101,102,103"))
        #expect(words(try scene.compose(target(60))) == "supplement answer-too-large")
    }

    @Test func aPageThatCouldNotBeKeptIsNotAskedFor() throws {
        let first = page(1, "limit=20", 0..<20, next: 20)
        let scene = try StoredScene(Taught.pages + [first])
        #expect(
            Outcome(try scene.compose("artists/1/albums?limit=20&offset=20"))
                == .fetch("artists/1/albums?limit=100&offset=0"))
        let shape = try StoredScene.request("artists/1/albums").shape
        scene.library.sizes.note(tooLarge: shape, count: 100)
        #expect(words(try scene.compose("artists/1/albums?limit=20&offset=20")) == "growth answer-too-large")
    }
}
