import Text

// The one source of chance of the simulated API: a pure function of seed, question and item.
// Nothing is drawn in sequence, so any item can be made at any time, in any order, always the same.

/// The question of a draw; two questions about one item must not share their answer.
enum Salt: UInt64 {
    case name = 1
    case secondName, shape, albumCount, trackCount, genre, date, availability, retirement, explicitness
    case edition, artwork, colour, preview, notes, duration, label, code, playlist, videoCount, station, search
    case chart, fault, identifier, user, library, recent, recommendation, correlation, tag, recording, dateShift
    case revision
}

/// SplitMix64's finaliser over (seed, salt, two numbers).
struct Seed: Sendable, Equatable {
    let value: UInt64

    /// 64 well mixed bits.
    func bits(_ salt: Salt, _ first: Int, _ second: Int = 0) -> UInt64 {
        let one = SplitMix64.mixed(value &+ salt.rawValue &* 0x9E37_79B9_7F4A_7C15)
        let two = SplitMix64.mixed(one ^ (UInt64(bitPattern: Int64(first)) &* 0xD6E8_FEB8_6659_FD93))
        return SplitMix64.mixed(two &+ (UInt64(bitPattern: Int64(second)) &* 0xA076_1D64_78BD_642F))
    }

    /// A number in `0 ..< bound`.
    func number(below bound: Int, _ salt: Salt, _ first: Int, _ second: Int = 0) -> Int {
        Int(bits(salt, first, second) % UInt64(bound))
    }

    /// True for about one item in `share`.
    func isOne(in share: Int, _ salt: Salt, _ first: Int, _ second: Int = 0) -> Bool {
        number(below: share, salt, first, second) == 0
    }
}
