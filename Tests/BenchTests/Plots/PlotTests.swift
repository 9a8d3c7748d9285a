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
            Row(
                measurement: "m", name: "a < b & \"c\"", unit: "u", ours: 2,
                others: [
                    Other(name: "nginx", figure: 1, ratio: 2, target: .atLeast(1)), Other(name: "varnish", figure: 1),
                    Other(name: "absent", target: .atLeast(1)),
                ]),
            Row(measurement: "m", name: "none", unit: "u", ours: 0, target: .atMost(0)),
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

    @Test func anAxisReachesFromEndToEnd() {
        let logarithmic = Axis([1, 30, 10_000], isLogarithmic: true)
        #expect(logarithmic.ticks == [1, 10, 100, 1000, 10_000])
        #expect(logarithmic.fraction(1) == 0)
        #expect(abs(logarithmic.fraction(100) - 0.5) < 1e-9)
        #expect(logarithmic.fraction(10_000) == 1)
        let linear = Axis([3, 87], isLogarithmic: false)
        #expect(linear.ticks.first == 0 && linear.ticks.count == 6)
        #expect(linear.highest >= 87 && linear.highest < 200)
    }

    @Test func anAxisOfOneValueHasALength() {
        for isLogarithmic in [true, false] {
            for values in [[], [0], [5.0]] {
                let axis = Axis(values, isLogarithmic: isLogarithmic)
                #expect(axis.highest > axis.lowest)
                #expect(axis.fraction(5).isFinite)
            }
        }
    }

    @Test(arguments: [(12_000.0, "12k"), (1_500_000, "1.5M"), (0.25, "0.25"), (7, "7"), (0.01, "0.010")])
    func ticksAreShort(value: Double, text: String) {
        #expect(Axis.label(value) == text)
    }
}
