import AppleMusic

/// Index of the resources in recorded answers, by resource and form.
///
/// It answers requests that only the proxy makes, such as `ids` of resources that clients asked for
/// one by one.
struct RecordedResources {
    /// A resource as it looks in answers of one form.
    private struct Place: Hashable {
        let storefront: Storefront
        let name: ResourceName
        let include: [[UInt8]]
        let decoration: [UInt8]
        let language: [UInt8]

        init(_ name: ResourceName, of request: CatalogRequest) {
            storefront = request.storefront
            self.name = name
            include = request.shape.include
            decoration = request.shape.decoration
            language = request.language
        }
    }

    struct Assembled {
        let body: [UInt8]
        /// The key of an answer that a resource was taken out of.
        let example: [UInt8]?
        /// Whether all resources were found that were asked for.
        let isWhole: Bool
    }

    private var answers: [Place: [UInt8]] = [:]

    /// The answer to this request was recorded under `key`.
    mutating func note(_ target: String, _ key: [UInt8]) {
        guard let request = Self.request(Array(target.utf8)) else { return }
        for name in request.resources { answers[Place(name, of: request)] = key }
    }

    /// `{"data":[...]}` of the known resources; nil for a request for anything else.
    /// - Parameter content: the content of the answer with that key and status.
    func assemble(_ target: [UInt8], _ content: (_ key: [UInt8], _ status: Int) -> [UInt8]?) -> Assembled? {
        guard let request = Self.request(target) else { return nil }
        var body = Array("{\"data\":[".utf8)
        var example: [UInt8]?
        var found = 0
        for name in request.resources {
            guard let key = answers[Place(name, of: request)], let answer = content(key, 200),
                let object = Self.object(name.id, in: answer)
            else { continue }
            if found > 0 { body.append(UInt8(ascii: ",")) }
            body += object
            example = key
            found += 1
        }
        body += Array("]}".utf8)
        return Assembled(body: body, example: example, isWhole: found == request.resources.count)
    }

    /// Reads targets of items and batches.
    private static func request(_ target: [UInt8]) -> CatalogRequest? {
        var canonical = CanonicalTarget()
        guard (try? canonical.parse(target.span)) != nil, let request = CatalogRequest(canonical),
            request.shape.subject == .item || request.shape.subject == .batch
        else { return nil }
        return request
    }

    /// The element of a document's `data` with this id.
    private static func object(_ id: [UInt8], in body: [UInt8]) -> ArraySlice<UInt8>? {
        guard let document = DocumentScan(body).document else { return nil }
        var index = document.envelope.firstElement
        while index < document.envelope.endElement {
            let object = document.objects[Int(index)]
            // With its quotation marks.
            if body[object.id.range].dropFirst().dropLast().elementsEqual(id) { return body[object.whole.range] }
            index = object.end
        }
        return nil
    }
}
