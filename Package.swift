// swift-tools-version: 6.2
import PackageDescription

// Modules in the order of DATA FLOW: a target may depend only on those above it.
// `Tests/HouseTests` holds the sources to this order.

/// Builds only for fuzzing: `Sources/FuzzDocuments` says how. Every module is then instrumented.
let isFuzzing = Context.environment["REFRAIN_FUZZ"] == "1"

/// `make test` builds from nothing, and then a module as a whole costs half of what its files one by
/// one do: 700 s of processor time for all debug modules and tests, most of it in expanding the
/// macros of tests, and each batch of files type-checks what it needs of the others again. After an
/// edit it is the other way round, so `swift build` and `swift test` stay as they are.
let compilesWholeModules = Context.environment["REFRAIN_WHOLE_MODULES"] == "1"
let wholeModules = ["-wmo", "-num-threads", "2", "-no-emit-module-separately-wmo", "-disable-batch-mode"]

let swift: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .treatAllWarnings(as: .error),
        // Byte loops call small functions of other modules; without this each call costs ten times
        // as much.
        .unsafeFlags(["-cross-module-optimization"], .when(configuration: .release)),
        // Debug builds, and so all tests, check that accesses do not overlap; here it was a third
        // of a hit's instructions.
        .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release)),
    ] + (isFuzzing ? [.unsafeFlags(["-sanitize=fuzzer,address"])] : [])
    + (compilesWholeModules ? [.unsafeFlags(wholeModules, .when(configuration: .debug))] : [])

let fuzzTargets: [Target] = [
    .executableTarget(
        name: "FuzzDocuments",
        dependencies: ["AppleMusic"],
        swiftSettings: swift,
        linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])])
]

/// The files of the dashboard, as bytes in the program: nothing has to be installed beside it.
let dashboard: [Resource] = ["page.html", "style.css", "script.js"].map { .embedInCode("Dashboard/" + $0) }

/// A library of this package with its mirrored test target.
func module(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> [Target] {
    [
        .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: swift),
        .testTarget(
            name: name + "Tests",
            dependencies: [.byName(name: name)] + dependencies + ["TestSupport"],
            swiftSettings: swift),
    ]
}

let package = Package(
    name: "refrain",
    products: [
        .executable(name: "refrain", targets: ["refrain"]),
        .executable(name: "bench", targets: ["Bench"]),
    ],
    targets: [
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .target(name: "CLinux"),
    ]
        + module("EventLoop", ["CLinux", "COpenSSL"])
        + module("HTTP", ["CLinux"])
        + module("AppleMusic", ["HTTP", "COpenSSL"])
        + module("Cache", ["HTTP", "CSQLite", "COpenSSL"])
        + module("Recording", ["HTTP", "AppleMusic", "Cache"])
        + module("Proxy", ["EventLoop", "HTTP", "AppleMusic", "Cache", "Recording"])
        + module("Admin", ["Proxy", "Recording", "EventLoop", "HTTP", "AppleMusic", "Cache"], resources: dashboard)
        + module("Simulator", ["Proxy", "EventLoop", "HTTP", "AppleMusic", "Recording"])
        + module(
            "Traffic", ["Simulator", "Proxy", "EventLoop", "HTTP", "AppleMusic", "Cache", "Recording"],
            resources: [.embedInCode("Reports/report.css")])
        + [
            .executableTarget(
                name: "refrain",
                dependencies: [
                    "Admin", "Traffic", "Simulator", "Proxy", "Recording", "EventLoop", "HTTP", "AppleMusic", "Cache",
                    "CLinux",
                ],
                swiftSettings: swift),
            .executableTarget(
                name: "Bench",
                dependencies: ["Cache", "Traffic", "Simulator", "Proxy", "Recording", "EventLoop", "AppleMusic"],
                swiftSettings: swift),
            .testTarget(
                name: "ScenarioTests",
                dependencies: [
                    "Admin", "Traffic", "Simulator", "Proxy", "Recording", "EventLoop", "HTTP", "AppleMusic", "Cache",
                    "TestSupport",
                ],
                swiftSettings: swift),
            .testTarget(
                name: "refrainTests",
                dependencies: ["refrain", "Recording", "TestSupport"],
                swiftSettings: swift),
            .testTarget(
                name: "BenchTests",
                dependencies: ["Bench", "Simulator", "Recording", "TestSupport"],
                swiftSettings: swift),
            .testTarget(name: "CostTests", dependencies: ["EventLoop", "TestSupport"], swiftSettings: swift),
            .testTarget(name: "HouseTests", dependencies: ["TestSupport"], swiftSettings: swift),
            .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: swift),
        ] + (isFuzzing ? fuzzTargets : [])
)
