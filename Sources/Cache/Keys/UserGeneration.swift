import Text

/// The name of the present state of one user's answers on all nodes that share a tier: 128 random
/// bits.
public struct UserGeneration: Sendable, Equatable {
    let bits: UInt128

    /// A new one: random bits, so it was almost certainly never used before.
    public static func random() -> UserGeneration { UserGeneration(bits: .random(in: .min ... .max)) }
}

extension UserGeneration {
    /// Reads 32 hexadecimal digits in lower case, and nothing else.
    public init?(digits: some Collection<UInt8>) {
        guard digits.count == 32 else { return nil }
        var bits: UInt128 = 0
        for digit in digits {
            guard let value = Hexadecimal.value(digit), Hexadecimal.lowercase(value) == digit else { return nil }
            bits = bits << 4 | UInt128(value)
        }
        self.init(bits: bits)
    }

    /// The most significant first.
    public var bytes: [UInt8] { UserHash(bits: bits).bytes }

    /// This generation, told apart from those of other lives of this node's connections, whose
    /// numbers are random.
    public func inLife(_ life: UInt64) -> UserGeneration { UserGeneration(bits: bits &+ UInt128(life)) }
}

extension UserHash {
    /// The most significant first.
    public var bytes: [UInt8] { (0..<16).map { UInt8(truncatingIfNeeded: bits >> (120 - 8 * $0)) } }

    /// This user, told apart from all other generations that nodes agree on.
    func inGeneration(_ common: UserGeneration) -> UserHash { UserHash(bits: bits ^ common.bits) }
}

extension UserHashKey {
    /// A key for all nodes that share keys under this prefix, without anything to agree on first.
    ///
    /// It is no secret. A secret in the engine would change when the engine is emptied, and one
    /// made of a password while the password is changed. Nodes that then call a user by two names
    /// would not hear of each other's writes. Tokens have too many random bits to be guessed, so a
    /// reader of the engine learns only of users whose tokens it has.
    public static func common(prefix: [UInt8]) -> UserHashKey {
        UserHashKey(bytes: Array("refrain user generations 1 ".utf8) + prefix)
    }
}
