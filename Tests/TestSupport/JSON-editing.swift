import Text

extension JSON {
    /// A member of an object, to be set: in its place, or after the others; nil removes it.
    public subscript(member key: String) -> JSON? {
        get { self[key] }
        set {
            guard var object = objectValue else { return }
            let place = object.members.lastIndex { $0.key == key }
            switch (place, newValue) {
            case (let place?, let value?): object.members[place].value = value
            case (nil, let value?): object.append(key, value)
            case (_, nil): object.members.removeAll { $0.key == key }
            }
            self = .object(object)
        }
    }
}
