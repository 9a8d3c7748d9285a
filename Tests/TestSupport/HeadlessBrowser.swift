import Foundation

/// Chromium without a window, driven over the Chrome DevTools Protocol on a pipe: JSON messages,
/// each with a zero byte after it, go in on descriptor 3 and come out on 4.
public final class HeadlessBrowser {
    public struct Failure: Error, CustomStringConvertible { public let description: String }

    /// The program, where it is installed.
    public static let program = ["chromium", "chromium-browser", "google-chrome"].lazy
        .compactMap { Tool($0)?.path }.first
    public static let absence =
        "chromium is not installed, so nothing was looked at in a browser (apt-get install chromium)"

    private let process: ChildProcess
    private let input: CInt
    private let output: CInt
    private let profile: TemporaryFolder
    private var buffer: [UInt8] = []
    private var lastID = 0
    private var session: String?
    /// Everything that was told without being asked for, in order.
    private var events: [(method: String, params: [String: Any])] = []

    /// Starts it with one empty page.
    /// - Parameter arguments: in addition to those that it always has.
    public init(arguments: [String] = []) throws {
        guard let program = Self.program else { throw Failure(description: Self.absence) }
        profile = try TemporaryFolder()
        var ends: [CInt] = []
        for _ in 0..<2 {
            var pair: [CInt] = [0, 0]
            guard pipe(&pair) == 0 else { throw Failure(description: "pipe: errno \(errno)") }
            for end in pair { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            ends += pair
        }
        (input, output) = (ends[1], ends[2])
        defer { for end in [ends[0], ends[3]] { close(end) } }
        process = try ChildProcess(
            Self.words(program, profile: profile.path) + arguments + ["about:blank"],
            environment: ProcessInfo.processInfo.environment.merging(["TMPDIR": profile.path]) { $1 },
            passing: [ends[0], ends[3]])
        try makePage("about:blank")
        for domain in ["Page", "Runtime", "Log", "DOM", "Accessibility"] { try call(domain + ".enable") }
    }

    deinit {
        close(input)
        close(output)
        process.kill()
    }

    private static func words(_ program: String, profile: String) -> [String] {
        [
            program, "--headless=new", "--remote-debugging-pipe", "--user-data-dir=\(profile)", "--disable-gpu",
            "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking", "--hide-scrollbars",
            // Its sandbox refuses to run as root.
        ] + (geteuid() == 0 ? ["--no-sandbox"] : [])
    }

    // MARK: The protocol

    /// Calls a method and waits for its result, at most a minute.
    @discardableResult
    public func call(_ method: String, _ params: [String: Any] = [:]) throws -> [String: Any] {
        lastID += 1
        var message: [String: Any] = ["id": lastID, "method": method, "params": params]
        if let session { message["sessionId"] = session }
        var bytes = try JSONSerialization.data(withJSONObject: message)
        bytes.append(0)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
            guard count > 0 else { throw Failure(description: "\(method): the browser has gone") }
            rest = rest.dropFirst(count)
        }
        while true {
            let answer = try nextMessage(for: method)
            if let name = answer["method"] as? String {
                events.append((name, answer["params"] as? [String: Any] ?? [:]))
            } else if answer["id"] as? Int == lastID {
                if let error = answer["error"] { throw Failure(description: "\(method): \(error)") }
                return answer["result"] as? [String: Any] ?? [:]
            }
        }
    }

    private func nextMessage(for method: String) throws -> [String: Any] {
        while true {
            if let end = buffer.firstIndex(of: 0) {
                let message = Data(buffer[..<end])
                buffer.removeFirst(end + 1)
                return try JSONSerialization.jsonObject(with: message) as? [String: Any] ?? [:]
            }
            var poller = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            guard poll(&poller, 1, CInt(1_000 * Patience.seconds(60))) > 0 else {
                throw Failure(description: "\(method): no answer in time")
            }
            var chunk = [UInt8](repeating: 0, count: 1 << 16)
            let count = read(output, &chunk, chunk.count)
            guard count > 0 else { throw Failure(description: "\(method): the browser has gone") }
            buffer += chunk[..<count]
        }
    }

    // MARK: The page

    /// Goes to an address and waits until the page is there.
    public func open(_ address: String) throws {
        let before = try call("Page.navigate", ["url": address])
        if let error = before["errorText"] as? String { throw Failure(description: "\(address): \(error)") }
        try wait(for: "document.readyState === 'complete' && location.href !== 'about:blank'")
    }

    /// The value of an expression.
    @discardableResult public func evaluate(_ expression: String) throws -> Any? {
        let answer = try call(
            "Runtime.evaluate", ["expression": expression, "returnByValue": true, "awaitPromise": true])
        if let details = answer["exceptionDetails"] { throw Failure(description: "\(expression): \(details)") }
        return (answer["result"] as? [String: Any])?["value"]
    }

    public func text(_ expression: String) throws -> String { try evaluate("String(\(expression))") as? String ?? "" }

    /// Goes on in a new page, at an address that no page may lead to, as the browser's own.
    public func attach(to address: String) throws {
        try makePage(address)
        try wait(for: "document.readyState === 'complete' && location.href !== 'about:blank'")
    }

    private func makePage(_ address: String) throws {
        session = nil
        let target = try call("Target.createTarget", ["url": address])["targetId"] as? String ?? ""
        session = try call("Target.attachToTarget", ["targetId": target, "flatten": true])["sessionId"] as? String
    }

    /// Waits until an expression is true, at most a minute.
    public func wait(for expression: String) throws {
        let deadline = ContinuousClock.now + .seconds(Patience.seconds(60))
        while try evaluate("Boolean(\(expression))") as? Bool != true {
            guard ContinuousClock.now < deadline else { throw Failure(description: "never became true: \(expression)") }
            usleep(50_000)
        }
    }

    public func resize(width: Int, height: Int = 900, isMobile: Bool = false) throws {
        try call(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": isMobile])
    }

    /// - Parameter media: `print` for the page as it is printed; empty: as it is shown.
    public func prefer(_ scheme: String, media: String = "") throws {
        let features = [["name": "prefers-color-scheme", "value": scheme]]
        try call("Emulation.setEmulatedMedia", ["media": media, "features": features])
    }

    public func press(_ key: String, code: Int) throws {
        for type in ["keyDown", "keyUp"] {
            var event: [String: Any] = ["type": type, "key": key, "code": key, "windowsVirtualKeyCode": code]
            if key == "Enter", type == "keyDown" { event["text"] = "\r" }
            try call("Input.dispatchKeyEvent", event)
        }
    }

    public func type(_ text: String) throws { try call("Input.insertText", ["text": text]) }

    /// Exceptions, errors and warnings on the console, and violations of the page's policy.
    public var complaints: [String] {
        events.compactMap { method, params in
            switch method {
            case "Runtime.exceptionThrown": return "\(params["exceptionDetails"] ?? "")"
            case "Runtime.consoleAPICalled":
                return ["error", "warning", "assert"].contains(params["type"] as? String ?? "") ? "\(params)" : nil
            case "Log.entryAdded":
                let entry = params["entry"] as? [String: Any] ?? [:]
                return ["error", "warning"].contains(entry["level"] as? String ?? "")
                    ? "\(entry["text"] ?? "") \(entry["url"] ?? "")" : nil
            default: return nil
            }
        }
    }
}
