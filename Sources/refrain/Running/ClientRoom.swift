import Server
import Text

/// The number of connections that clients may have at once, and its limits. Pure.
struct ClientRoom: Equatable {
    /// Descriptors of the process.
    let descriptors: Int
    let upstreamConnections: Int
    let loops: Int
    /// `connections_per_address`; nil where it is off.
    let setPerAddress: Int?

    /// Descriptors for all but clients and the origin: segments are some sixty, or twice as many
    /// where many answers are longer than a segment; large bodies may have a few hundred.
    private static let spare = 320

    /// Connections that leave enough descriptors for the origin, the admin listener, files and
    /// large bodies.
    private var leftByDescriptors: Int {
        // An unlimited number must not turn negative.
        let rest = descriptors - min(descriptors, upstreamConnections + Self.spare)
        return max(descriptors / 4, rest)
    }

    /// Connections that the loops take.
    private var takenByLoops: Int { loops * Server.mostConnections }

    /// Connections in all.
    var all: Int { min(leftByDescriptors, takenByLoops) }

    /// Connections of one address: never more than half of all.
    var perAddress: Int { min(setPerAddress ?? .max, half) }

    private var half: Int { max(1, all / 2) }

    /// Names of the limits in the lines of refused clients.
    var names: LimitNames {
        [
            .address: addressName, .addressRequests: addressName,
            .descriptors: "\(all) connections of all clients, \(sourceOfAll)",
            .accept: "\(descriptors) descriptors (LimitNOFILE=)",
        ]
    }

    private var sourceOfAll: String {
        loopsBind
            ? "\(Server.mostConnections) for each of \(loops) loops (workers)"
            : "of \(descriptors) descriptors (LimitNOFILE=)"
    }

    /// Whether the loops take fewer connections than the descriptors allow.
    private var loopsBind: Bool { takenByLoops < leftByDescriptors }

    /// Whether `connections_per_address` is low enough to hold.
    private var isSetting: Bool { setPerAddress.map { $0 <= half } ?? false }

    private var addressName: String {
        isSetting
            ? "connections_per_address \(perAddress)" : "\(perAddress) connections of one address, half of all clients'"
    }

    private var limitOfAddress: String { isSetting ? "connections_per_address" : "half of all" }

    /// Comments for `check`: the connections in all and of one address, each with its limit, and
    /// the limit that refuses first.
    func text() -> String {
        "# clients at once: \(all) (\(limitOfAll.name): \(limitOfAll.words))\n"
            + "# clients at once of one address: \(perAddress) (\(limitOfAddress))\n"
            + "# refuses first: \(first)\n"
    }

    private var limitOfAll: (name: String, words: String) {
        if loopsBind {
            return ("loops", "\(Server.mostConnections) for each of \(loops)")
        }
        let rest = descriptors - upstreamConnections - Self.spare
        guard rest >= descriptors / 4 else { return ("descriptors", "a quarter of \(descriptors)") }
        return (
            "descriptors",
            "\(descriptors), less \(upstreamConnections) for upstream_connections and \(Self.spare) for other uses"
        )
    }

    private var first: String {
        guard perAddress < all else { return limitOfAll.name }
        let addresses = (all + perAddress - 1) / perAddress
        return "\(limitOfAddress) for one address; \(limitOfAll.name) for \(addresses) addresses or more"
    }

    /// `{"most","most_by","per_address","per_address_by","descriptors"}`
    var json: JSON {
        [
            "most": .integer(all), "most_by": .string(limitOfAll.name), "per_address": .integer(perAddress),
            "per_address_by": .string(limitOfAddress),
            "descriptors": .integer(descriptors),
        ]
    }
}

extension Configuration {
    /// - Parameter descriptors: the limit of the process.
    func clientRoom(under descriptors: Int) -> ClientRoom {
        ClientRoom(
            descriptors: descriptors, upstreamConnections: upstreamConnections, loops: loopCount,
            setPerAddress: connectionsPerAddress)
    }
}
