import AppleMusic

/// The part of a request that its client does not want yet.
package enum Growth: Sendable {
    /// A larger page of a list.
    case page(ListPage)
    /// Further relationships and views of the resources.
    case superset(Superset)
    /// The resource that shows the first page of the requested list.
    case owner(Superset)
}

extension Growth {
    /// Whether it brings all that the client wants: nothing stored takes part in the answer.
    var isForAll: Bool {
        switch self {
        // A window is cut out of one page, which is the new one then.
        case .page, .owner: true
        // A page of a list names no resources.
        case .superset(let superset):
            superset.resources.isEmpty || superset.resources == superset.request.resources
        }
    }
}

/// A page of a list that is asked for, or that a window was cut out of.
package struct ListPage: Sendable {
    /// The number under which the index has the list.
    let list: UInt64
    let offset: Int
    let limit: Int
    let shape: RequestShape
    let storefront: Storefront
    /// Whether it is asked for with ids in relationships of its items.
    var relates = false

    /// A number for the page; another one for the list's other pages.
    var number: UInt64 { (list &+ UInt64(offset) << 32 &+ UInt64(limit)) &* 0x9E37_79B9_7F4A_7C15 }
}

/// Resources that are asked for with more than the client wants.
package struct Superset: Sendable {
    /// The client's.
    let request: CatalogRequest
    /// The requested ones of its resources.
    let resources: [ResourceName]
    /// Whether it is for ids in relationships of nested resources.
    var relates = false
    /// The shape with more relationships and views of them; nil where it asks for no more of these.
    var wider: RequestShape?
    /// The type inside of whose resources an answer's resources were asked for so.
    var relatedIn: ResourceClass?
    /// The relationships and views that the client wants of them.
    private(set) var selection: Selection

    init(request: CatalogRequest, resources: [ResourceName], relatedIn: ResourceClass? = nil) {
        (self.request, self.resources, self.relatedIn) = (request, resources, relatedIn)
        selection = request.shape.selection
    }

    /// The resource that shows a list, for a client that wants the list.
    init(ownerOf list: CatalogRequest) {
        self.init(request: list, resources: list.resources)
        selection = list.selectionOfList
    }

    /// Counts the list inside the resource as the client's own selection.
    func inPlace(of list: CatalogRequest) -> Superset {
        var superset = self
        superset.selection = list.selectionOfList
        return superset
    }

    /// A page of a list, with ids in relationships of its items.
    init(pageOf request: CatalogRequest) {
        self.init(request: request, resources: [])
        relates = true
    }

    /// The form of the answer to a request for these resources in another shape.
    func form(in shape: RequestShape) -> Form { Form(shape, in: request, isAlone: resources.count == 1) }

    /// The numbers under which the index has the resources.
    var numbers: [UInt64] { resources.map { request.indexNumber(ofResource: $0.number) } }
    /// Whether the request may be a use of a larger one.
    var mayBeUse: Bool {
        if case .list = request.shape.subject { request.shape.decoration.isEmpty } else { request.mayHaveSuperset }
    }
}

extension CatalogRequest {
    /// Whether it may be asked for with more: resources of one type, no more than the origin shows
    /// with their relationships in its time (APPLE-MUSIC-API 4.1.20), and no parameters but
    /// `include`, `views`, `ids` and `l`.
    var mayHaveSuperset: Bool {
        switch shape.subject {
        case .item, .batch:
            shape.type.isResourceType && shape.decoration.isEmpty && resources.count <= Self.mostOfSuperset
        case .list, .results: false
        }
    }

    private static let mostOfSuperset = 50

    /// The relationship or view that a list is; empty for other requests.
    fileprivate var selectionOfList: Selection {
        guard case .list(let name, let isView) = shape.subject else { return Selection() }
        return isView ? Selection(views: [name]) : Selection(include: [name])
    }

    /// Whether the list's owner may show the whole answer: a first page without further parameters,
    /// for at least a hundred items. Smaller ones are rarely whole inside the owner.
    var mayBeShownByOwner: Bool {
        guard case .list(_, isView: false) = shape.subject, shape.include.isEmpty, shape.views.isEmpty else {
            return false
        }
        return shape.decoration.isEmpty && (offset ?? 0) == 0 && (limit ?? 0) >= Self.leastByOwner
    }

    private static let leastByOwner = 100
}
