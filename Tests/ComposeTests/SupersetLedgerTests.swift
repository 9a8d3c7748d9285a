import AppleMusic
import Testing

@testable import Compose

@Suite struct SupersetLedgerTests {
    /// Albums that a client wants with these names.
    private func albums(_ ids: [Int], _ include: String = "") throws -> Superset {
        let query = include.isEmpty ? "" : "&include=" + include
        let request = try StoredScene.request("albums?ids=" + ids.map(String.init).joined(separator: ",") + query)
        return Superset(request: request, resources: request.resources)
    }

    @Test func requestsThatNothingCanBeMadeOfEndIt() throws {
        var ledger = SupersetLedger()
        for number in 0..<3 {
            ledger.begin(try albums([number]))
            #expect(ledger.mayBegin, "the first three are tried")
        }
        ledger.begin(try albums([3]))
        #expect(!ledger.mayBegin)
    }

    @Test func aRestEndsByTraffic() throws {
        var ledger = SupersetLedger()
        for number in 0..<4 { ledger.begin(try albums([number])) }
        for miss in 0..<SupersetLedger.restLength {
            #expect(!ledger.mayBegin, "\(miss)")
            ledger.noteMiss()
        }
        #expect(ledger.mayBegin)
        for number in 4..<8 { ledger.begin(try albums([number])) }
        #expect(!ledger.mayBegin, "it has as much credit as in the beginning")
    }

    /// How many artists are asked for until it rests, when another client wants this of each.
    private func artists(_ query: String) throws -> Int {
        func artist(_ number: Int, _ query: String) throws -> Superset {
            let request = try StoredScene.request("artists/\(number)" + query)
            return Superset(request: request, resources: request.resources)
        }
        var (ledger, number) = (SupersetLedger(), 0)
        while ledger.mayBegin, number < 200 {
            ledger.begin(try artist(number, "?views=singles"))
            ledger.settle()
            _ = ledger.note(use: try artist(number, query))
            number += 1
        }
        return number
    }

    @Test func aFurtherViewIsOfUse() throws {
        #expect(try artists("?views=singles,top-songs") == 200)
        #expect(try artists("?views=singles") < 100)
        #expect(try artists("?include=albums&views=singles") == 200)
    }

    /// The first answers have run out, and were of use before.
    @Test func whatIsAskedForAnewIsOfUseAnew() throws {
        var ledger = SupersetLedger()
        for day in 0..<200 {
            #expect(ledger.mayBegin, "\(day)")
            ledger.begin(try albums([1]))
            ledger.settle()
            _ = ledger.note(use: try albums([1], "artists"))
        }
    }

    /// How many are asked for until it rests, when every so many-th is of use to another client.
    private func tries(oneOfUseIn share: Int) throws -> Int {
        var (ledger, number) = (SupersetLedger(), 0)
        while ledger.mayBegin, number < 2_000 {
            let resource = number
            ledger.begin(try albums([resource]))
            ledger.settle()
            _ = ledger.note(use: try albums([resource]))
            if number % share == 0 { _ = ledger.note(use: try albums([resource], "artists")) }
            number += 1
        }
        return number
    }

    @Test func bytesThatAreSeldomOfUseEndItLater() throws {
        #expect(try tries(oneOfUseIn: 8) == 2_000)
        #expect((65..<1_000).contains(try tries(oneOfUseIn: 40)))
    }

    @Test func theSameAnswerAgainIsOfNoUse() throws {
        var ledger = SupersetLedger()
        var number = 0
        while ledger.mayBegin, number < 1_000 {
            ledger.begin(try albums([number], "genres"))
            ledger.settle()
            // Each of them is in what the first client wanted, and is stored by then.
            for include in ["genres", "", "genres"] { _ = ledger.note(use: try albums([number], include)) }
            number += 1
        }
        #expect((40..<64).contains(number), "\(number)")
    }

    @Test func aBatchIsOfUseOnceHoweverManyItHas() throws {
        var (one, other) = (SupersetLedger(), SupersetLedger())
        let many = Array(0..<20)
        one.begin(try albums(many))
        one.settle()
        _ = one.note(use: try albums(many))
        _ = one.note(use: try albums(many, "artists"))
        other.begin(try albums([1]))
        other.settle()
        _ = other.note(use: try albums([1]))
        _ = other.note(use: try albums([1], "artists"))
        func left(_ ledger: SupersetLedger) throws -> Int {
            var (ledger, count) = (ledger, 0)
            while ledger.mayBegin {
                ledger.begin(try albums([1_000 + count]))
                count += 1
            }
            return count
        }
        #expect(try left(one) == left(other))
    }
}
