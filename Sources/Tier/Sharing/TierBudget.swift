import Store
import Upstream

/// Asks the engine's budget script over one connection. Confined to that connection's loop.
package final class TierBudget {
    private let connection: TierConnection
    private let keys: TierKeys
    private let node: String
    private let origin: () -> OriginTag

    /// - Parameters:
    ///   - connection: stays its owner's to close.
    ///   - origin: the present upstream: each has a budget of its own.
    package init(
        _ connection: TierConnection, _ settings: TierSettings, at origin: @escaping () -> OriginTag = { .none }
    ) {
        (self.connection, self.origin) = (connection, origin)
        keys = TierKeys(prefix: settings.keyPrefix)
        node = settings.nodeName
    }

    /// Runs the script by its name, and sends it once where the engine does not know it: after a
    /// start, a failover or `SCRIPT FLUSH`.
    ///
    /// - Parameter completion: is called exactly once, on the loop, perhaps at once; with nil where
    ///   the engine is away, or answers with an error.
    package func ask(_ question: BudgetQuestion, _ completion: @escaping (BudgetAnswer?) -> Void) {
        let arguments = BudgetScript.arguments(question, keys, at: origin(), node: node)
        guard let name = BudgetScript.name else {
            return send("EVAL", BudgetScript.source, arguments) { answer, _ in completion(answer) }
        }
        send("EVALSHA", name, arguments) { [self] answer, error in
            guard error == "NOSCRIPT" else { return completion(answer) }
            send("EVAL", BudgetScript.source, arguments) { answer, _ in completion(answer) }
        }
    }

    private func send(
        _ command: String, _ script: String, _ arguments: [[UInt8]],
        _ completion: @escaping (BudgetAnswer?, _ error: String?) -> Void
    ) {
        let words = [Array(command.utf8), Array(script.utf8)] + arguments
        connection.send([RESPCommand(words)]) { replies in
            completion(replies.flatMap { BudgetScript.answer($0[0]) }, replies?[0].errorCode)
        }
    }
}
