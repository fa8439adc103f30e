// An actor as handlers call it.

import Glibc

actor Store {
    private(set) var kept = 0

    func keep() { kept += 1 }

    func keepSlowly() {
        usleep(5000)
        kept += 1
    }
}
