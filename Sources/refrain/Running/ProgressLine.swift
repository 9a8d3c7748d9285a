import EventLoop
import Glibc
import Recording
import Text

/// Says how far something is: on a terminal one line that is drawn again and again, elsewhere a
/// line every ten seconds. A job that ends sooner says nothing.
final class ProgressLine {
    private let output: Output
    private let width: Int?
    private var shownAt = Instant.now()
    private var hasDrawn = false
    /// Between two texts.
    let interval: Duration

    init(_ output: Output, width: Int? = terminalWidth(STDERR_FILENO), every interval: Duration? = nil) {
        self.output = output
        self.width = width
        self.interval = interval ?? (width == nil ? .seconds(10) : .milliseconds(500))
    }

    func show(_ text: @autoclosure () -> String) {
        let now = Instant.now()
        guard now - shownAt >= interval else { return }
        shownAt = now
        guard let width else { return output.error("refrain: \(text())\n") }
        hasDrawn = true
        // Erased to its end, for the last one may have been longer (ECMA-48, EL).
        output.error("\r" + TextTable.cut(TextTable.printable(text()), to: width - 1) + "\u{1B}[K")
    }

    /// Erases the progress line from a terminal.
    func end() {
        if hasDrawn { output.error("\r\u{1B}[K") }
        hasDrawn = false
    }
}

extension ProgressLine {
    /// For callers of a server that is at that task.
    func waiting(for task: String) -> AdminClient.Progress {
        AdminClient.Progress(interval: interval) { elapsed in
            self.show("waiting for \(SpanOfTime.text(Int(elapsed.components.seconds))): \(task)")
        }
    }

    /// For readers of a recording.
    func watching(_ path: String) -> (RecordingReader.Progress) -> Void {
        { progress in
            let percent = Int(clamping: progress.share * 100)
            self.show("reading \(path): \(percent) %, \(Figure.count(progress.exchanges)) exchanges")
        }
    }
}
