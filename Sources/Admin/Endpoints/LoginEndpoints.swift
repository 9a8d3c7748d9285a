// A browser's session: the token goes over once, in the content of a POST, and never into an
// address.

extension AdminExchange {
    /// GET: the form. POST: a session for the token that was filled in.
    func login() throws(AdminRequestError) {
        guard surface.authorizer.hasToken else { return reply(.error(404, "This listener requires no token.")) }
        guard request.method == .post else { return reply(LoginPage.reply(status: 200, "")) }
        let form = try QueryParameters(form: connection.body, known: ["token"])
        guard surface.authorizer.isToken(Array((form["token"] ?? "").utf8)) else {
            return refuseLater(
                LoginPage.reply(status: 401, "<p role=alert>This is not the token.</p>").refusing(.login))
        }
        let name = surface.authorizer.sessions.begin(at: connection.context.loop.now)
        reply(.redirect(to: "/").adding("Set-Cookie", Sessions.setCookie(name, isSecure: request.isSecure)))
    }

    func logout() {
        let name = connection.withHeadBytes { Sessions.presented(by: connection.head, $0) }
        surface.authorizer.sessions.end(name)
        let next = surface.authorizer.hasToken ? "/login" : "/"
        reply(.redirect(to: next).adding("Set-Cookie", Sessions.clearCookie(isSecure: request.isSecure)))
    }
}

private enum LoginPage {
    static func reply(status: Int, _ message: String) -> AdminReply {
        var reply = AdminReply(status: status, type: "text/html; charset=utf-8", content: Array(page(message).utf8))
        if status == 401 { reply = reply.adding("WWW-Authenticate", "Bearer realm=\"refrain\"") }
        reply.contentPolicy =
            "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        // Under no-referrer a browser says that a form comes from nowhere.
        reply.referrerPolicy = "same-origin"
        return reply
    }

    private static func page(_ message: String) -> String {
        """
        <!doctype html>
        <html lang=en>
        <meta charset=utf-8>
        <meta name=viewport content="width=device-width">
        <title>Refrain</title>
        <style>
        :root { color-scheme: light dark }
        body { font: 1rem system-ui, sans-serif; max-width: 24rem; margin: 15vh auto; padding: 0 1rem }
        input, button { font: inherit; width: 100%; box-sizing: border-box; padding: .5rem; margin-top: .5rem }
        </style>
        <h1>Refrain</h1>
        \(message)
        <form method=post action=/login>
        <label>Content of admin_token_file
        <input name=token type=password autocomplete=current-password required autofocus></label>
        <button>Log in</button>
        </form>

        """
    }
}
