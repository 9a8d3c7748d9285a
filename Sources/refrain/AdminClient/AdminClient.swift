import EventLoop
import HTTP
import Text

// Asks the admin listener of a running proxy. One request, one connection.

struct AdminClient {
    static let standard = AdminServer.tcp(Endpoint(isTLS: false, host: "127.0.0.1", port: 8081))

    let server: AdminServer
    /// The token in `admin_token_file`.
    let token: [UInt8]?
    /// The time to connect, and for an answer where the call does not say otherwise.
    var timeout = FileAccess.standardAdminTimeout

    /// Shows how long an answer has been waited for.
    struct Progress {
        /// Between two showings.
        let interval: Duration
        let show: (Duration) -> Void
    }

    /// The answer to `GET /stats`.
    static func stats(_ body: [UInt8]) throws(CommandFailure) -> JSON {
        do throws(JSONError) {
            return try JSON.parse(body)
        } catch {
            throw .failed("the answer to GET /stats is \(error)")
        }
    }

    /// The body of a 200; everything else is an error in words.
    /// - Parameters:
    ///   - content: JSON to be sent with POST.
    ///   - limit: the time that the proxy has to answer.
    ///   - progress: shown the time so far again and again until the answer begins.
    func ask(
        _ path: String, _ parameters: [(String, String)] = [], sending content: [UInt8]? = nil,
        within limit: Duration? = nil, progress: Progress? = nil
    ) throws(CommandFailure) -> [UInt8] {
        let answer: AnswerReader
        do throws(BlockingConnection.Failure) {
            var connection = try open(Self.target(path, parameters), content)
            connection.timeout = limit ?? timeout
            if let progress { try Self.wait(for: connection, progress) }
            answer = try Self.answer(over: connection)
        } catch {
            throw unreachable(error)
        }
        if let refusal = refusal(answer, of: path) { throw refusal }
        return answer.content
    }

    /// A connection over which a request is sent.
    func open(
        _ target: String, _ content: [UInt8]? = nil
    ) throws(BlockingConnection.Failure) -> BlockingConnection {
        let connection = try server.connect(timeout: timeout)
        if token != nil, case .unix(let path) = server, !connection.leadsToTrusted(path) {
            throw BlockingConnection.Failure(
                "the process that listens there is of another user, and the token is not sent to it")
        }
        try connection.send(request(target, content))
        return connection
    }

    static func target(_ path: String, _ parameters: [(String, String)]) -> String {
        let query = parameters.map { $0.0 + "=" + PercentEncoding.encoded($0.1, keeping: "-._~/:,") }.joined(
            separator: "&")
        return query.isEmpty ? path : path + "?" + query
    }

    func unreachable(_ failure: BlockingConnection.Failure) -> CommandFailure {
        .failed("\(server): \(failure); check that the proxy is running and that this is its admin_listen")
    }

    /// The error that an answer reports; nil for a 200.
    func refusal(_ answer: AnswerReader, of path: String) -> CommandFailure? {
        switch answer.status {
        case 200: nil
        case 401: .failed("\(server): refused (401); see --admin-token-file")
        case 403: .failed("\(server): refused (403)\(Self.detail(of: answer))")
        // Without the query, which the operator has just typed.
        default: .failed("\(server)\(path): status \(answer.status)\(Self.detail(of: answer))")
        }
    }

    /// Generous for statistics and listings; a bound, because the other side need not be the proxy.
    private static let limits: MessageLimits = {
        var limits = MessageLimits.response
        limits.maxBodyBytes = 64 << 20
        return limits
    }()

    /// Until the answer begins, or the connection's time is over.
    private static func wait(
        for connection: borrowing BlockingConnection, _ progress: Progress
    ) throws(BlockingConnection.Failure) {
        let begun = Instant.now()
        while try !connection.canReceive(within: progress.interval), Instant.now() - begun < connection.timeout {
            progress.show(Instant.now() - begun)
        }
    }

    private static func answer(
        over connection: borrowing BlockingConnection
    ) throws(BlockingConnection.Failure) -> AnswerReader {
        var reader = AnswerReader(limits: limits)
        reader.begin(keepsContent: true)
        var isWhole = false
        while !isWhole { isWhole = try take(connection.receive(), &reader) }
        return reader
    }

    /// Whether the answer is whole with these bytes.
    static func take(
        _ received: [UInt8], _ answer: inout AnswerReader
    ) throws(BlockingConnection.Failure) -> Bool {
        do throws(ParseError) {
            return try answer.take(received)
        } catch {
            throw BlockingConnection.Failure("the answer is not HTTP (\(error.reason))")
        }
    }

    /// The proxy's reason for a refusal, in the shape of its errors.
    private static func detail(of answer: AnswerReader) -> String {
        let error = (try? JSON.parse(answer.content))?["errors"]?[0]
        return error?["detail"]?.stringValue.map { ": \($0)" } ?? ""
    }

    private func request(_ target: String, _ content: [UInt8]?) -> [UInt8] {
        let method = content == nil ? "GET" : "POST"
        var bytes = Array("\(method) \(target) HTTP/1.1\r\nHost: \(server.authority)\r\nConnection: close\r\n".utf8)
        bytes += Array("User-Agent: refrain/\(ProgramVersion.text)\r\nAccept: application/json\r\n".utf8)
        if let token { bytes += Array("Authorization: Bearer ".utf8) + token + Array("\r\n".utf8) }
        guard let content else { return bytes + Array("\r\n".utf8) }
        let length = "Content-Type: application/json\r\nContent-Length: \(content.count)\r\n\r\n"
        return bytes + Array(length.utf8) + content
    }
}

extension AdminClient {
    /// The proxy that `--admin` names, and else that of the configuration: where its `admin_listen`
    /// is, and with its `admin_token_file`, which goes nowhere else.
    init(_ arguments: CommandArguments, _ context: CommandContext) throws(CommandFailure) {
        let named = try arguments.parsed(.admin) { text throws(ValueError) in
            try AdminServer(text)
        }
        let configured = named == nil ? try ConfigurationFile.ofRunningProxy(arguments, context) : nil
        let server: AdminServer
        if let configured { server = try Self.server(of: configured) } else { server = named ?? Self.standard }
        var token: [UInt8]?
        if let path = arguments.value(.adminTokenFile) {
            token = try attempt("cannot read \(path)") { try context.files.token(path) }
        } else if let path = configured?.adminTokenFile {
            token = try Self.token(in: path, context.files)
        }
        self.init(server: server, token: token, timeout: context.files.adminTimeout)
    }

    /// Nil where this user may not read it: the proxy says that it wants a token. A file that a
    /// proxy would refuse is sent nowhere: it may be any secret.
    private static func token(in path: String, _ files: FileAccess) throws(CommandFailure) -> [UInt8]? {
        do throws(FileProblem) {
            return try files.token(path)
        } catch {
            guard error.code == nil else { return nil }
            throw .badSetting("admin_token_file: \(quoted(path)): \(error)")
        }
    }

    private static func server(of configuration: Configuration) throws(CommandFailure) -> AdminServer {
        guard let address = configuration.adminListener else {
            throw .failed("the configuration has admin_listen off; name a proxy with --admin")
        }
        return AdminServer(listening: address)
    }
}
