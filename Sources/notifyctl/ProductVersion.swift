// The version of this tool. A test compares it with the daemon's.

enum ProductVersion {
    static let text = "0.1.0"
}
