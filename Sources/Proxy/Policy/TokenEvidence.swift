/// Evidence in the status of an answer about the developer token that was sent.
///
/// A 403 to a personal request is about the user's token, and Apple answers some writes 401
/// whatever the tokens are (APPLE-MUSIC-API 2.2.4, 3.2.22): neither is evidence.
enum TokenEvidence {
    /// The origin accepts the token.
    case accepted
    /// The origin refuses the token.
    case refused
    /// The status is about something else.
    case none

    /// - Parameters:
    ///   - isSafe: whether the method changes nothing.
    ///   - isPersonal: whether the route wants a user's token.
    ///   - hasUserToken: whether one went along.
    init(status: Int, isSafe: Bool, isPersonal: Bool, hasUserToken: Bool) {
        self =
            switch status {
            case 200..<300, 304: .accepted
            case 401 where isSafe && (!isPersonal || hasUserToken): .refused
            case 403 where isSafe && !isPersonal: .refused
            default: .none
            }
    }
}

extension OriginRequest {
    /// Whether a user's token goes along.
    var hasUserToken: Bool { forwarded.clientUserToken != nil || mayUseOperatorsToken }

    /// The evidence in an answer of this status.
    func tokenEvidence(_ status: Int) -> TokenEvidence {
        TokenEvidence(
            status: status, isSafe: forwarded.method.isSafe, isPersonal: facts.route.isPersonal,
            hasUserToken: hasUserToken)
    }
}
