import AppleMusic
import Testing

@testable import Compose

struct BatchRefusalsTests {
    private let songs = RequestShape(subject: .item, type: .songs, include: [], decoration: [])
    private let albums = RequestShape(subject: .item, type: .albums, include: [], decoration: [])
    private let us = Storefront("us")!, jp = Storefront("jp")!

    /// The misses that do not wait for others until one does.
    private func rest(_ refusals: inout BatchRefusals) -> Int {
        var misses = 0
        while !refusals.mayTry(songs, us), misses < 1_000_000 { misses += 1 }
        return misses
    }

    @Test func aRefusedKindRestsAloneAndBriefly() {
        var refusals = BatchRefusals()
        refusals.noteRefused(songs, us)
        #expect(refusals.mayTry(songs, jp) && refusals.mayTry(albums, us))
        #expect(rest(&refusals) == BatchRefusals.shortestRest)
    }

    @Test func eachFurtherRefusalDoublesTheRestUntilAnAnswer() {
        var (refusals, length) = (BatchRefusals(), BatchRefusals.shortestRest)
        while length < BatchRefusals.longestRest {
            refusals.noteRefused(songs, us)
            // A second list that was under way at the same time.
            refusals.noteRefused(songs, us)
            #expect(rest(&refusals) == length)
            length *= 2
        }
        for _ in 0..<2 {
            refusals.noteRefused(songs, us)
            #expect(rest(&refusals) == BatchRefusals.longestRest)
        }
        // A list that is answered ends it.
        refusals.noteAnswered(songs, us)
        refusals.noteRefused(songs, us)
        #expect(rest(&refusals) == BatchRefusals.shortestRest)
    }

    @Test func theKindWhoseRestEndsFirstGivesWay() {
        var refusals = BatchRefusals()
        let shapes = (0...BatchRefusals.mostKinds).map {
            RequestShape(subject: .item, type: .songs, include: [Array("\($0)".utf8)], decoration: [])
        }
        for shape in shapes.dropLast() { refusals.noteRefused(shape, us) }
        #expect(refusals.mayTry(shapes[7], us) == false)
        refusals.noteRefused(shapes[BatchRefusals.mostKinds], us)
        let resting = shapes.indices.filter { !refusals.mayTry(shapes[$0], us) }
        #expect(resting == shapes.indices.filter { $0 != 7 })
    }
}
