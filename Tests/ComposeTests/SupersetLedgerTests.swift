import AppleMusic
import Testing

@testable import Compose

@Suite struct SupersetLedgerTests {
    private let now: Int64 = 1_000

    /// Albums that a client wants with these names.
    private func albums(_ ids: [Int], _ include: String = "") throws -> Superset {
        let query = include.isEmpty ? "" : "&include=" + include
        let request = try StoredScene.request("albums?ids=" + ids.map(String.init).joined(separator: ",") + query)
        return Superset(request: request, resources: request.resources)
    }

    @Test func requestsThatNothingCanBeMadeOfEndIt() throws {
        var ledger = SupersetLedger()
        for number in 0..<3 {
            ledger.begin(try albums([number]), at: now)
            #expect(ledger.mayBegin(at: now), "the first three are tried")
        }
        ledger.begin(try albums([3]), at: now)
        #expect(!ledger.mayBegin(at: now) && !ledger.mayBegin(at: now + SupersetLedger.rest - 1))
        #expect(ledger.mayBegin(at: now + SupersetLedger.rest), "it is tried again")
    }

    /// How many are asked for until it rests, when every so many-th is of use to another client.
    private func tries(oneOfUseIn share: Int) throws -> Int {
        var (ledger, number) = (SupersetLedger(), 0)
        while ledger.mayBegin(at: now), number < 2_000 {
            let resource = number
            ledger.begin(try albums([resource]), at: now)
            ledger.settle()
            ledger.note(made: try albums([resource]))
            if number % share == 0 { ledger.note(made: try albums([resource], "artists")) }
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
        while ledger.mayBegin(at: now), number < 1_000 {
            ledger.begin(try albums([number], "genres"), at: now)
            ledger.settle()
            // Each of them is in what the first client wanted, and is stored by then.
            for include in ["genres", "", "genres"] { ledger.note(made: try albums([number], include)) }
            number += 1
        }
        #expect((40..<64).contains(number), "\(number)")
    }

    @Test func aBatchIsOfUseOnceHoweverManyItHas() throws {
        var (one, other) = (SupersetLedger(), SupersetLedger())
        let many = Array(0..<20)
        one.begin(try albums(many), at: now)
        one.settle()
        one.note(made: try albums(many))
        one.note(made: try albums(many, "artists"))
        other.begin(try albums([1]), at: now)
        other.settle()
        other.note(made: try albums([1]))
        other.note(made: try albums([1], "artists"))
        func left(_ ledger: SupersetLedger) throws -> Int {
            var (ledger, count) = (ledger, 0)
            while ledger.mayBegin(at: now) {
                ledger.begin(try albums([1_000 + count]), at: now)
                count += 1
            }
            return count
        }
        #expect(try left(one) == left(other))
    }
}
