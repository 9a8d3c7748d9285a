import Text

/// A drawing as a file of SVG by itself. Coordinates are pixels, y downwards.
public struct Drawing {
    private let width: Double
    private let height: Double
    private var elements: [String] = []

    public enum Anchor: String {
        case start, middle, end
    }

    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
        rectangle(0, 0, width, height, fill: "#ffffff")
    }

    public mutating func rectangle(_ x: Double, _ y: Double, _ width: Double, _ height: Double, fill: String) {
        elements.append(
            "<rect x=\"\(n(x))\" y=\"\(n(y))\" width=\"\(n(max(width, 0)))\" height=\"\(n(height))\" fill=\"\(fill)\"/>"
        )
    }

    public mutating func line(
        _ from: (x: Double, y: Double), _ to: (x: Double, y: Double), colour: String, isDashed: Bool = false
    ) {
        path("M\(n(from.x)) \(n(from.y))L\(n(to.x)) \(n(to.y))", colour, width: 1, isDashed)
    }

    private mutating func path(_ data: String, _ colour: String, width: Int, _ isDashed: Bool = false) {
        let dashes = isDashed ? " stroke-dasharray=\"5 4\"" : ""
        elements.append("<path d=\"\(data)\" fill=\"none\" stroke=\"\(colour)\" stroke-width=\"\(width)\"\(dashes)/>")
    }

    public mutating func text(
        _ x: Double, _ y: Double, _ content: String, anchor: Anchor = .start, size: Int = 12, colour: String = "#222222"
    ) {
        elements.append(
            "<text x=\"\(n(x))\" y=\"\(n(y))\" font-size=\"\(size)\" text-anchor=\"\(anchor.rawValue)\" fill=\"\(colour)\">"
                + "\(Markup.escaped(content))</text>")
    }

    /// Lines over two axes in a frame, with a dot at each point and the axes' labels beside it.
    public mutating func plot(
        _ lines: [(points: [(x: Double, y: Double)], colour: String, isDashed: Bool)], x: PlotAxis, y: PlotAxis,
        at corner: (x: Double, y: Double), width: Double, height: Double
    ) {
        let frame = PlotFrame(x: x, y: y, left: corner.x, top: corner.y, width: width, height: height)
        path(frame.grid, "#e4e4e4", width: 1)
        for tick in y.ticks { text(corner.x - 6, frame.vertical(tick.value) + 4, tick.label, anchor: .end, size: 11) }
        for tick in x.ticks {
            text(frame.horizontal(tick.value), corner.y + height + 16, tick.label, anchor: .middle, size: 11)
        }
        for line in lines {
            path(
                frame.line(line.points.map { .init(from: $0.x, to: $0.x, value: $0.y) }), line.colour, width: 2,
                line.isDashed)
            for (x, y) in line.points {
                let place = "cx=\"\(n(frame.horizontal(x)))\" cy=\"\(n(frame.vertical(y)))\""
                elements.append("<circle \(place) r=\"2.5\" fill=\"\(line.colour)\"/>")
            }
        }
    }

    public var document: String {
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(n(width))\" height=\"\(n(height))\" "
            + "viewBox=\"0 0 \(n(width)) \(n(height))\" font-family=\"sans-serif\">\n"
            + elements.joined(separator: "\n") + "\n</svg>\n"
    }

    private func n(_ value: Double) -> String { PlotFrame.plain(value) }
}
