/// How many letters have to be put in, taken out, replaced or swapped with their neighbour to make
/// the one of the other (optimal string alignment). The time is the product of the lengths.
public func editDistance(_ first: [UInt8], _ second: [UInt8]) -> Int {
    var before: [Int] = []
    var above = Array(0...second.count)
    for row in first.indices {
        var current = [row + 1]
        current.reserveCapacity(above.count)
        for column in second.indices {
            let substitution = above[column] + (first[row] == second[column] ? 0 : 1)
            var best = min(substitution, above[column + 1] + 1, current[column] + 1)
            let isSwap =
                row > 0 && column > 0 && first[row] == second[column - 1] && first[row - 1] == second[column]
            if isSwap { best = min(best, before[column - 1] + 1) }
            current.append(best)
        }
        before = above
        above = current
    }
    return above[second.count]
}
