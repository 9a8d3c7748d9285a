import AppleMusic

// What a recording may say of requests whose answers are one user's.

extension RecordedExchange {
    /// Without what is one user's: of a personal request the route stays. nil where the target
    /// cannot be read, for then nobody knows whose the answer is.
    /// - Parameter tellsWhoAsks: whether a user's token or a cookie went along: then the answer is
    ///   one user's, except on routes whose answers are the same for everybody.
    public func withoutPersonalParts(tellsWhoAsks: Bool) -> RecordedExchange? {
        guard let canonical = try? CanonicalTarget(target) else { return nil }
        let hidesTarget = canonical.route.isPersonal || (tellsWhoAsks && !canonical.route.isShared)
        guard isPersonal || hidesTarget else { return self }
        var copy = self
        copy.isPersonal = true
        copy.body = nil
        copy.requestFields.removeAll { !RecordedFields.ofPersonalRequests.contains($0.name) }
        guard hidesTarget else { return copy }
        let route = "\(canonical.route.template)"
        copy.target = route.utf8.first == UInt8(ascii: "/") ? route : RecordedTarget.unknownRoute
        return copy
    }
}
