import AppleMusic
import Compose

/// What came of the attempt to compose an answer in place of asking the origin for it.
struct ComposingAttempt {
    /// What the target asks for of the catalog; nil where it is not understood.
    let request: CatalogRequest?
    /// Nil where it was composed, or lacks only what one request brings.
    let refusal: Refusal?
}
