import AppleMusic
import Compose

/// Result of an attempt to compose an answer in place of asking the origin for it.
struct ComposingAttempt {
    /// The target's catalog request; nil where it is not understood.
    let request: CatalogRequest?
    /// Nil where it was composed, or lacks only what one request brings.
    let refusal: Refusal?
}
