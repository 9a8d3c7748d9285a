import Foundation
import Text

/// Ranks drawn by Zipf's law: the nth is asked for 1/n^exponent as often as the first.
struct Popularity {
    private let cumulative: [Double]

    init(_ count: Int, exponent: Double) {
        var sum = 0.0
        cumulative = (1...max(count, 1)).map { rank in
            sum += 1 / pow(Double(rank), exponent)
            return sum
        }
    }

    func rank(_ random: inout SplitMix64) -> Int {
        let point = Double.random(in: 0..<(cumulative.last ?? 1), using: &random)
        var (low, high) = (0, cumulative.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if cumulative[middle] > point { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
