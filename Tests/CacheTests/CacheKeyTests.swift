import TestSupport
import Testing

@testable import Cache

@Suite struct CacheKeyTests {
    @Test func twoDifferentTriplesNeverShareBytes() {
        // Parts short and alike, NUL and the scope words among them, so that parts that could run
        // together would.
        let targets: [[UInt8]] = ["", "/", "/a", "/a/b", "shared", "user:", "/v\0w", "\0", "\0\0", "/a\0"].map {
            Array($0.utf8)
        }
        let variants: [[UInt8]] = ["", "gzip", "/a", "shared", "a", "w"].map { Array($0.utf8) }
        let scopes: [CacheKey.Scope] = [.shared, someone(0), someone(1), someone(.max)]
        var (keys, bytes): (Set<CacheKey>, Set<[UInt8]>) = ([], [])
        for scope in scopes {
            for target in targets {
                for variant in variants {
                    let key = CacheKey(of: .none, scope: scope, target: target, variant: variant)
                    let isNew = keys.insert(key).inserted && bytes.insert(key.bytes).inserted
                    #expect(isNew, "\(scope) \(target) \(variant)")
                }
            }
        }
    }

    /// The change that kept the key as it was made each copy a little larger than the one before.
    @Test func aKeyThatIsSetAnewAndKeptEachTimeDoesNotGrow() {
        var key = CacheKey(of: .none)
        var kept: [CacheKey] = []
        for number in 0..<20_000 {
            key.set(scope: .shared, target: Array("/v1/catalog/us/songs/\(number * 7_919 % 100_000)".utf8))
            if kept.count < 500 { kept.append(key.compacted()) } else { kept[number % 500] = key.compacted() }
        }
        #expect(key.bytes.capacity < 256 && kept.allSatisfy { $0.bytes.capacity < 128 })
    }

    @Test func aReusedKeyEqualsAFreshOne() {
        var generator = SeededGenerator(seed: 7)
        var reused = CacheKey(of: .none)
        for _ in 0..<500 {
            let target = (0..<Int.random(in: 0..<90, using: &generator)).map { _ in
                UInt8.random(in: 33..<127, using: &generator)
            }
            let variant = Array(["", "gzip", "identity"].randomElement(using: &generator)!.utf8)
            let scope = Bool.random(using: &generator) ? CacheKey.Scope.shared : someone(generator.next())
            reused.set(scope: scope, target: target)
            #expect(reused == CacheKey(of: .none, scope: scope, target: target))
            reused.set(variant: Array("something longer".utf8))
            reused.set(variant: variant)
            #expect(reused == CacheKey(of: .none, scope: scope, target: target, variant: variant))
            #expect(reused.hash == CacheKey(of: .none, scope: scope, target: target, variant: variant).hash)
            #expect(Array(reused.target) == target && Array(reused.variant) == variant)
            #expect(reused.isPersonal == (scope != .shared))
        }
    }

    @Test func theHashIsTheHMACOfTokenAndProcessKey() throws {
        // Test case 2: key "Jefe", data "what do ya want for nothing?".
        let hash = UserHashKey(bytes: Array("Jefe".utf8)).hash(token: Array("what do ya want for nothing?".utf8).span)
        #expect(hash == UserHash(bits: 0x5BDC_C146_BF60_754E_6A04_2426_0895_75C7))
        let (one, other) = (try #require(UserHashKey()), try #require(UserHashKey()))
        let token = Array("token".utf8)
        #expect(one.hash(token: token.span) == one.hash(token: token.span))
        #expect(one.hash(token: token.span) != one.hash(token: Array("tokem".utf8).span))
        #expect(one.hash(token: token.span) != other.hash(token: token.span))
    }

    /// Many more keys than are remembered, in any order, each looked for several times.
    @Test func anIndexIsThatOfTheKey() {
        let keys = (0..<500).map {
            CacheKey(of: .none, scope: .shared, target: Array("/v1/catalog/us/songs/\($0)".utf8))
        }
        var recent = RecentIndices()
        for round in 1...3 {
            for number in keys.indices {
                let key = keys[number * round * 7 % keys.count]
                #expect(recent.index(of: key) == key.index)
                #expect(recent.index(of: key) == key.index)
            }
        }
    }
}
