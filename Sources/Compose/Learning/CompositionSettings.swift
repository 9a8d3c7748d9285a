/// Which answers the proxy composes of stored ones: the directives `compose`, `windows`,
/// `batch`, `superset_includes`, `documented_forms` and `next`.
public struct CompositionSettings: Sendable, Equatable {
    /// Whether answers are composed, or only compared.
    public enum Mode: String, CaseIterable, Sendable {
        case on
        /// The origin is asked all the same, its answer is the one that is served, and what would
        /// have been composed is compared with it.
        case verify
        case off
    }

    /// Answers out of stored resources.
    public var compose = Mode.on
    /// Windows into lists out of stored pages, and larger pages for clients that walk.
    public var windows = true
    /// Misses of single resources that come together, joined into one request.
    public var batch = true
    /// Resources with the relationships that clients often want, where a client wants fewer.
    public var supersets = true
    /// Whether `next` repeats the client's own parameters.
    public var completesNext = false
    /// Whether more is asked for than clients ask for in forms that the API's documentation has and
    /// this origin did not show yet. No answer is composed in such a form.
    public var trustsDocumentation = false
    /// How much evidence it takes before resources are shown in other kinds of answers than those
    /// that hold them.
    var placements = PlacementDemand()
    /// Memory for the index of resources, in bytes.
    public var indexBytes = 8 << 20

    /// The defaults.
    public init() {}
}

extension CompositionSettings {
    /// Whether clients' answers may be made of larger ones, which are asked for.
    var asksForMore: Bool { supersets && compose == .on }
}
