import AppleMusic

/// The relationships and views that a request names, in `include` and `views`.
struct Selection: Hashable, Sendable {
    /// The name of a relationship or view.
    struct Name: Hashable, Sendable {
        let text: [UInt8]
        let isView: Bool
    }

    /// Ascending, each once.
    var include: [[UInt8]] = []
    var views: [[UInt8]] = []

    var isEmpty: Bool { include.isEmpty && views.isEmpty }

    var names: [Name] {
        include.map { Name(text: $0, isView: false) } + views.map { Name(text: $0, isView: true) }
    }

    func contains(_ name: Name) -> Bool { (name.isView ? views : include).contains(name.text) }

    /// Whether it names all that the other one names.
    func covers(_ other: Selection) -> Bool {
        other.include.allSatisfy(include.contains) && other.views.allSatisfy(views.contains)
    }

    /// Selection with further names, which it does not have yet.
    func adding(_ names: some Sequence<Name>) -> Selection {
        var (include, views) = (include, views)
        for name in names {
            if name.isView { views.append(name.text) } else { include.append(name.text) }
        }
        return Selection(
            include: include.sorted { $0.lexicographicallyPrecedes($1) },
            views: views.sorted { $0.lexicographicallyPrecedes($1) })
    }
}

extension RequestShape {
    var selection: Selection { Selection(include: include, views: views) }

    /// Shape with other names in `include` and `views`.
    func selecting(_ selection: Selection) -> RequestShape {
        RequestShape(
            subject: subject, type: type, include: selection.include, views: selection.views, decoration: decoration)
    }
}
