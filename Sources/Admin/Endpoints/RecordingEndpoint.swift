import Proxy
import Text

extension AdminExchange {
    /// GET: its status. POST `{"on":true}` or `{"on":false}`: the same, once that is done.
    func recording() {
        guard request.query == nil else {
            return reply(.error(400, "/recording takes no query; POST takes a JSON object with the member on."))
        }
        guard request.method == .post else { return reply(.json(surface.sources.recording().json)) }
        guard let object = (try? JSON.parse(connection.body))?.objectValue, object.count == 1,
            case .bool(let isOn) = object["on"]
        else { return reply(.error(400, "Expected a JSON object with the one member on: true or false.")) }
        let finish = replyLater()
        let log = surface.sources.log
        surface.sources.turnRecording(isOn) { @Sendable result in
            switch result {
            case nil:
                finish(.error(409, "The configuration has no record line, so there is no file to record to."))
            case .success(let status):
                log("recording switched \(isOn ? "on" : "off")")
                finish(.json(status.json))
            case .failure(let error):
                log("recording could not be switched on: \(error)")
                finish(.error(503, "The recording cannot start: \(error)."))
            }
        }
    }
}
