import AppleMusic

// The forms in which more is asked for than a client wants. Nothing is composed in a form because
// of what is decided here.

extension LearntForms {
    /// Whether to ask for more in a form than a client did. Nothing is composed in it for that, so
    /// answers in other circumstances suffice; or the documentation, where it counts and answers
    /// have shown each name. Any other form is tried once.
    func mayAsk(in form: Form, at now: Int64) -> Bool {
        state.withLock { state in
            guard !state.isWrong(form.shape, at: now) else { return false }
            switch state.forms[form] {
            case .known(let known): return known.record.envelope == 0
            case .rests(let until) where now < until: return false
            default:
                guard !state.tries.isRefused(form, at: now) else { return false }
                return isDocumented && state.knowsNames(of: form) || state.isSeenElsewhere(form, at: now)
                    || state.tries.mayBegin(form, at: now)
            }
        }
    }

    /// Notes that a request asks for more in a form than its client did.
    func begin(_ form: Form, at now: Int64) {
        state.withLock { state in
            if case .known? = state.forms[form] { return }
            if !isDocumented || !state.knowsNames(of: form) { state.tries.begin(form, at: now) }
        }
    }

    /// The origin refused a request in a form that no client asked for: none is sent for a week. A
    /// form that was answered before goes on: the refusal is of that one resource.
    func noteRefusal(_ form: Form, at now: Int64) {
        state.withLock { state in
            if case .known? = state.forms[form] { return }
            state.tries.noteRefusal(form, at: now)
        }
    }
}

extension LearntForms.State {
    /// Whether the same selection was answered in other circumstances.
    fileprivate func isSeenElsewhere(_ form: Form, at now: Int64) -> Bool {
        forms.contains { other, entry in
            guard other.isRelated(to: form), other.hasSelection(of: form),
                other.hasDecoration(of: form), case .known(let known) = entry
            else {
                return false
            }
            return known.record.envelope == 0 && known.record.isRemembered(at: now)
        }
    }

    /// Bound of the names, above what any type has: an origin may answer names that clients make
    /// up.
    private static let mostNames = 64

    mutating func noteNames(of form: Form) {
        for name in form.shape.selectedNames where names[form.shape.type, default: []].count < Self.mostNames {
            names[form.shape.type, default: []].insert(name)
        }
    }

    fileprivate func knowsNames(of form: Form) -> Bool {
        form.shape.selectedNames.isSubset(of: names[form.shape.type] ?? [])
    }
}
