import Text

// The fields around a reply (APPLE-MUSIC-API 9), and the bodies of errors (APPLE-MUSIC-API 8).

/// Answer of an endpoint; without content it has no `Content-Type`.
struct Reply: Sendable {
    var status = 200
    var body: [UInt8] = []
}

enum ResponseFields {
    private static let base32 = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
    private static let timeoutPage = """
        <!DOCTYPE html>
        <html lang="en">
        <head><title>Gateway Timeout</title></head>
        <body><h1>Gateway Timeout</h1><p>The server took too long to answer.</p><p>Correlation Key: KEY</p></body>
        </html>
        """

    static func success(
        _ reply: Reply, _ request: SimulatorRequest, _ configuration: SimulatorConfiguration
    ) -> SimulatorResponse {
        let bits = correlation(request, configuration.seed)
        var fields = common(request, bits)
        var response = SimulatorResponse(status: reply.status, body: reply.body)
        if !reply.body.isEmpty { fields.append(SimulatorField("Content-Type", "application/json;charset=utf-8")) }
        if reply.status == 200 {
            fields.append(SimulatorField("Cache-Control", "max-age=60, s-maxage=0, private, no-transform"))
            let tag = entityTag(reply.body)
            fields.append(SimulatorField("ETag", tag))
            let isUnchanged = request.field("If-None-Match").map { matches($0, tag) } ?? false
            let isRead = request.method == "GET" || request.method == "HEAD"
            if isRead, isUnchanged {
                response.status = 304
                response.body = []
                fields.removeAll { $0.name == "Content-Type" }
            }
        }
        response.fields = fields
        return response
    }

    static func failure(
        _ error: APIError, _ request: SimulatorRequest, _ configuration: SimulatorConfiguration
    ) -> SimulatorResponse {
        let bits = correlation(request, configuration.seed)
        var fields = common(request, bits)
        let (type, body): (String, [UInt8]) =
            switch error.form {
            case .object: ("application/json;charset=utf-8", object(error, id: key(bits)))
            case .empty: ("application/json; charset=utf-8", [])
            case .text(let text): ("text/plain", Array(text.utf8))
            case .page: ("text/html", Array(timeoutPage.replacing("KEY", with: key(bits)).utf8))
            }
        fields.append(SimulatorField("Content-Type", type))
        if error.status == 405 { fields.append(SimulatorField("Allow", "GET, HEAD, OPTIONS")) }
        return SimulatorResponse(status: error.status, fields: fields, body: body)
    }

    /// The answer to a browser's preflight (APPLE-MUSIC-API 11.1).
    static func preflight(_ request: SimulatorRequest) -> SimulatorResponse {
        SimulatorResponse(
            status: 200,
            fields: [
                SimulatorField("Access-Control-Allow-Origin", request.field("Origin") ?? "*"),
                SimulatorField("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, DELETE, OPTIONS"),
                SimulatorField(
                    "Access-Control-Allow-Headers",
                    request.field("Access-Control-Request-Headers") ?? "authorization, music-user-token"),
                SimulatorField("Access-Control-Max-Age", "86400"), SimulatorField("Vary", "Origin"),
            ])
    }

    private static func common(_ request: SimulatorRequest, _ bits: (UInt64, UInt64)) -> [SimulatorField] {
        var uuid: [UInt8] = []
        uuid.appendHexadecimal(bits.0 >> 32, digits: 8)
        for part in [bits.0 >> 16, bits.0, bits.1 >> 48] {
            uuid.append(0x2D)
            uuid.appendHexadecimal(part, digits: 4)
        }
        uuid.append(0x2D)
        uuid.appendHexadecimal(bits.1, digits: 12)
        return [
            SimulatorField("Server", "daiquiri/5"),
            SimulatorField("Vary", "Origin, Accept-Encoding"),
            SimulatorField("Access-Control-Allow-Origin", request.field("Origin") ?? "*"),
            SimulatorField("x-apple-request-uuid", String(decoding: uuid, as: UTF8.self)),
            SimulatorField("x-apple-jingle-correlation-key", key(bits)),
        ]
    }

    /// `{"errors":[{id, title, detail, status, code, source?, messageForDisplay?}]}`; status and
    /// code are strings.
    private static func object(_ error: APIError, id: String) -> [UInt8] {
        var object = JSONObject([
            "id": .string(id), "title": .string(error.title), "detail": .string(error.detail),
            "status": .string(String(error.status)), "code": .string(error.code),
        ])
        if let parameter = error.parameter { object.append("source", ["parameter": .string(parameter)]) }
        if let message = error.displayMessage { object.append("messageForDisplay", .string(message)) }
        return JSON.object(members: ["errors": [.object(object)]]).bytes
    }

    /// 128 bits that belong to a request: the same request gets the same, so that its error is the
    /// same JSON value.
    private static func correlation(_ request: SimulatorRequest, _ seed: UInt64) -> (UInt64, UInt64) {
        let first = hash(request.target, start: SplitMix64.mixed(seed ^ UInt64(request.method.utf8.first ?? 0)))
        return (first, SplitMix64.mixed(first &+ 1))
    }

    /// Base 32 of the 16 bytes: 26 characters (APPLE-MUSIC-API 8.2).
    static func key(_ bits: (UInt64, UInt64)) -> String {
        var text: [UInt8] = []
        var (high, low) = (bits.0, bits.1)
        for _ in 0..<26 {
            text.append(base32[Int(high >> 59)])
            high = high << 5 | low >> 59
            low <<= 5
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func entityTag(_ body: [UInt8]) -> String {
        let first = hash(body, start: 1)
        var text: [UInt8] = [0x22]
        text.appendHexadecimal(first, digits: 16)
        text.appendHexadecimal(SplitMix64.mixed(first ^ UInt64(body.count)), digits: 16)
        text.append(0x22)
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether a list of entity tags has this one, by weak comparison (RFC 9110 section 13.1.2).
    static func matches(_ list: String, _ tag: String) -> Bool {
        list.split(separator: ",").contains { element in
            let candidate = element.drop { $0 == " " }
            return candidate == "*" || candidate == tag || candidate == "W/" + tag
        }
    }

    /// Eight bytes at a time, so that a body of 60 KiB costs microseconds.
    private static func hash(_ bytes: [UInt8], start: UInt64) -> UInt64 {
        var hash = start
        bytes.withUnsafeBytes { buffer in
            var position = 0
            while position + 8 <= buffer.count {
                let word = buffer.loadUnaligned(fromByteOffset: position, as: UInt64.self)
                hash = (hash ^ word) &* 0x9FB2_1C65_1E98_DF25
                hash ^= hash >> 32
                position += 8
            }
            while position < buffer.count {
                hash = (hash ^ UInt64(buffer[position])) &* 0x100_0000_01B3
                position += 1
            }
        }
        return SplitMix64.mixed(hash)
    }
}
