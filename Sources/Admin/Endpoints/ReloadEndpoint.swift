import Text

extension AdminExchange {
    /// POST `{}`, or nothing: `{"changed":[...],"ending_connections":0}`, or 409 and why nothing
    /// was changed.
    func reload() {
        let isPlain = connection.body.isEmpty || (try? JSON.parse(connection.body))?.objectValue?.isEmpty == true
        guard request.query == nil, isPlain else {
            return reply(.error(400, "/reload takes nothing, or an empty JSON object, and no query."))
        }
        let finish = replyLater()
        surface.sources.reload { @Sendable outcome in
            switch outcome {
            case .adopted(let changed, let ending):
                finish(
                    .json(["changed": .array(changed.map { .string($0) }), "ending_connections": .integer(ending)]))
            case .refused(let problems):
                finish(Self.refusal("nothing was changed: " + problems.joined(separator: "; ")))
            }
        }
    }

    /// The shape of every error; the problem with a file may hold any character.
    private static func refusal(_ detail: String) -> AdminReply {
        let error: JSON = ["title": "Conflict", "detail": .string(detail), "status": "409", "code": "40900"]
        return AdminReply(status: 409, content: JSON.object(members: ["errors": .array([error])]).bytes)
    }
}
