import Text

/// Result of one pass over an answer's body.
public struct DocumentScan: Sendable {
    /// The numbers of all resources that the body names (``ResourceMention``), ascending; none
    /// where it is not a JSON object or array, ``ResourceMention/everything`` alone where it is one
    /// of 2 GiB or more.
    public let mentions: [UInt64]
    /// Nil where the body cannot be trusted as material for other answers, which holds for content
    /// beside errors too: a resource that an error kept out of it is not absent.
    public let document: ResourceDocument?
    /// Whether the body is an answer of the API at all: a whole JSON object, whose `data` is a
    /// list, and which is not errors alone.
    public let isAnswer: Bool
    /// Whether the body is a JSON object with a member `errors` that is not empty. An answer with
    /// errors lacks what they are about.
    public let hasErrors: Bool

    /// Scans `body` once. Bounded in time and memory whatever it holds; never fails.
    public init(_ body: Span<UInt8>) {
        var scanner = DocumentScanner(byteCount: body.count)
        do throws(DocumentScanner.Stop) {
            try scanner.scan(body)
        } catch {
            mentions = [ResourceMention.everything]
            document = nil
            (isAnswer, hasErrors) = (false, false)
            return
        }
        hasErrors = scanner.content.hasErrors
        mentions = scanner.takeFound()
        isAnswer =
            scanner.content.isAnswer
            && (scanner.isTrusted || scanner.content.hasItems || Self.isWellShaped(body))
        let isPart = hasErrors && scanner.content.hasItems
        let isMaterial = scanner.isTrusted && !isPart && mentions != [ResourceMention.everything]
        document = isMaterial ? scanner.document : nil
    }

    /// Whether a text that is no document and has nothing in it looks like an answer: its members
    /// are not known. Of members with one name the last counts.
    private static func isWellShaped(_ body: Span<UInt8>) -> Bool {
        guard body.count <= mostParsed, let json = try? JSON.parse(content: body) else { return true }
        return json["data"].map { $0.arrayValue != nil } != false
            && json["results"].map { $0.objectValue != nil } != false
    }

    /// Larger bodies, in bytes, without any item are answers if they look so at first sight: as
    /// values they take twenty times the memory.
    private static let mostParsed = 256 << 10

    /// Scans `body` once.
    public init(_ body: [UInt8]) { self.init(body.span) }

    private init(mentions: [UInt64]) {
        self.mentions = mentions
        document = nil
        (isAnswer, hasErrors) = (false, false)
    }

    /// The scan of a body with a content coding, which cannot be read.
    public static let hidden = DocumentScan(mentions: [ResourceMention.everything])
}

extension ResourceDocument {
    /// The number of a member's name, escapes decoded: the same in one process, not from version to
    /// version. Names in `otherMembers` and `attributeNames` are added up.
    public static func nameNumber(_ name: Span<UInt8>) -> UInt64 {
        MemberName(name, 0, name.count).number
    }

    /// The number that a relationship or view of that name has in a document.
    public static func nameNumber(_ name: Span<UInt8>, isView: Bool) -> UInt64 {
        isView ? ~nameNumber(name) : nameNumber(name)
    }

    static let viewsNumber = nameNumber(Array("views".utf8).span)
}
