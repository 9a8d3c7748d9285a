import AppleMusic
import Testing

@testable import Compose

@Suite struct ListCutRuleTests {
    private func shape(_ target: String) throws -> RequestShape { try StoredScene.request(target).shape }

    @Test func oneKindOfListSaysNothingOfAnother() throws {
        var rule = ListCutRule()
        rule.note(.filling, of: try shape("artists/1/albums"), at: 0, until: 100)
        rule.note(.filling, of: try shape("artists/1/albums?extend=a"), at: 0, until: 100)
        #expect(rule.conclusion(at: 10) == .unknown, "with another parameter it is the same kind")
        rule.note(.unknown, of: try shape("artists/1/music-videos"), at: 0, until: 100)
        #expect(rule.conclusion(at: 10) == .unknown)
        rule.note(.filling, of: try shape("playlists/1/tracks"), at: 0, until: 50)
        #expect(rule.conclusion(at: 49) == .filling)
        #expect(rule.conclusion(at: 50) == .unknown, "the record of the form is over")
    }

    @Test func oneKindThatIsCutOtherwiseEndsIt() throws {
        var rule = ListCutRule()
        for target in ["artists/1/albums", "playlists/1/tracks", "artists/1/music-videos"] {
            rule.note(.filling, of: try shape(target), at: 0, until: 100)
        }
        #expect(rule.conclusion(at: 10) == .filling)
        rule.note(.first, of: try shape("albums/1/tracks"), at: 0, until: 20)
        #expect(rule.conclusion(at: 10) == .unknown && rule.conclusion(at: 20) == .filling)
        rule.note(.various, of: try shape("artists/1/albums"), at: 0, until: 100)
        #expect(rule.conclusion(at: 20) == .unknown)
    }

    @Test func thatListsAreCutFirstIsNotCarriedOver() throws {
        var rule = ListCutRule()
        for target in ["artists/1/albums", "playlists/1/tracks"] {
            rule.note(.first, of: try shape(target), at: 0, until: 100)
        }
        #expect(rule.conclusion(at: 10) == .unknown)
    }

    @Test func aSightThatIsOverSaysNothingOfTheNext() throws {
        var rule = ListCutRule()
        for target in ["artists/1/albums", "playlists/1/tracks"] {
            rule.note(.first, of: try shape(target), at: 0, until: 10)
            rule.note(.filling, of: try shape(target), at: 10, until: 100)
        }
        #expect(rule.conclusion(at: 20) == .filling)
    }
}
