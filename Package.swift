// swift-tools-version: 6.2
import PackageDescription

// Modules in the order of DATA FLOW: a target may depend only on those above it.
// `Tests/HouseTests` holds the sources to this order.

/// Builds only for fuzzing: `Sources/Fuzz` says how. Every module is then instrumented.
let isFuzzing = Context.environment["REFRAIN_FUZZ"] == "1"

/// `make test` builds from nothing, and then a module as a whole costs less than its files one by
/// one, because each batch of files type-checks what it needs of the others again: EventLoopTests
/// took 14 s of processor time in place of 25. After an edit it is the other way round, so
/// `swift build` and `swift test` stay as they are.
let compilesWholeModules = Context.environment["REFRAIN_WHOLE_MODULES"] == "1"
let wholeModules = ["-wmo", "-num-threads", "2", "-no-emit-module-separately-wmo", "-disable-batch-mode"]

/// The modules of `Sources` leave an index of their symbols at this path, which `Tests/HouseTests`
/// reads. It cost 0.6 s of processor time beside 14 s for the type check of 14 modules; modules of
/// the system and C headers are left out of it.
let index = Context.environment["REFRAIN_INDEX"].map {
    ["-index-store-path", $0, "-index-ignore-system-modules"]
        + ["-index-ignore-clang-modules", "-index-ignore-stdlib"].flatMap { ["-Xfrontend", $0] }
}
let indexed: [SwiftSetting] = index.map { [.unsafeFlags($0, .when(configuration: .debug))] } ?? []

/// The commit that is built, which the Makefile finds: `refrain version` names its first ten
/// digits, however many more are given. In the target of one small file, or each commit would build
/// everything anew.
let commit =
    Context.environment["REFRAIN_COMMIT"].flatMap { given in
        given.count >= 10 && given.allSatisfy { $0.isASCII && $0.isHexDigit } ? given.prefix(10).lowercased() : nil
    } ?? ""

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
    ] + (isFuzzing ? [.unsafeFlags(["-sanitize=fuzzer,address", "-enable-testing"])] : [])
    + (compilesWholeModules ? [.unsafeFlags(wholeModules, .when(configuration: .debug))] : [])

let fuzzTargets: [Target] = [
    .executableTarget(
        name: "Fuzz",
        dependencies: ["Text", "EventLoop", "HTTP", "AppleMusic", "Server", "Upstream", "Tier", "Recording"],
        swiftSettings: swift, linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])])
]

/// The files of the dashboard, as bytes in the program: nothing has to be installed beside it.
let dashboard: [Resource] = ["page.html", "style.css", "script.js"].map { .embedInCode("Dashboard/" + $0) }

/// The page that shows reports of replays.
let report: [Resource] = ["report.css", "report.js"].map { .embedInCode("Reports/" + $0) }

/// A library of this package with its mirrored test target.
/// - Parameter tested: what its tests need beside what it needs itself.
func module(
    _ name: String, _ dependencies: [Target.Dependency], tested: [Target.Dependency] = [], resources: [Resource] = []
) -> [Target] {
    [
        .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: swift + indexed),
        .testTarget(
            name: name + "Tests",
            dependencies: [.byName(name: name)] + dependencies + tested + ["TestSupport"],
            swiftSettings: swift),
    ]
}

/// The product, and its tests.
let productTargets: [Target] = [
    .executableTarget(
        name: "refrain",
        dependencies: [
            "CBuild", "CLinux", "Text", "EventLoop", "HTTP", "AppleMusic", "Freshness", "Purging", "Store", "Cache",
            "Server", "Upstream",
            "Compose", "Recording", "Tier", "Proxy", "Admin", "Simulator", "Traffic",
        ],
        swiftSettings: swift + indexed),
    .testTarget(
        name: "refrainTests",
        dependencies: [
            "refrain", "EventLoop", "Freshness", "Recording", "Purging", "Store", "Tier", "Text", "TestSupport",
        ],
        swiftSettings: swift),
]

let package = Package(
    name: "refrain",
    products: [
        isFuzzing
            ? .executable(name: "fuzz", targets: ["Fuzz"]) : .executable(name: "refrain", targets: ["refrain"]),
        .executable(name: "bench", targets: ["Bench"]),
    ],
    targets: [
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .target(name: "CLinux"),
        .target(name: "CBuild", cSettings: [.define("REFRAIN_COMMIT", to: "\"\(commit)\"")]),
    ]
        + module("Text", ["COpenSSL"])
        + module("EventLoop", ["CLinux", "COpenSSL"])
        + module("HTTP", ["CLinux"])
        + module("AppleMusic", ["CLinux", "Text", "EventLoop", "COpenSSL"])
        + module("Freshness", ["Text", "HTTP"])
        + module("Purging", ["Text"])
        + module("Store", ["Text", "EventLoop", "Purging", "CSQLite"])
        + module("Cache", ["Text", "EventLoop", "HTTP", "Freshness", "Purging", "Store"])
        + module("Server", ["CLinux", "Text", "EventLoop", "HTTP"])
        + module("Upstream", ["Text", "EventLoop", "HTTP"])
        + module("Compose", ["Text", "AppleMusic", "Freshness", "Store", "Cache"])
        + module("Recording", ["Text", "EventLoop", "HTTP", "AppleMusic"])
        + module("Tier", ["Text", "EventLoop", "HTTP", "Freshness", "Purging", "Store", "Cache", "Upstream"])
        + module(
            "Proxy",
            [
                "Text", "EventLoop", "HTTP", "AppleMusic", "Freshness", "Purging", "Store", "Cache", "Server",
                "Upstream",
                "Compose", "Recording", "Tier",
            ])
        + module(
            "Admin",
            [
                "Text", "EventLoop", "HTTP", "AppleMusic", "Freshness", "Purging", "Store", "Cache", "Server",
                "Upstream",
                "Compose", "Recording", "Tier", "Proxy",
            ],
            resources: dashboard)
        + module("Simulator", ["Text", "EventLoop", "HTTP", "AppleMusic", "Server", "Upstream", "Recording"])
        + module(
            "Traffic",
            [
                "Text", "EventLoop", "HTTP", "AppleMusic", "Freshness", "Cache", "Server", "Upstream", "Compose",
                "Recording", "Proxy",
            ],
            tested: ["Simulator"], resources: report)
        + [
            .executableTarget(
                name: "Bench",
                dependencies: ["Text", "EventLoop", "HTTP", "Upstream", "Recording", "Traffic"], exclude: ["worlds"],
                swiftSettings: swift + indexed),
            .testTarget(
                name: "ScenarioTests",
                dependencies: [
                    "Text", "EventLoop", "HTTP", "AppleMusic", "Freshness", "Purging", "Store", "Cache", "Server",
                    "Upstream",
                    "Compose", "Recording", "Tier", "Proxy", "Admin", "Simulator", "Traffic", "TestSupport",
                ],
                swiftSettings: swift),
            .testTarget(
                name: "FaultTests", dependencies: ["AppleMusic", "Cache", "Purging", "Store", "TestSupport"],
                swiftSettings: swift),
            .testTarget(
                name: "BenchTests",
                dependencies: ["Bench", "Text", "Traffic", "TestSupport"],
                swiftSettings: swift),
            .testTarget(name: "CostTests", dependencies: ["EventLoop", "TestSupport"], swiftSettings: swift),
            .testTarget(name: "HouseTests", dependencies: ["TestSupport"], swiftSettings: swift),
            .target(
                name: "TestSupport", dependencies: ["CLinux", "Text", "EventLoop", "HTTP"], path: "Tests/TestSupport",
                swiftSettings: swift),
        ] + (isFuzzing ? fuzzTargets : productTargets)
)
