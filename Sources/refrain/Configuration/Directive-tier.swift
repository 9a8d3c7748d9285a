// The directives of the tier that nodes share. A loop keeps its connection for as long as it runs,
// so all of them are read at the start only.
extension Directive {
    static let sharing = [
        optional(
            "shared_tier", "URL", \.sharedTier, needsRestart: true,
            why: "Redis or Valkey engine that nodes share: redis://HOST:PORT or rediss://, further addresses after "
                + "commas",
            details: "The default port is 6379; write an IPv6 address in brackets. Addresses are tried in their "
                + "order, and the first master is used; a node of a Redis Cluster leads to the owner of the keys. At "
                + "most \(TierURL.mostEngines) addresses are allowed, and all have the same scheme. rediss:// is TLS, "
                + "and the certificate is verified. Put user and password into "
                + "shared_tier_auth_file, never here. All nodes must name the same engines and the same ttl personal.",
            read: TierURL.init),
        file(
            "shared_tier_auth_file", \.sharedTierAuthFile, .secret(.tierCredentials), needsRestart: true,
            why: "one line with the credentials for AUTH: \"PASSWORD\" or \"USER PASSWORD\"; read at the start"),
        file(
            "shared_tier_ca_file", \.sharedTierCAFile, .trustAnchors, needsRestart: true,
            why: "trust anchors (PEM) for rediss:// instead of the system's; read at the start"),
        value(
            "shared_tier_name", "NAME", \.sharedTierName, standard: "refrain", needsRestart: true,
            why: "prefix of every key in the engine, so that installations can share it; the same on all nodes"
        ) { word throws(ValueError) in try PlainWord.name(word, with: "-_.:") },
        duration(
            "shared_tier_timeout", \.sharedTierTimeout, standard: "50ms", upTo: (.seconds(1), "1s"), needsRestart: true,
            why: "how long a request waits for the shared tier, 10ms to 1s; then it continues as after a tier miss"),
        value(
            "node_name", "NAME", \.writtenNodeName, needsRestart: true,
            why: "name of this node among those that share the tier; by default the host's name"
        ) { word throws(ValueError) in try PlainWord.name(word, with: NodeName.others) },
    ]
}
