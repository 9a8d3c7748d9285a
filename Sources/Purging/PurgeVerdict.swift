/// The effect on something of the purges since it was born.
public enum PurgeVerdict: Sendable, Equatable {
    /// None has chosen it.
    case untouched
    /// Its freshness has ended.
    case stale
    /// It must not be used any more.
    case gone
}
