/// Carries what is confined to a loop through code of other threads, back to that loop. It keeps nothing alive.
///
/// `@unchecked Sendable` because the object is touched only in what its loop executes.
struct Confined<Object: AnyObject>: @unchecked Sendable {
    private(set) weak var object: Object?

    init(_ object: Object) {
        self.object = object
    }
}
