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
    typealias ReadText = @convention(c) @Sendable (Handle) -> Text
    typealias ReadKind = @convention(c) @Sendable (Handle) -> CUnsignedInt
    typealias ReadSet = @convention(c) @Sendable (Handle) -> UInt64
    typealias ReadSymbol = @convention(c) @Sendable (Handle) -> Handle

    let openStore: @convention(c) @Sendable (UnsafePointer<CChar>, Handle?) -> Handle?
    let visitUnits:
        @convention(c) @Sendable (Handle, CUnsignedInt, Handle, @convention(c) (Handle, Text) -> Bool) -> Bool
    let openUnit: Open
    let closeUnit: Close
    let unitFile: ReadText
    let unitTime: @convention(c) @Sendable (Handle, UnsafeMutablePointer<Int64>, UnsafeMutablePointer<Int64>) -> Void
    let visitDependencies: Visit
    let dependencyKind: ReadKind
    let dependencyName: ReadText
    let dependencyPath: ReadText
    let openRecord: Open
    let closeRecord: Close
    let visitOccurrences: Visit
    let occurrenceSymbol: ReadSymbol
    let occurrenceRoles: ReadSet
    let occurrencePlace:
        @convention(c) @Sendable (Handle, UnsafeMutablePointer<CUnsignedInt>, UnsafeMutablePointer<CUnsignedInt>) ->
            Void
    let visitRelations: Visit
    let relationSymbol: ReadSymbol
    let relationRoles: ReadSet
    let symbolUSR: ReadText
    let symbolName: ReadText
    let symbolKind: ReadKind

    /// Nil where the toolchain that `PATH` leads to has no such library.
    static let ofThisToolchain: IndexLibrary? = {
        guard let compiler = Tool("swiftc") else { return nil }
        let programs = URL(fileURLWithPath: compiler.path).resolvingSymlinksInPath().deletingLastPathComponent()
        let path = programs.deletingLastPathComponent().appendingPathComponent("lib/libIndexStore.so").path
        return dlopen(path, RTLD_NOW).flatMap { try? IndexLibrary($0) }
    }()

    private struct NoSuchFunction: Error {}

    private init(_ library: Handle) throws {
        func function<Function>(_ name: String) throws -> Function {
            guard let address = dlsym(library, "indexstore_" + name) else { throw NoSuchFunction() }
            return unsafeBitCast(address, to: Function.self)
        }
        openStore = try function("store_create")
        visitUnits = try function("store_units_apply_f")
        openUnit = try function("unit_reader_create")
        closeUnit = try function("unit_reader_dispose")
        unitFile = try function("unit_reader_get_main_file")
        unitTime = try function("unit_reader_get_modification_time")
        visitDependencies = try function("unit_reader_dependencies_apply_f")
        dependencyKind = try function("unit_dependency_get_kind")
        dependencyName = try function("unit_dependency_get_name")
        dependencyPath = try function("unit_dependency_get_filepath")
        openRecord = try function("record_reader_create")
        closeRecord = try function("record_reader_dispose")
        visitOccurrences = try function("record_reader_occurrences_apply_f")
        occurrenceSymbol = try function("occurrence_get_symbol")
        occurrenceRoles = try function("occurrence_get_roles")
        occurrencePlace = try function("occurrence_get_line_col")
        visitRelations = try function("occurrence_relations_apply_f")
        relationSymbol = try function("symbol_relation_get_symbol")
        relationRoles = try function("symbol_relation_get_roles")
        symbolUSR = try function("symbol_get_usr")
        symbolName = try function("symbol_get_name")
        symbolKind = try function("symbol_get_kind")
    }

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
