/// Streams of one session to be dealt with before the turn ends. Two lists take turns: while one is
/// gone through, streams are noted in the other, and neither is allocated anew.
struct NotedStreams {
    private var noted: [HTTP2Stream] = []
    private var spare: [HTTP2Stream] = []

    var isEmpty: Bool { noted.isEmpty }

    mutating func append(_ stream: HTTP2Stream) { noted.append(stream) }

    /// Takes all of them out.
    mutating func take() -> [HTTP2Stream] {
        var taken: [HTTP2Stream] = []
        swap(&taken, &noted)
        swap(&noted, &spare)
        return taken
    }

    /// Keeps the storage of the streams that were taken out.
    mutating func giveBack(_ taken: consuming [HTTP2Stream]) {
        taken.removeAll(keepingCapacity: true)
        spare = taken
    }
}
