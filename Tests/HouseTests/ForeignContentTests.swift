import Foundation
import TestSupport
import Testing

/// The project names no places of one machine, and holds none of the material next to it.
@Suite struct ForeignContentTests {
    @Test func noFileNamesAPlaceOfOneMachine() {
        let roots = ["/wo" + "rk/", "/ro" + "ot/", "/ho" + "me/", "/Us" + "ers/"]
        for path in House.files {
            for (index, line) in House.text(path).components(separatedBy: "\n").enumerated() {
                for root in roots where line.contains(root) {
                    Issue.record("\(path):\(index + 1): \(root) is a place of one machine; find it from #filePath")
                }
            }
        }
    }

    /// A line this long is not the same by chance.
    private static let tellingLength = 160

    @Test(.requires(.sharedMaterial))
    func nothingOfTheMaterialBesideTheProjectIsCopied() throws {
        let shared = try Self.tellingLines(of: ["recordings", "corpora"])
        #expect(!shared.isEmpty)
        for path in House.files {
            let lines = House.text(path).components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            for (index, line) in lines.enumerated() where shared.contains(line) {
                Issue.record("\(path):\(index + 1): copied from ../shared; read it through TestSupport.SharedMaterial")
            }
        }
    }

    private static func tellingLines(of folders: [String]) throws -> Set<String> {
        var found: Set<String> = []
        for folder in folders {
            let directory = SharedMaterial.directory.appendingPathComponent(folder).resolvingSymlinksInPath()
            for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
                let url = directory.appendingPathComponent(name)
                guard let text = try? String(contentsOf: url, encoding: .utf8) else { continue }
                for line in text.split(separator: "\n") where line.utf8.count >= tellingLength {
                    found.insert(line.trimmingCharacters(in: .whitespaces))
                }
            }
        }
        return found
    }
}
