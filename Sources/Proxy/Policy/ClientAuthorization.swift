import AppleMusic
import HTTP

/// The developer token that a client brings, with the site that the client says it asks for.
///
/// A token with the claim `origin` works for some sites alone (APPLE-MUSIC-API 2.1.6), so the site
/// goes along with it and tells its clients apart. It is left out where the token names none.
struct ClientAuthorization: Sendable, Equatable {
    /// The value of `Authorization`.
    let value: [UInt8]
    /// The value of `Origin`.
    let site: [UInt8]?
}

extension ClientAuthorization {
    /// Nil without the field.
    init?(_ head: RequestHead, _ bytes: Span<UInt8>) {
        guard let field = head.fields.first(.authorization) else { return nil }
        value = bytes.extracting(field.value.range).copy()
        let origin = head.fields.first(.origin)
        let isBound = origin != nil && TokenClaims.mayBeBound(authorization: bytes.extracting(field.value.range))
        site = isBound ? origin.map { bytes.extracting($0.value.range).copy() } : nil
    }
}
