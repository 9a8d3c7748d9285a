import Foundation
import Testing

@testable import Bench

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite struct PlotTests {
    /// What a strict parser finds of each kind of element; nil where the document is not
    /// well-formed.
    private func elements(_ svg: String) -> [String: Int]? {
        final class Counter: NSObject, XMLParserDelegate {
            var counts: [String: Int] = [:]
            func parser(
                _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
                attributes: [String: String]
            ) { counts[name, default: 0] += 1 }
        }
        let (parser, counter) = (XMLParser(data: Data(svg.utf8)), Counter())
        parser.delegate = counter
        return parser.parse() ? counter.counts : nil
    }

    @Test func targetsAreABarEach() throws {
        let rows = [
            ResultRow(
                measurement: "m", name: "a < b & \"c\"", unit: "u", ours: 2,
                others: [
                    Other(name: "nginx", figure: 1, ratio: 2, target: .atLeast(1)), Other(name: "varnish", figure: 1),
                    Other(name: "absent", target: .atLeast(1)),
                ]),
            ResultRow(measurement: "m", name: "none", unit: "u", ours: 0, target: .atMost(0)),
        ]
        let found = try #require(elements(TargetsPlot.svg(rows, title: "<title>")))
        // The background and two bars; what was not measured has none.
        #expect(found["rect"] == 3)
        #expect(found["svg"] == 1)
    }

    @Test func anEmptyTableIsADrawingToo() {
        #expect(elements(TargetsPlot.svg([], title: "nothing"))?["rect"] == 1)
    }

    @Test func aCurveHasThreeLinesForEachServer() throws {
        var curve = Curve(name: "sizes", title: "a & b", xLabel: "bytes", isLogarithmic: true)
        for x in [256.0, 1024, 1_048_576] {
            var rounds = Rounds()
            for name in ["refrain", "nginx"] {
                rounds.append(Sample(requestsPerSecond: 1e5 / x, p50: 0, p99: x), of: name)
            }
            curve.append(rounds, at: x)
        }
        let found = try #require(elements(CurvePlot.svg(curve)))
        #expect(found["circle"] == 2 * 3 * 3)
        #expect(!CurvePlot.svg(curve).contains("nan"))
    }
}
