extension SimulatedExchange {
    /// The reply of the endpoint that the path leads to.
    func reply() throws(APIError) -> Reply {
        let elements = target.elements
        guard elements.count > 1, elements[0] == "v1" else { throw .notFound }
        let rest = Array(elements.dropFirst(2))
        switch elements[1] {
        case "catalog": return try catalogReply(rest)
        case "storefronts": return try storefronts(rest)
        case "language": return try languageTag(rest)
        case "test" where rest.isEmpty:
            try requireRead()
            return Reply(body: Array("{}".utf8))
        case "me": return try personalReply(rest)
        default: throw .notFound
        }
    }
}
