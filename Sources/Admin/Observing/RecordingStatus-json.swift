import Proxy
import Text

extension RecordingStatus {
    var json: JSON {
        var object = JSONObject([
            "on": .bool(isOn), "file": (configured?.path).map { .string($0) } ?? .null,
            "since": since.map { .string($0.text) } ?? .null,
        ])
        if let configured {
            object.append("sampling", .number(String(configured.sampling)))
            object.append("size", .integer(configured.mostBytes))
            object.append("files", .integer(configured.mostFiles))
        }
        for (name, count) in [("exchanges", exchanges), ("bytes", bytes), ("dropped", dropped)] {
            object.append(name, .integer(count))
        }
        object.append("problem", problem.map { .string($0) } ?? .null)
        return .object(object)
    }
}
