extension CacheControl {
    /// The directives of a request with these `fields`, whose ranges count in `bytes`. Without any
    /// Cache-Control a `Pragma: no-cache` of an HTTP/1.0 client means the directive of that name
    /// (RFC 9111 5.4).
    public init(request fields: borrowing Fields, _ bytes: Span<UInt8>) {
        self.init()
        if fields.contains(.cacheControl) {
            for index in 0..<fields.endIndex where fields[index].id == .cacheControl {
                merge(bytes.extracting(fields[index].value.range))
            }
        } else if fields.contains(.pragma) {
            for index in 0..<fields.endIndex where fields[index].id == .pragma {
                var elements = ListElements(fields[index].value)
                while let element = elements.next(in: bytes)?.range {
                    if bytes.equalsIgnoringCase(element, "no-cache") { noCache = true }
                }
            }
        }
    }
}
