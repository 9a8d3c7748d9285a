import Text

/// A drawing, made of a few kinds of shapes. Coordinates are pixels, y downwards.
struct SVG {
    let width: Double
    let height: Double
    private var elements: [String] = []

    enum Anchor: String {
        case start, middle, end
    }

    init(width: Double, height: Double) {
        self.width = width
        self.height = height
        rectangle(0, 0, width, height, fill: "#ffffff")
    }

    mutating func rectangle(_ x: Double, _ y: Double, _ width: Double, _ height: Double, fill: String) {
        elements.append(
            "<rect x=\"\(n(x))\" y=\"\(n(y))\" width=\"\(n(max(width, 0)))\" height=\"\(n(height))\" fill=\"\(fill)\"/>"
        )
    }

    mutating func line(
        _ from: (x: Double, y: Double), _ to: (x: Double, y: Double), colour: String, dashed: Bool = false
    ) {
        polyline([from, to], colour: colour, width: 1, dashed: dashed)
    }

    mutating func polyline(_ points: [(x: Double, y: Double)], colour: String, width: Double = 2, dashed: Bool = false)
    {
        let path = points.map { "\(n($0.x)),\(n($0.y))" }.joined(separator: " ")
        elements.append(
            "<polyline points=\"\(path)\" fill=\"none\" stroke=\"\(colour)\" stroke-width=\"\(n(width))\""
                + (dashed ? " stroke-dasharray=\"5 4\"" : "") + "/>")
    }

    mutating func dot(_ x: Double, _ y: Double, colour: String) {
        elements.append("<circle cx=\"\(n(x))\" cy=\"\(n(y))\" r=\"2.5\" fill=\"\(colour)\"/>")
    }

    mutating func text(
        _ x: Double, _ y: Double, _ content: String, anchor: Anchor = .start, size: Int = 12, colour: String = "#222222"
    ) {
        elements.append(
            "<text x=\"\(n(x))\" y=\"\(n(y))\" font-size=\"\(size)\" text-anchor=\"\(anchor.rawValue)\" fill=\"\(colour)\">"
                + "\(Markup.escaped(content))</text>")
    }

    var document: String {
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(n(width))\" height=\"\(n(height))\" "
            + "viewBox=\"0 0 \(n(width)) \(n(height))\" font-family=\"sans-serif\">\n"
            + elements.joined(separator: "\n") + "\n</svg>\n"
    }

    private func n(_ value: Double) -> String {
        ResultsTable.fixed(value, 1)
    }
}
