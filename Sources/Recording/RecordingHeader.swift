import Text

/// The first line of a recording: version, start, program and sampling.
public struct RecordingHeader: Sendable, Equatable {
    /// The version that this program writes, and the highest that it reads.
    static let version = 1

    /// When the recording began: offsets count from here.
    var started: Timestamp
    /// The program that wrote it, such as `refrain 0.7.0`.
    var program: String
    /// The share of requests that is recorded, above 0 and at most 1; rates that are read off the
    /// recording have to be divided by it.
    public var sampling: Double

    public init(started: Timestamp, program: String, sampling: Double = 1) {
        (self.started, self.program, self.sampling) = (started, program, sampling)
    }

    /// With its line end.
    var line: [UInt8] {
        let object = JSON.object(members: [
            "refrain_recording": .integer(Self.version), "started": .string(started.text),
            "program": .string(program), "sampling": .number(String(sampling)),
        ])
        return object.bytes + [0x0A]
    }

    /// Beginning of `line`, in every version.
    static let beginning = #"{"refrain_recording":"#

    /// Whether a file that begins with this line is a recording of this program's, of whatever
    /// version.
    static func begins(_ object: JSON) -> Bool { object["refrain_recording"] != nil }

    init(_ object: JSON) throws(LineProblem) {
        guard let version = object["refrain_recording"]?.intValue, version >= 1 else {
            throw LineProblem("refrain_recording is not a version")
        }
        guard version <= Self.version else {
            throw LineProblem("version \(version) of recordings; this program reads up to \(Self.version)")
        }
        guard let started = object["started"]?.stringValue.flatMap(Timestamp.init(_:)) else {
            throw LineProblem("started is not a time such as 2026-11-21T00:00:00Z")
        }
        self.started = started
        program = object["program"]?.stringValue ?? ""
        guard case .number(let text) = object["sampling"] ?? 1, let sampling = Double(text), sampling > 0, sampling <= 1
        else { throw LineProblem("sampling is not above 0 and at most 1") }
        self.sampling = sampling
    }
}

/// The fault of a line; its reader knows which.
public struct LineProblem: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
