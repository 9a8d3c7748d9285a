import Foundation
import TestSupport

/// The functions of the compiler's `libIndexStore.so` that read an index.
struct IndexLibrary: Sendable {
    typealias Handle = UnsafeMutableRawPointer
    /// `indexstore_string_ref_t` is a pointer and a length, as an `iovec` is.
    typealias Text = iovec
    typealias Open = @convention(c) @Sendable (Handle, UnsafePointer<CChar>, Handle?) -> Handle?
    typealias Close = @convention(c) @Sendable (Handle) -> Void
    typealias Visit = @convention(c) @Sendable (Handle, Handle, @convention(c) (Handle, Handle) -> Bool) -> Bool
    typealias VisitUnits =
        @convention(c) @Sendable (Handle, CUnsignedInt, Handle, @convention(c) (Handle, Text) -> Bool) -> Bool
    typealias ReadText = @convention(c) @Sendable (Handle) -> Text
    typealias ReadKind = @convention(c) @Sendable (Handle) -> CUnsignedInt
    typealias ReadSet = @convention(c) @Sendable (Handle) -> UInt64
    typealias ReadSymbol = @convention(c) @Sendable (Handle) -> Handle
    typealias ReadTime =
        @convention(c) @Sendable (Handle, UnsafeMutablePointer<Int64>, UnsafeMutablePointer<Int64>) -> Void
    typealias ReadPlace =
        @convention(c) @Sendable (Handle, UnsafeMutablePointer<CUnsignedInt>, UnsafeMutablePointer<CUnsignedInt>) ->
        Void

    let openStore: @convention(c) @Sendable (UnsafePointer<CChar>, Handle?) -> Handle? = indexFunction("store_create")
    let visitUnits: VisitUnits = indexFunction("store_units_apply_f")
    let openUnit: Open = indexFunction("unit_reader_create")
    let closeUnit: Close = indexFunction("unit_reader_dispose")
    let unitFile: ReadText = indexFunction("unit_reader_get_main_file")
    let unitTime: ReadTime = indexFunction("unit_reader_get_modification_time")
    let visitDependencies: Visit = indexFunction("unit_reader_dependencies_apply_f")
    let dependencyKind: ReadKind = indexFunction("unit_dependency_get_kind")
    let dependencyName: ReadText = indexFunction("unit_dependency_get_name")
    let dependencyPath: ReadText = indexFunction("unit_dependency_get_filepath")
    let openRecord: Open = indexFunction("record_reader_create")
    let closeRecord: Close = indexFunction("record_reader_dispose")
    let visitOccurrences: Visit = indexFunction("record_reader_occurrences_apply_f")
    let occurrenceSymbol: ReadSymbol = indexFunction("occurrence_get_symbol")
    let occurrenceRoles: ReadSet = indexFunction("occurrence_get_roles")
    let occurrencePlace: ReadPlace = indexFunction("occurrence_get_line_col")
    let visitRelations: Visit = indexFunction("occurrence_relations_apply_f")
    let relationSymbol: ReadSymbol = indexFunction("symbol_relation_get_symbol")
    let relationRoles: ReadSet = indexFunction("symbol_relation_get_roles")
    let symbolUSR: ReadText = indexFunction("symbol_get_usr")
    let symbolName: ReadText = indexFunction("symbol_get_name")
    let symbolKind: ReadKind = indexFunction("symbol_get_kind")

    /// Nil where the toolchain that `PATH` leads to has no such library.
    static let ofThisToolchain: IndexLibrary? = library.map { _ in IndexLibrary() }

    private init() {}

    /// Calls `body` with each thing that `visit` finds in `owner`.
    func each(_ visit: Visit, in owner: Handle, _ body: (Handle) -> Void) {
        withoutActuallyEscaping(body) { body in
            var body = body
            withUnsafeMutablePointer(to: &body) { pointer in
                _ = visit(owner, pointer) { context, found in
                    context.assumingMemoryBound(to: ((Handle) -> Void).self).pointee(found)
                    return true
                }
            }
        }
    }

    /// The names of all units of a store.
    func units(of store: Handle) -> [String] {
        var names: [String] = []
        withUnsafeMutablePointer(to: &names) { pointer in
            _ = visitUnits(store, 0, pointer) { context, name in
                context.assumingMemoryBound(to: [String].self).pointee.append(IndexLibrary.string(name))
                return true
            }
        }
        return names
    }

    static func string(_ text: Text) -> String {
        String(decoding: UnsafeRawBufferPointer(start: text.iov_base, count: text.iov_len), as: UTF8.self)
    }
}

/// Its handle, as a number.
private let library: UInt? = Tool("swiftc").flatMap { compiler in
    let programs = URL(fileURLWithPath: compiler.path).resolvingSymlinksInPath().deletingLastPathComponent()
    let path = programs.deletingLastPathComponent().appendingPathComponent("lib/libIndexStore.so").path
    return dlopen(path, RTLD_NOW).map { UInt(bitPattern: $0) }
}

/// A function that each version of the library has.
private func indexFunction<Function>(_ name: String) -> Function {
    let handle = library.flatMap { UnsafeMutableRawPointer(bitPattern: $0) }
    guard let address = dlsym(handle, "indexstore_" + name) else {
        preconditionFailure("libIndexStore.so has no \(name)")
    }
    return unsafeBitCast(address, to: Function.self)
}
