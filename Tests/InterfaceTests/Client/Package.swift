// swift-tools-version: 6.2
// A package as a user of the library writes it: every public entry is used once, twice over, with and without isolation
// to the main actor by default. It is compiled, not run, and no warning is allowed.

import PackageDescription

let package = Package(
    name: "client",
    dependencies: [.package(name: "notifyd", path: "../../..")],
    targets: [
        .target(name: "Client", dependencies: products, swiftSettings: [.treatAllWarnings(as: .error)]),
        // The same sources, through a link.
        .target(
            name: "MainActorClient", dependencies: products,
            swiftSettings: [.treatAllWarnings(as: .error), .defaultIsolation(MainActor.self)]),
    ],
    swiftLanguageModes: [.v6]
)

var products: [Target.Dependency] {
    ["Notify", "NotifyFoundation", "NotifyTesting"].map { .product(name: $0, package: "notifyd") }
}
