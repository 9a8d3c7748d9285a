public enum PageLink { public static func offset(in next: Span<UInt8>) -> Int? { nil } }
public struct StoredPage: Sendable { public let next: Int?; public init(offset: Int, count: Int, limit: Int?, next: Int?) { self.next = next }
  public struct Cut { public let items: Range<Int>; public let next: Int? }
  public func cut(offset: Int, limit: Int) -> Cut? { nil } }
public struct NextPattern: Sendable { public init?(learntFrom link: Span<UInt8>, _ r: CatalogRequest) { return nil }
 public func matches(_ link: Span<UInt8>, _ r: CatalogRequest) -> Bool { false }
 public func write(offset: Int, _ r: CatalogRequest) -> [UInt8] { [] } }
