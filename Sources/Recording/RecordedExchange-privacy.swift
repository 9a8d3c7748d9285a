import AppleMusic

// What a recording may say of requests whose answers are one user's.

extension RecordedExchange {
    /// Without what is one user's: of a personal request the route stays. nil where the target cannot be read, for then nobody
    /// knows whose the answer is.
    public var withoutPersonalParts: RecordedExchange? {
        guard let canonical = try? CanonicalTarget(target) else { return nil }
        guard isPersonal || canonical.route.isPersonal else { return self }
        var copy = self
        copy.isPersonal = true
        copy.body = nil
        copy.requestFields.removeAll { !RecordedFields.ofPersonalRequests.contains($0.name) }
        guard canonical.route.isPersonal else { return copy }
        let route = "\(canonical.route.template)"
        copy.target = route.utf8.first == UInt8(ascii: "/") ? route : RecordedTarget.unknownRoute
        return copy
    }
}
