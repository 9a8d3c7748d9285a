import Upstream

// Requests to the origin by the client that caused them, in bounded room: Space-Saving (Metwally,
// Agrawal, El Abbadi, 2005) decides which clients have a row. Counts are exact: what a client had
// counted when it lost its row is in `others`.
// Must hold: the rows and `others` add up to all requests; a client with more than the total
// divided by `capacity` has a row.

/// The clients of one loop that spend most. It is pure; code that shares it locks it.
struct Spenders: Sendable {
    struct Row: Sendable {
        /// Each row that a client is given has another one.
        let number: Int
        let party: UpstreamParty
        /// Requests since it was given the row.
        var count = 0
        /// The weight of the row that it took over, which orders it and counts nothing.
        fileprivate let inherited: Int
    }

    static let capacity = 64
    private(set) var rows: [Row] = []
    private(set) var others = 0
    private var places: [UpstreamParty: Int] = [:]
    private var latest = 0
    private var nextNumber = 0

    mutating func count(_ party: UpstreamParty) {
        if latest >= rows.count || rows[latest].party != party { latest = places[party] ?? makeRow(for: party) }
        rows[latest].count += 1
    }

    /// The place of a new row, which the lightest one gives up where all are taken.
    private mutating func makeRow(for party: UpstreamParty) -> Int {
        defer { nextNumber += 1 }
        guard rows.count == Self.capacity else {
            places[party] = rows.count
            rows.append(Row(number: nextNumber, party: party, inherited: 0))
            return rows.count - 1
        }
        var place = 0
        for other in rows.indices where rows[other].weight < rows[place].weight { place = other }
        let gone = rows[place]
        others += gone.count
        places[gone.party] = nil
        places[party] = place
        rows[place] = Row(number: nextNumber, party: party, inherited: gone.weight)
        return place
    }
}

extension Spenders.Row {
    fileprivate var weight: Int { count + inherited }
}
