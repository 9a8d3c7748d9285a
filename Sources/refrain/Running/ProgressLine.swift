import EventLoop
import Glibc
import Recording
import Text

/// Says how far something is: on a terminal one line that is drawn again and again, elsewhere a
/// line every ten seconds. A job that ends sooner says nothing.
final class ProgressLine {
    private let output: Output
    private let terminal: Terminal
    private var shownAt = Instant.now()
    private var hasDrawn = false
    private let interval: Duration

    init(_ output: Output, on terminal: Terminal = .of(STDERR_FILENO), every interval: Duration? = nil) {
        self.output = output
        self.terminal = terminal
        self.interval = interval ?? Self.interval(on: terminal)
    }

    /// Between two texts.
    static func interval(on terminal: Terminal) -> Duration {
        terminal.width == nil ? .seconds(10) : .milliseconds(500)
    }

    func show(_ text: @autoclosure () -> String) {
        let now = Instant.now()
        guard now - shownAt >= interval else { return }
        shownAt = now
        guard let width = terminal.width else { return output.error("refrain: \(text())\n") }
        hasDrawn = true
        output.error(Self.drawn(text(), width))
    }

    /// Leaves a terminal with nothing of it.
    func end() {
        if hasDrawn { output.error(Self.erased) }
        hasDrawn = false
    }

    /// Erased to its end, for the last one may have been longer (ECMA-48, EL).
    static func drawn(_ text: String, _ width: Int) -> String {
        "\r" + TextTable.cut(TextTable.printable(text), to: width - 1) + "\u{1B}[K"
    }

    static let erased = "\r\u{1B}[K"
}

extension ProgressLine {
    /// For readers of a recording.
    func watching(_ path: String) -> (RecordingReader.Progress) -> Void {
        { progress in
            let percent = Int(clamping: progress.share * 100)
            self.show("reading \(path): \(percent) %, \(Figure.count(progress.exchanges)) exchanges")
        }
    }
}
