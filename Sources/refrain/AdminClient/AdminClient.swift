import AppleMusic
import HTTP

// Asks the admin listener of a running proxy. One request, one connection.

struct AdminClient {
    static let standardURL = ServerURL(isTLS: false, host: "127.0.0.1", port: 8081)

    let server: ServerURL
    /// The content of `admin_token_file`, without surrounding blanks.
    let token: [UInt8]?
    let timeout: Duration

    init(server: ServerURL, token: [UInt8]? = nil, timeout: Duration = .seconds(5)) {
        self.server = server
        self.token = token
        self.timeout = timeout
    }

    /// The body of a 200; everything else is an error in words.
    func get(_ target: String) throws(CommandFailure) -> [UInt8] {
        let answer: AdminAnswer
        do throws(FileProblem) {
            let connection = try BlockingConnection.open(host: server.host, port: server.port, timeout: timeout)
            try connection.send(request(target))
            var reader = AdminAnswerReader()
            while try !reader.take(connection.receive()) {}
            answer = reader.answer()
        } catch {
            throw .failed("\(server): \(error.message); is the proxy running, and is this its admin_listen?")
        }
        switch answer.status {
        case 200: return answer.body
        case 401, 403: throw .failed("\(server): refused (\(answer.status)); see --admin-token-file")
        default: throw .failed("\(server)\(target): status \(answer.status)")
        }
    }

    private func request(_ target: String) -> [UInt8] {
        let authority = String(server.description.dropFirst("http://".count))
        var bytes = Array("GET \(target) HTTP/1.1\r\nHost: \(authority)\r\nConnection: close\r\n".utf8)
        bytes += Array("User-Agent: refrain/\(Version.text)\r\nAccept: application/json\r\n".utf8)
        if let token { bytes += Array("Authorization: Bearer ".utf8) + token + Array("\r\n".utf8) }
        return bytes + Array("\r\n".utf8)
    }
}
