import Freshness

extension StoredResponse {
    /// This response after a 304 with these end-to-end `Name: value\r\n` lines, which answers
    /// `preconditionLines`.
    public func freshened(by fields: [UInt8], _ revalidation: Revalidation) -> Freshening<StoredResponse> {
        revalidation.freshening(of: self, by: fields.span).map { renewed($0, revalidation) }
    }

    /// This response, of status 200, after a 200 to HEAD with these end-to-end lines: updated where
    /// it is about the same state of the content, stale where not, or where it may no longer be
    /// stored as it was.
    public func updated(byHead fields: [UInt8], contentLength: Int?, _ revalidation: Revalidation) -> StoredResponse {
        revalidation.renewal(of: self, byHead: fields.span, contentLength: contentLength)
            .flatMap { renewed($0, revalidation) } ?? withoutFreshness(at: revalidation.now)
    }

    /// Nil where the content is not what was stored: a damaged entry must not be refreshed.
    private func renewed(_ renewal: Renewal, _ revalidation: Revalidation) -> StoredResponse? {
        let body = body
        if isDamaged { return nil }
        return StoredResponse(
            key: key, status: status, fields: renewal.fields, followsOrigin: revalidation.rule.followsOrigin,
            body: body, receivedAt: revalidation.now, lifetime: renewal.lifetime, classTag: classTag,
            storefront: storefront, selecting: selecting, resources: resources, outline: outline,
            composition: composition, gzip: gzip?.body)
    }
}
