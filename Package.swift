// swift-tools-version: 6.2
import PackageDescription

// Modules in the order of DATA FLOW: a target may depend only on those above it.
// `Tests/HouseTests` holds the sources to this order.

/// Builds only for fuzzing: `Sources/FuzzDocuments` says how. Every module is then instrumented.
let isFuzzing = Context.environment["REFRAIN_FUZZ"] == "1"

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
/// - Parameter tested: what its tests need beside what it needs itself.
func module(
    _ name: String, _ dependencies: [Target.Dependency], tested: [Target.Dependency] = [], resources: [Resource] = []
) -> [Target] {
    [
        .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: swift),
        .testTarget(
            name: name + "Tests",
            dependencies: [.byName(name: name)] + dependencies + tested + ["TestSupport"],
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
        + module("AppleMusic", ["COpenSSL"])
        + module("Cache", ["HTTP", "CSQLite", "COpenSSL"])
        + module("Server", ["EventLoop", "HTTP"])
        + module("Upstream", ["EventLoop", "HTTP"])
        + module("Compose", ["AppleMusic", "Cache"])
        + module("Recording", ["HTTP", "AppleMusic", "Cache"])
        + module(
            "Proxy", ["Server", "Upstream", "Compose", "Recording", "EventLoop", "HTTP", "AppleMusic", "Cache"])
        + module(
            "Admin", ["Proxy", "Server", "Upstream", "Recording", "EventLoop", "HTTP", "AppleMusic", "Cache"],
            resources: dashboard)
        + module("Simulator", ["Server", "Upstream", "Recording", "EventLoop", "HTTP", "AppleMusic"])
        + module(
            "Traffic",
            [
                "Proxy", "Server", "Upstream", "Compose", "Recording", "EventLoop", "HTTP", "AppleMusic", "Cache",
            ],
            tested: ["Simulator"], resources: [.embedInCode("Reports/report.css")])
        + [
            .executableTarget(
                name: "refrain",
                dependencies: [
                    "Admin", "Traffic", "Simulator", "Proxy", "Server", "Upstream", "Compose", "Recording", "EventLoop",
                    "HTTP", "AppleMusic", "Cache", "CLinux",
                ],
                swiftSettings: swift),
            .executableTarget(
                name: "Bench",
                dependencies: ["Cache", "Traffic", "Simulator", "Server", "Recording", "EventLoop", "AppleMusic"],
                swiftSettings: swift),
            .testTarget(
                name: "ScenarioTests",
                dependencies: [
                    "Admin", "Traffic", "Simulator", "Proxy", "Server", "Upstream", "Compose", "Recording", "EventLoop",
                    "HTTP", "AppleMusic", "Cache", "TestSupport",
                ],
                swiftSettings: swift),
            .testTarget(
                name: "refrainTests",
                dependencies: ["refrain", "Recording", "TestSupport"],
                swiftSettings: swift),
            .testTarget(
                name: "BenchTests",
                dependencies: ["Bench", "Simulator", "Recording"],
                swiftSettings: swift),
            .testTarget(name: "CostTests", dependencies: ["EventLoop", "TestSupport"], swiftSettings: swift),
            .testTarget(name: "HouseTests", dependencies: ["TestSupport"], swiftSettings: swift),
            .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: swift),
        ] + (isFuzzing ? fuzzTargets : [])
)
