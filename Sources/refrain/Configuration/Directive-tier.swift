// The directives of the tier that nodes share. A loop keeps its connection for as long as it runs,
// so all of them are read at the start only.
extension Directive {
    static let sharing = [
        optional(
            "shared_tier", "URL", \.sharedTier, needsRestart: true,
            why: "the Redis or Valkey that nodes share: redis://HOST:PORT or rediss://, further addresses after commas",
            details: "The port is 6379 where none is said; an IPv6 address stands in brackets. Addresses are tried in "
                + "their order, and the one that is a master is used; the scheme is the same for all, \(TierURL.mostEngines) "
                + "at most. rediss:// is TLS, and the certificate is verified. User and password stand in "
                + "shared_tier_auth_file, never here. All nodes name the same engines and the same ttl personal.",
            read: TierURL.init),
        file(
            "shared_tier_auth_file", \.sharedTierAuthFile, .secret(.tierCredentials), needsRestart: true,
            why: "one line with what its AUTH takes: \"PASSWORD\" or \"USER PASSWORD\"; read at the start"),
        file(
            "shared_tier_ca_file", \.sharedTierCAFile, .trustAnchors, needsRestart: true,
            why: "trust anchors (PEM) of rediss:// instead of the system's; read at the start"),
        value(
            "shared_tier_name", "NAME", \.sharedTierName, standard: "refrain", needsRestart: true,
            why: "what every key there begins with, so that installations can share an engine; alike on all nodes"
        ) { word throws(ValueError) in try PlainWord.name(word, with: "-_.:") },
        duration(
            "shared_tier_timeout", \.sharedTierTimeout, standard: "50ms", upTo: (.seconds(1), "1s"), needsRestart: true,
            why: "how long a request waits for it, 10ms to 1s; then all goes on as though it had nothing"),
        value(
            "node_name", "NAME", \.writtenNodeName, needsRestart: true,
            why: "what this node is called among those that share the tier; the host's name where it is not set"
        ) { word throws(ValueError) in try PlainWord.name(word, with: NodeName.others) },
    ]
}
