import AppleMusic
import Testing

@testable import Compose

struct BatchRefusalsTests {
    private let songs = RequestShape(subject: .item, type: .songs, include: [], decoration: [])
    private let albums = RequestShape(subject: .item, type: .albums, include: [], decoration: [])
    private let us: Storefront
    private let jp: Storefront

    init() throws {
        us = try #require(Storefront("us"))
        jp = try #require(Storefront("jp"))
    }

    @Test func aRefusalRestsItsKindAlone() {
        var refusals = BatchRefusals()
        refusals.noteRefused(songs, us, at: 1_000)
        #expect(refusals.rests(songs, us, at: 1_000) && refusals.rests(songs, us, at: 1_059))
        #expect(!refusals.rests(songs, us, at: 1_060))
        #expect(!refusals.rests(songs, jp, at: 1_000) && !refusals.rests(albums, us, at: 1_000))
    }

    @Test func whatIsRefusedAgainRestsTwiceAsLong() {
        var refusals = BatchRefusals()
        var now: Int64 = 0
        for seconds in [60, 120, 240, 480, 960, 1_920, 3_840, 7_680, 15_360, 30_720, 61_440, 86_400, 86_400] {
            refusals.noteRefused(songs, us, at: now)
            // Others of the same moment change nothing.
            refusals.noteRefused(songs, us, at: now + 1)
            now += Int64(seconds)
            #expect(refusals.rests(songs, us, at: now - 1) && !refusals.rests(songs, us, at: now), "\(seconds)")
        }
    }

    @Test func anAnswerBeginsAnew() {
        var refusals = BatchRefusals()
        refusals.noteRefused(songs, us, at: 0)
        refusals.noteRefused(songs, us, at: 60)
        refusals.noteAnswered(songs, us)
        refusals.noteRefused(songs, us, at: 200)
        #expect(refusals.rests(songs, us, at: 259) && !refusals.rests(songs, us, at: 260))
    }

    @Test func kindsAreBounded() {
        var refusals = BatchRefusals()
        let shapes = (0...BatchRefusals.mostKinds).map {
            RequestShape(subject: .item, type: .songs, include: [Array("\($0)".utf8)], decoration: [])
        }
        for (index, shape) in shapes.enumerated() { refusals.noteRefused(shape, us, at: Int64(index)) }
        #expect(!refusals.rests(shapes[0], us, at: 0))
        #expect(shapes.dropFirst().allSatisfy { refusals.rests($0, us, at: 0) })
    }
}
