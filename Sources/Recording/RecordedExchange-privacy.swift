import AppleMusic

// What a recording may say of requests whose answers are one user's, and how targets are written in it.

extension RecordedExchange {
    /// Without what is one user's: of a personal request the route stays. nil where the target cannot be read, for then nobody
    /// knows whose the answer is.
    public var withoutPersonalParts: RecordedExchange? {
        guard let canonical = try? CanonicalTarget(target) else { return nil }
        guard isPersonal || canonical.route.isPersonal else { return self }
        var copy = self
        copy.isPersonal = true
        copy.body = nil
        guard canonical.route.isPersonal else { return copy }
        let route = "\(canonical.route.template)"
        copy.target = route.utf8.first == UInt8(ascii: "/") ? route : "/" + route
        return copy
    }

    /// A target as it goes on the wire: spaces and what is not ASCII are escaped. nil for what cannot be one, such as a text with
    /// line ends in it.
    static func target(spelt text: String) -> String? {
        var target: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x21..<0x7F: target.append(byte)
            case 0x20, 0x80...:
                let digits = Array("0123456789ABCDEF".utf8)
                target += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: return nil
            }
        }
        let spelt = String(decoding: target, as: UTF8.self)
        return isTarget(spelt) ? spelt : nil
    }
}
