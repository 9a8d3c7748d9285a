extension ResponseCache { public func store(composed: StoredResponse) -> StoredResponse { memory.store(composed); return composed }
 public func visitStored(_ body: @escaping @Sendable (StoredResponse) -> Bool) {} }
