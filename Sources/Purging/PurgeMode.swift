/// The effect of a purge on each chosen answer.
public enum PurgeMode: String, Sendable {
    /// Removes it.
    case hard
    /// Takes its freshness away, so that the next request revalidates it or finds it stale.
    case soft
    /// Counts it without changing it.
    case dryRun
}
