import Text

/// Key of a party in tables that connections or waiting requests bound, and that each request
/// changes: networks, which clients may choose, are not hashed with the process's key.
struct PartyKey: NumberedKey {
    let party: UpstreamParty

    init(_ party: UpstreamParty) { self.party = party }

    var hashNumber: UInt64 {
        switch party {
        case .everyone: 1
        case .background: 2
        case .named(let number): number
        case .network(let number): ~number
        }
    }
}
