/// The meaning of an error of the origin's for the answer that is stored for the same target under
/// an operator's rule, by its status alone (DECISIONS 4.5).
public enum ErrorMeaning: Sendable {
    /// There is no such thing, or no longer, or not here for legal reasons (RFC 7725): the error
    /// takes the place of the answer.
    case absence
    /// It is about the credentials of one request.
    case credentials
    /// It is about the moment: the same request may succeed later.
    case moment
    /// It blames a request that was answered before, so the origin has changed, or something on the
    /// way to it.
    case request

    /// Nil for a status that is no error.
    public init?(status: Int) {
        switch status {
        case 404, 410, 451: self = .absence
        case 401, 402, 403, 407: self = .credentials
        case 408, 421, 425, 429, 500...: self = .moment
        case 400...: self = .request
        default: return nil
        }
    }
}
