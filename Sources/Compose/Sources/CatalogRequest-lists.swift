import AppleMusic

// The numbers under which the index holds pages of lists: the same for the pages of a
// relationship's path as for the relationship inside its parent. They are hints: a page that is
// found by one is looked at, whether it is of the list.

extension CatalogRequest {
    /// The number of the list that a relationship begins.
    func listNumber(ofParent parent: UInt64, name: UInt64) -> UInt64 {
        indexNumber(ofResource: (parent ^ name.byteSwapped) &* 0x9E37_79B9_7F4A_7C15)
    }

    /// The number of the list that is asked for, the same as that of the relationship inside its
    /// parent; nil where the elements are asked for in another way than there.
    var listNumber: UInt64? {
        guard case .list(let name, let isView) = shape.subject, let parent = resources.first else { return nil }
        let list = listNumber(
            ofParent: parent.number, name: ResourceDocument.nameNumber(name.span, isView: isView))
        return shape.include.isEmpty
            ? list
            : shape.include.reduce(list) { number, name in
                (number ^ ResourceDocument.nameNumber(name.span)) &* 0x9E37_79B9_7F4A_7C15
            }
    }
}

extension UInt64 {
    /// The number of a resource of this number in a storefront, whatever the language and
    /// parameters.
    func inStorefront(_ storefront: [UInt8]) -> UInt64 {
        storefront.reduce(self) { ($0 ^ UInt64($1)) &* 0x9E37_79B9_7F4A_7C15 }
    }
}

extension CatalogRequest {
    /// The canonical target that it was taken from, or one that asks for the same.
    var target: [UInt8] {
        switch shape.subject {
        case .item, .list: target(limit: limit, offset: offset)
        case .batch: target(resources: resources)
        case .results: path
        }
    }
}
