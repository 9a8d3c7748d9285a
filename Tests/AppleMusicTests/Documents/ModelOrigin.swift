@testable import AppleMusic

/// A list of places, some of which hold nothing to show, and an origin that makes pages of it in
/// one of the ways that were seen (APPLE-MUSIC-API 7.9, 7.10).
struct ModelOrigin {
    struct Answer: Equatable {
        /// The places of the items.
        var items: [Int]
        var next: Int?
    }

    var isAvailable: [Bool]
    /// Whether it goes on until the page is full, instead of cutting first and dropping after.
    var fillsUp: Bool

    func page(offset: Int, limit: Int) -> Answer {
        var position = min(offset, isAvailable.count)
        var items: [Int] = []
        while position < isAvailable.count, fillsUp ? items.count < limit : position < offset + limit {
            if isAvailable[position] { items.append(position) }
            position += 1
        }
        return Answer(items: items, next: position < isAvailable.count ? position : nil)
    }

    /// The same with the facts by which it is cut.
    func stored(offset: Int, limit: Int) -> (page: StoredPage, answer: Answer) {
        let answer = page(offset: offset, limit: limit)
        return (StoredPage(offset: offset, count: answer.items.count, limit: limit, next: answer.next), answer)
    }
}
