import HTTP

// The origin's field lines that are kept, and the changes that an answer without content makes in
// them.
// Must hold: framing, connection fields, credentials, fields about the origin's own host and fields
// that vary from hit to hit (Age, Cache-Status) are never kept, whatever the caller; a line that is
// no field line is dropped, so nothing stored can split a response.

/// Field lines as bytes: `Name: value` CR LF, repeated.
public enum KeptFields {
    /// The lines of `fields` that may be stored, and whether these three are among them.
    /// - Parameter followsOrigin: whether the origin's rules are followed. Then they have to say
    ///   that an answer with a cookie is for everyone (RFC 9111 7.3). Otherwise neither Date nor
    ///   Set-Cookie stays: the answer is kept for longer than the origin knows of.
    public static func storable(
        _ fields: Span<UInt8>, followsOrigin: Bool
    ) -> (lines: [UInt8], hasDate: Bool, hasEntityTag: Bool, hasLastModified: Bool) {
        var kept: [UInt8] = []
        kept.reserveCapacity(fields.count + spareBytes)
        var (hasDate, hasEntityTag, hasLastModified) = (false, false, false)
        var lines = FieldLines()
        while let line = lines.next(in: fields) {
            guard isStorable(fields, line, followsOrigin) else { continue }
            if line.id == .date {
                // One that is a date, or none (RFC 9110 6.6.1).
                guard !hasDate, HTTPDate.parse(fields.extracting(line.value)) != nil else { continue }
                hasDate = true
            }
            if line.id == .etag { hasEntityTag = true }
            if line.id == .lastModified { hasLastModified = true }
            kept.append(fields.extracting(line.whole))
        }
        return (kept, hasDate, hasEntityTag, hasLastModified)
    }

    /// Room for the two lines that may have to be added.
    private static let spareBytes = 128

    /// Fields that describe one message or one connection rather than the content are not (RFC 9110
    /// 7.6.1, RFC 9111 3.1).
    private static func isStorable(_ fields: Span<UInt8>, _ line: FieldLines.Line, _ followsOrigin: Bool) -> Bool {
        switch line.id {
        case .authorization, .musicUserToken, .age, .cacheStatus: false
        case .date, .setCookie: followsOrigin
        case .other where fields.equalsIgnoringCase(line.name, "set-cookie2"): followsOrigin
        case .other: !fields.equalsIgnoringCase(line.name, "proxy-authentication-info")
        default: !line.id.isHopByHop && !line.id.isAboutHost
        }
    }

    /// `stored` lines, which this program or an older one has kept, as an answer may have them now:
    /// without fields about the origin's host, and without that host in references (FRAMING 2.12).
    /// Versions up to 1.0 stored both.
    /// - Parameter site: of the origin; nil where it is not known, and references stay.
    public static func known(_ stored: ArraySlice<UInt8>, from site: SiteAddress?) -> [UInt8] {
        var (kept, done) = ([UInt8](), 0)
        let bytes = stored.span
        var lines = FieldLines()
        while let line = lines.next(in: bytes) {
            if line.id.isAboutHost {
                kept.append(bytes.extracting(done..<line.whole.lowerBound))
                done = line.whole.upperBound
            } else if let site, SiteAddress.mayRefer(line.id, nameCount: line.name.count),
                let value = site.rewriting(line.id, bytes.extracting(line.name), bytes.extracting(line.value))
            {
                kept.append(bytes.extracting(done..<line.value.lowerBound))
                kept += value
                done = line.value.upperBound
            }
        }
        guard done > 0 else { return Array(stored) }
        kept.append(bytes.extracting(done..<bytes.count))
        return kept
    }

    /// `stored` lines, each replaced by those of its name in `new` (RFC 9111 3.2). Fields about the
    /// coding or range of the stored bytes stay; the old Date goes in any case, because the new
    /// answer came later.
    static func merged(_ stored: Span<UInt8>, updatedBy new: Span<UInt8>) -> [UInt8] {
        var merged: [UInt8] = []
        merged.reserveCapacity(stored.count + new.count)
        var lines = FieldLines()
        while let line = lines.next(in: stored) {
            if line.id == .date || hasUpdate(of: stored, line, in: new) { continue }
            merged.append(stored.extracting(line.whole))
        }
        lines = FieldLines()
        while let line = lines.next(in: new) {
            if isUpdate(new, line) { merged.append(new.extracting(line.whole)) }
        }
        return merged
    }

    private static func hasUpdate(of stored: Span<UInt8>, _ line: FieldLines.Line, in new: Span<UInt8>) -> Bool {
        var lines = FieldLines()
        while let other = lines.next(in: new) {
            guard other.id == line.id, isUpdate(new, other) else { continue }
            if line.id != .other || stored.equalsIgnoringCase(line.name, new, other.name) { return true }
        }
        return false
    }

    private static func isUpdate(_ fields: Span<UInt8>, _ line: FieldLines.Line) -> Bool {
        line.id != .contentEncoding && line.id != .contentRange && isStorable(fields, line, true)
    }
}
