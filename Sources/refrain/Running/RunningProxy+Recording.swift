import Proxy
import Recording

// The directive `record`, at the start and at a reload. A line that says what it said leaves alone
// what an operator has switched.

extension ProxyServer {
    /// Whether a change of the line could be carried out; changes nothing.
    static func checkRecording(_ line: RecordingLine?, before: RecordingLine?) throws(CommandFailure) {
        guard let line, line != before, line.isOn, line.settings.path != before?.settings.path else { return }
        do {
            try RecordingWriter.check(line.settings)
        } catch {
            throw .failed("record: \(error)")
        }
    }

    /// Carries it out.
    func adoptRecording(_ line: RecordingLine?, before: RecordingLine?) throws(CommandFailure) {
        guard line != before else { return configureRecording(line?.settings) }
        stopRecording()
        configureRecording(line?.settings)
        guard let line, line.isOn else { return }
        do {
            try startRecording(line.settings)
        } catch {
            throw .failed("record: \(error)")
        }
    }
}
