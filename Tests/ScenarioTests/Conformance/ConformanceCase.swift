// The parts of a conformance case: values that read like a table, and no behaviour.
//
// In fields, `<+3>` and `<-60>` are replaced by the HTTP date that many seconds from the moment the
// case begins, and `<url>` by the path of the case.

/// Exchanges over a URL that no other case uses, and the seconds that pass between them.
struct ConformanceCase: Sendable {
    enum Step: Sendable {
        case exchange(Exchange)
        case pause(seconds: Int)
    }

    let name: String
    let steps: [Step]

    init(_ name: String, _ steps: Step...) {
        self.name = name
        self.steps = steps
    }

    /// A response with these fields that is reused when some seconds have passed.
    static func reused(_ name: String, after seconds: Int = 3, status: Int = 200, _ fields: String...) -> Self {
        Self(
            name, .get(origin: OriginAnswer(status: status, fields: fields)), .pause(seconds: seconds),
            .get(expect: .reused))
    }

    /// A response with these fields that is not reused when some seconds have passed.
    static func asked(_ name: String, after seconds: Int = 3, status: Int = 200, _ fields: String...) -> Self {
        Self(name, .get(origin: OriginAnswer(status: status, fields: fields)), .pause(seconds: seconds), .get())
    }
}

/// A request, the origin's answer if it is asked, and the expectations on both sides.
struct Exchange: Sendable {
    var method = "GET"
    /// Appended to the path of the case.
    var path = ""
    var request: [String] = []
    var content: String?
    var answer: OriginAnswer
    let source: Source
    var details: [Detail]
}

extension ConformanceCase.Step {
    static func get(
        at path: String = "", sending request: String..., origin: OriginAnswer = .ok(), expect source: Source = .asked,
        _ details: Detail...
    ) -> Self {
        .exchange(Exchange(path: path, request: request, answer: origin, source: source, details: details))
    }

    static func send(
        _ method: String, at path: String = "", sending request: String..., content: String? = nil,
        origin: OriginAnswer = .ok(), expect source: Source = .asked, _ details: Detail...
    ) -> Self {
        .exchange(
            Exchange(
                method: method, path: path, request: request, content: content, answer: origin, source: source,
                details: details))
    }
}

struct OriginAnswer: Sendable {
    var status = 200
    var fields: [String] = []
    /// nil: a text that no other answer of the case has.
    var content: String?
    /// A request with this field line is answered by a 304, any other by a 200 with content.
    var condition: String?
    var hangsUp = false
    var interim: [(status: Int, fields: [String])] = []
    var delayMilliseconds: UInt32 = 0

    static let hangsUp = Self(hangsUp: true)

    static func ok(_ fields: String..., content: String? = nil) -> Self { Self(fields: fields, content: content) }

    static func answer(_ status: Int, _ fields: String..., content: String? = nil) -> Self {
        Self(status: status, fields: fields, content: content)
    }

    /// 304 with these fields, if the request has the line `condition`.
    static func notModified(if condition: String, _ fields: String...) -> Self {
        Self(fields: fields, condition: condition)
    }

    func after(interim status: Int, _ fields: String...) -> Self {
        var result = self
        result.interim.append((status, fields))
        return result
    }

    func after(milliseconds: UInt32) -> Self {
        var result = self
        result.delayMilliseconds = milliseconds
        return result
    }
}

/// Where the answer to the client comes from. Numbers count the exchanges of the case from 1.
enum Source: Sendable {
    /// The origin is asked, and the client gets its answer, end-to-end fields unchanged.
    case asked
    /// The same, but the origin's first answer was of no use, and it is asked twice.
    case askedAnew
    /// The origin is not asked; the client gets that exchange's answer again, with an `Age`.
    case stored(Int)
    /// The origin is not asked; the client gets the first answer's status and content with an
    /// `Age`, but not all of its fields as they were.
    case freshened
    /// The origin is asked, answers 304, and the client gets the first answer again.
    case revalidated
    /// The origin is asked and fails; the client gets the first answer again.
    case reusedStale
    /// The client gets the first answer again at once, and the origin is asked all the same.
    case reusedWhileAsked
    /// The origin is asked and fails, and so does the proxy: no stored answer is used.
    case failed
    /// The proxy answers on its own; the origin is not asked.
    case proxy

    static let reused = stored(1)
}

/// Further expectations of an exchange.
enum Detail: Sendable {
    /// The client's status, where it is not the one of the answer that it gets.
    case status(Int)
    /// The client's content, where it is not the one of the answer that it gets.
    case content(String)
    /// `Name: value`, all lines of that name as one list.
    case field(String)
    case noField(String)
    case age(Int)
    case ageAtLeast(Int)
    /// The origin sees `Name: value`.
    case sent(String)
    case method(String)
    case interim([Int])
}
