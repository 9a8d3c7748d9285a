import Upstream

// Requests to the origin by the client that caused them, in bounded room: Space-Saving (Metwally,
// Agrawal, El Abbadi, 2005) decides which networks have a row; of other parties there are no more
// than keys. Counts are exact: when a network loses its row, its count goes to `others`.
// Must hold: the rows and `others` add up to all requests; a network with more than the total
// divided by `capacity` has a row; no other party loses its row.

/// The clients of one loop that spend most. It is pure; code that shares it locks it.
struct Spenders: Sendable {
    struct Row: Sendable {
        /// Number of the row, new for each client that is given one.
        let number: Int
        let party: UpstreamParty
        /// Requests since it was given the row.
        var count = 0
        /// The weight of the row that it took over, which orders it and counts nothing.
        fileprivate let inherited: Int
    }

    /// Networks that have a row.
    static let capacity = 64
    private(set) var rows: [Row] = []
    private(set) var others = 0
    private var places: [UpstreamParty: Int] = [:]
    private var latest = 0
    private var networks = 0
    private var nextNumber = 0

    mutating func count(_ party: UpstreamParty) {
        if latest >= rows.count || rows[latest].party != party { latest = places[party] ?? makeRow(for: party) }
        rows[latest].count += 1
    }

    /// The place of a new row, which the lightest network gives up where all are taken.
    private mutating func makeRow(for party: UpstreamParty) -> Int {
        defer { nextNumber += 1 }
        guard party.isNetwork, networks == Self.capacity, let place = lightestNetwork else {
            if party.isNetwork { networks += 1 }
            places[party] = rows.count
            rows.append(Row(number: nextNumber, party: party, inherited: 0))
            return rows.count - 1
        }
        let gone = rows[place]
        others += gone.count
        places[gone.party] = nil
        places[party] = place
        rows[place] = Row(number: nextNumber, party: party, inherited: gone.weight)
        return place
    }

    private var lightestNetwork: Int? {
        rows.indices.filter { rows[$0].party.isNetwork }.min { rows[$0].weight < rows[$1].weight }
    }
}

extension Spenders.Row {
    fileprivate var weight: Int { count + inherited }
}

extension UpstreamParty {
    fileprivate var isNetwork: Bool { if case .network = self { true } else { false } }
}
