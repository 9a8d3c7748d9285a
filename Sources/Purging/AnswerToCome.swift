/// An answer that the origin may give to a request. Its resources are not known yet.
struct AnswerToCome: Selectable {
    let target: [UInt8]
    let storefront: [UInt8]
    let classTag: UInt8

    func answers(_ test: ([UInt8]) -> Bool) -> Bool { test(target) }
    func mayBeOfClass(_ tag: UInt8) -> Bool { tag == classTag }
    func mayName(_ resource: UInt64) -> Bool { true }
    var named: [UInt64]? { nil }
}

extension EntrySelection {
    /// Whether the origin's answer to such a request may be among the chosen.
    package func chooses(_ target: [UInt8], storefront: [UInt8], classTag: UInt8) -> Bool {
        chooses(AnswerToCome(target: target, storefront: storefront, classTag: classTag))
    }
}
