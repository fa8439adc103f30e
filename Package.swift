// swift-tools-version: 6.2
// The walls of the house: which room may lean on which. A test compares the imports in Sources with this file.

import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "notifyd",
    products: [
        .library(name: "Notify", targets: ["Notify"]),
        .library(name: "NotifyFoundation", targets: ["NotifyFoundation"]),
        .library(name: "NotifyTesting", targets: ["NotifyTesting"]),
        .executable(name: "notifyd", targets: ["notifyd"]),
        .executable(name: "notifyctl", targets: ["notifyctl"]),
    ],
    targets: [
        // C headers only: what the Glibc import leaves out, and the vector string scan.
        .systemLibrary(name: "CNotify"),
        .systemLibrary(name: "CNotifyctl"),
        // getopt_long(3) without its global variables.
        .systemLibrary(name: "CGetopt"),
        .systemLibrary(name: "CSystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),

        .target(name: "NotifyWire", dependencies: ["CNotify"]),
        // A value and its lock, for every room that has threads.
        .target(name: "NotifyLock"),
        .target(name: "NotifyBroker", dependencies: ["NotifyWire"]),
        .target(name: "NotifyTransport", dependencies: ["CNotify", "NotifyLock"]),
        .target(name: "NotifySystemd", dependencies: ["CSystemd"]),
        .target(name: "NotifyStore", dependencies: ["CSQLite", "NotifyBroker"]),
        .target(
            name: "NotifyDaemon",
            dependencies: [
                "CNotify", "NotifyLock", "NotifyWire", "NotifyBroker", "NotifyTransport", "NotifySystemd",
                "NotifyStore",
            ]),

        .target(name: "Notify", dependencies: ["NotifyLock", "NotifyWire", "NotifyTransport"]),
        // Apart, because only here all of Foundation is needed.
        .target(name: "NotifyFoundation", dependencies: ["Notify", "NotifyLock"]),
        .target(name: "NotifyTesting", dependencies: ["Notify", "NotifyBroker", "NotifyLock", "NotifyWire"]),

        .executableTarget(
            name: "notifyd",
            dependencies: ["CGetopt", "NotifyBroker", "NotifyDaemon", "NotifySystemd", "NotifyTransport"]),
        .executableTarget(name: "notifyctl", dependencies: ["Notify", "NotifyLock", "CGetopt", "CNotifyctl"]),

        // Small and complete; no products. Their tests are in EndToEndTests.
        .executableTarget(name: "ShopBadge", dependencies: ["Notify"], path: "Sources/Examples/ShopBadge"),
        .executableTarget(
            name: "SettingsBroadcaster", dependencies: ["Notify"], path: "Sources/Examples/SettingsBroadcaster"),
        .executableTarget(name: "Meeting", dependencies: ["Notify"], path: "Sources/Examples/Meeting"),
        .executableTarget(name: "ClockFace", dependencies: ["Notify"], path: "Sources/Examples/ClockFace"),
        .executableTarget(name: "RecordIndex", dependencies: ["Notify"], path: "Sources/Examples/RecordIndex"),
        .executableTarget(name: "OrderService", dependencies: ["Notify"], path: "Sources/Examples/OrderService"),
        .executableTarget(
            name: "ClassicMigration", dependencies: ["Notify", "NotifyFoundation"],
            path: "Sources/Examples/ClassicMigration"),

        .target(name: "NotifyTestSupport", dependencies: ["NotifyLock"], path: "Tests/NotifyTestSupport"),
        .testTarget(name: "NotifyWireTests", dependencies: ["NotifyWire", "NotifyTestSupport"]),
        .testTarget(name: "NotifyBrokerTests", dependencies: ["NotifyBroker", "NotifyWire", "NotifyTestSupport"]),
        .testTarget(name: "NotifyTransportTests", dependencies: ["NotifyTransport", "CNotify", "NotifyTestSupport"]),
        .testTarget(name: "NotifyStoreTests", dependencies: ["NotifyStore", "NotifyBroker", "NotifyTestSupport"]),
        .executableTarget(name: "ActivationProbe", dependencies: ["NotifySystemd"], path: "Tests/ActivationProbe"),
        .testTarget(
            name: "NotifySystemdTests",
            dependencies: ["NotifySystemd", "CSystemd", "ActivationProbe", "NotifyLock", "NotifyTestSupport"]),
        .testTarget(
            name: "NotifyDaemonTests",
            dependencies: ["NotifyBroker", "NotifyDaemon", "NotifySystemd", "NotifyTransport", "NotifyTestSupport"]),
        .testTarget(
            name: "NotifyTests",
            dependencies: ["Notify", "NotifyLock", "NotifyWire", "NotifyTransport", "NotifyTestSupport"]),
        .testTarget(
            name: "NotifyFoundationTests",
            dependencies: ["NotifyFoundation", "Notify", "NotifyLock", "NotifyTestSupport"]),
        .testTarget(name: "NotifyTestingTests", dependencies: ["NotifyTesting", "Notify"]),
        .testTarget(
            name: "ExampleModelTests", dependencies: ["ClockFace", "RecordIndex", "Notify", "NotifyTesting"]),
        .testTarget(name: "NotifyctlTests", dependencies: ["notifyctl", "Notify", "NotifyTestSupport"]),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "NotifyTestSupport", "NotifyLock", "Notify", "notifyd", "notifyctl", "ShopBadge", "SettingsBroadcaster",
                "Meeting", "ClockFace", "RecordIndex", "OrderService", "ClassicMigration",
            ],
            exclude: ["terminal.py"]),
        .testTarget(
            name: "SystemdTests", dependencies: ["NotifyTestSupport", "notifyd", "notifyctl"], exclude: ["Scenarios"]),
        .testTarget(
            name: "RepositoryTests", dependencies: ["NotifyTestSupport", "notifyd", "notifyctl"],
            exclude: ["run_examples.py"]),
        // The manual pages, against what the programs say of themselves.
        .testTarget(name: "ManualTests", dependencies: ["NotifyWire", "NotifyTestSupport", "notifyd", "notifyctl"]),
        // What a user of the library sees: its interface, its documentation, what the compiler says to mistakes.
        .testTarget(
            name: "InterfaceTests",
            dependencies: [
                "NotifyTestSupport", "Notify", "NotifyFoundation", "NotifyTesting", "notifyd", "notifyctl", "Meeting",
            ],
            exclude: [
                "Baseline", "Client", "Misuses", "Shop.swift", "baseline.py", "documentation.py", "snippets.py",
                "symbols.py", "used.py",
            ]),
    ]
)

for target in package.targets where ![.system, .binary, .plugin].contains(target.type) {
    target.swiftSettings = strict
}
