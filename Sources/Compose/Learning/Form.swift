import AppleMusic

// Must hold: what the answers of one form show is concluded of no other form. Each member below
// tells apart answers that an origin may show otherwise (DECISIONS 9.11).

/// Requests whose answers show resources alike: one or several, with the same parameters, in one
/// storefront and language.
struct Form: Hashable, Sendable {
    let shape: RequestShape
    let storefront: Storefront
    /// The value of `l`; empty where there is none.
    let language: [UInt8]
    /// Whether a batch asks for one resource.
    let isAlone: Bool

    init(_ shape: RequestShape, in request: CatalogRequest, isAlone: Bool) {
        (self.shape, self.isAlone) = (shape, isAlone && shape.subject == .batch)
        (storefront, language) = (request.storefront, request.language)
    }

    /// Every miss is looked up by its form, and most forms have no language.
    func hash(into hasher: inout Hasher) {
        shape.hash(into: &hasher)
        hasher.combine(storefront)
        if isAlone { hasher.combine(isAlone) }
        if !language.isEmpty { hasher.combine(language) }
    }

    /// Bytes that clients choose.
    var chosenBytes: Int { shape.byteCount + language.count }
}

extension CatalogRequest {
    /// The form of its answer.
    var form: Form { form(in: shape) }

    /// The form of the answer to a request for its resources in another shape.
    func form(in shape: RequestShape) -> Form { Form(shape, in: self, isAlone: resources.count == 1) }

    /// Whether a batch asks for one resource more than once: the origin may answer it as a batch of
    /// one, or of several.
    var repeatsOne: Bool { resources.count > 1 && resources.allSatisfy { $0 == resources[0] } }

    /// The form of a batch of a type without parameters, in its storefront and language.
    func plainBatch(of type: ResourceClass, isAlone: Bool) -> Form {
        Form(RequestShape(subject: .batch, type: type, include: [], decoration: []), in: self, isAlone: isAlone)
    }
}

extension RequestShape {
    /// The shape that asks for one resource, or for several.
    func asked(as subject: CatalogRequest.Subject) -> RequestShape {
        RequestShape(subject: subject, type: type, include: include, decoration: decoration)
    }
}
