// The report as a page: the table and two plots over the time of the recording, a curve for each configuration. One file,
// nothing loaded from anywhere, no script.

extension WhatIfReport {
    public var html: String {
        let ratio = Plot(
            title: "Hit ratio", top: 1, label: { Figure.percent($0) },
            curves: figures.map { $0.intervals.map { ($0.start, $0.hitRatio) } }, duration: duration)
        let most = figures.flatMap(\.intervals).map(\.upstreamRate).max() ?? 0
        let rate = Plot(
            title: "Requests a second to the origin", top: Plot.roundedUp(most), label: { Figure.rate($0) },
            curves: figures.map { $0.intervals.map { ($0.start, $0.upstreamRate) } }, duration: duration)
        let legend = figures.enumerated().map { index, figures in
            "<li class=\"c\(index % Plot.colours)\">\(Self.escaped(figures.name))</li>"
        }
        let titles = figures.map { "<th>\(Self.escaped($0.name))</th>" }.joined()
        let rows = self.rows.map { row in
            let isPart = row.name.hasPrefix(" ")
            return "<tr><th\(isPart ? " class=\"part\"" : "")>\(Self.escaped(row.name))</th>"
                + row.values.map { "<td>\(Self.escaped($0))</td>" }.joined() + "</tr>"
        }
        return """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><title>What if: \(Self.escaped(file))</title>
            <meta name="viewport" content="width=device-width">
            <style>\(Self.style)</style></head><body>
            <h1>What if</h1>
            <p>\(Self.escaped(head))</p>
            <ul>\(legend.joined())</ul>
            \(ratio.svg)
            \(rate.svg)
            <table><thead><tr><th></th>\(titles)</tr></thead><tbody>
            \(rows.joined(separator: "\n"))
            </tbody></table>
            \(remarks.map { "<p>\(Self.escaped($0))</p>" }.joined(separator: "\n"))
            </body></html>

            """
    }

    static func escaped(_ text: String) -> String {
        TextTable.printable(text).reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
    }

    /// The curves are told apart by colour, and from the third on by dashes as well.
    private static let style = """
        :root{color-scheme:light dark;--paper:#fff;--ink:#1c1c1e;--grey:#6e6e73;--rule:#d8d8dc;\
        --c0:#0a66c2;--c1:#c2410c;--c2:#15803d;--c3:#7e22ce;--c4:#a16207;--c5:#be123c}
        @media (prefers-color-scheme:dark){:root{--paper:#1c1c1e;--ink:#f2f2f7;--grey:#a1a1a6;--rule:#48484a;\
        --c0:#6cb2ff;--c1:#ff9f5a;--c2:#5fd38d;--c3:#c89bff;--c4:#e6c34a;--c5:#ff8fa3}}
        body{background:var(--paper);color:var(--ink);font:15px/1.4 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
        h1{font-size:1.5rem} ul{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.25rem 1.5rem}
        li::before{content:"";display:inline-block;width:1.5em;margin-right:.5em;vertical-align:middle;border-top:3px solid var(--c)}
        svg{width:100%;height:auto;margin:1rem 0} svg text{font-size:13px;fill:var(--grey)} svg .title{fill:var(--ink);font-weight:600}
        .rule{stroke:var(--rule)} .curve{fill:none;stroke:var(--c);stroke-width:2;stroke-linejoin:round}
        .c2,.c3{stroke-dasharray:7 4} .c4,.c5{stroke-dasharray:2 4} li{stroke-dasharray:none}
        .c0{--c:var(--c0)} .c1{--c:var(--c1)} .c2{--c:var(--c2)} .c3{--c:var(--c3)} .c4{--c:var(--c4)} .c5{--c:var(--c5)}
        li.c2::before,li.c3::before{border-top-style:dashed} li.c4::before,li.c5::before{border-top-style:dotted}
        table{border-collapse:collapse} th,td{padding:.2rem .8rem;border-bottom:1px solid var(--rule)}
        th{text-align:left;font-weight:400} thead th{text-align:right;font-weight:600} th.part{padding-left:2rem;color:var(--grey)}
        td{text-align:right;font-variant-numeric:tabular-nums}
        """
}

/// Curves over the time of a recording.
private struct Plot {
    let title: String
    /// The value at the upper edge; the lower one is 0.
    let top: Double
    let label: (Double) -> String
    let curves: [[(time: Duration, value: Double?)]]
    let duration: Duration

    static let colours = 6
    private static let (left, right, upper, lower) = (70.0, 940.0, 34.0, 240.0)
    private static let width = 960.0

    /// 1, 2 or 5 times a power of ten.
    static func roundedUp(_ value: Double) -> Double {
        var unit = 0.1
        while true {
            for factor in [1.0, 2, 5] where value <= unit * factor { return unit * factor }
            unit *= 10
        }
    }

    var svg: String {
        var lines = [
            "<svg viewBox=\"0 0 \(Int(Self.width)) 270\" role=\"img\" aria-label=\"\(title)\">",
            "<text class=\"title\" x=\"\(Self.left)\" y=\"16\">\(title)</text>",
        ]
        for step in 0...4 {
            let share = Double(step) / 4
            let y = number(Self.lower - share * (Self.lower - Self.upper))
            lines.append("<line class=\"rule\" x1=\"\(Self.left)\" x2=\"\(Self.right)\" y1=\"\(y)\" y2=\"\(y)\"/>")
            lines.append(
                "<text x=\"\(Self.left - 8)\" y=\"\(y)\" dy=\"4\" text-anchor=\"end\">\(label(top * share))</text>")
            let x = number(Self.left + share * (Self.right - Self.left))
            let anchor = step == 4 ? "end" : step == 0 ? "start" : "middle"
            lines.append("<text x=\"\(x)\" y=\"262\" text-anchor=\"\(anchor)\">\(Self.time(duration * share))</text>")
        }
        for (index, curve) in curves.enumerated() {
            lines.append("<path class=\"curve c\(index % Self.colours)\" d=\"\(path(curve))\"/>")
        }
        return (lines + ["</svg>"]).joined(separator: "\n")
    }

    /// Broken where there is no value.
    private func path(_ curve: [(time: Duration, value: Double?)]) -> String {
        var path = ""
        var isDrawing = false
        for (time, value) in curve {
            guard let value else {
                isDrawing = false
                continue
            }
            let x = Self.left + time / max(duration, .seconds(1)) * (Self.right - Self.left)
            let y = Self.lower - min(value / top, 1) * (Self.lower - Self.upper)
            path += (isDrawing ? "L" : "M") + number(x) + " " + number(y)
            isDrawing = true
        }
        return path
    }

    /// Since the first request.
    private static func time(_ span: Duration) -> String {
        let seconds = Int((span / .seconds(1)).rounded())
        if seconds < 120 { return "\(seconds) s" }
        if seconds < 7200 { return "\(Figure.fixed(Double(seconds) / 60, 1)) min" }
        return "\(Figure.fixed(Double(seconds) / 3600, 1)) h"
    }

    private func number(_ value: Double) -> String { String((value * 10).rounded() / 10) }
}
