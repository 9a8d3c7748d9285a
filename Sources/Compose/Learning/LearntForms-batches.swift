import AppleMusic

// Whether a batch is worth a single resource's while.

extension LearntForms {
    /// Whether single resources can come out of a batch, as far as was seen: their form is known,
    /// the origin has not refused such batches, and nothing speaks against their looking alike.
    /// Where no batch in that form has come yet, the first one shows it.
    package func mayComeBatched(_ single: RequestShape, in storefront: Storefront, at now: Int64) -> Bool {
        guard let own = record(single, at: now)?.objects[single.type],
            !agreement(single.type, at: now).isRefuted(.batched, .item),
            record(single.asked(as: .batch), at: now)?.objects[single.type]?.mayHold(own) ?? true
        else { return false }
        return mayTryBatch(single, storefront)
    }
}

extension ObjectShape {
    /// Whether resources of this shape have the members that another one shows, with lists that end
    /// or go on alike. What the elements show is not compared: those come from elsewhere as well.
    fileprivate func mayHold(_ other: ObjectShape) -> Bool {
        guard hasAttributes || !other.hasAttributes else { return false }
        return other.relations.allSatisfy { wanted in
            guard let own = self[wanted.name] else { return false }
            return own.hasData == wanted.hasData && own.otherMembers == wanted.otherMembers
                && own.size.isCompatible(with: wanted.size)
        }
    }
}
