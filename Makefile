# notifyd: what one does with a checkout. `make help` lists it; every target prints what it does.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# Where `make install` puts things. systemd looks into lib/systemd, and systemd-sysusers into lib/sysusers.d, below
# /usr and /usr/local only; with another PREFIX give UNITDIR and SYSUSERSDIR, too. DESTDIR is for packagers.
PREFIX ?= /usr/local
DESTDIR ?=
BINDIR ?= $(PREFIX)/bin
UNITDIR ?= $(PREFIX)/lib/systemd
SYSUSERSDIR ?= $(PREFIX)/lib/sysusers.d
# Where systemd looks.
SEARCHED := /usr/local/lib/systemd /usr/lib/systemd /lib/systemd /etc/systemd
DOCDIR ?= $(PREFIX)/share/doc/notifyd
# The scripts that let shells complete the words of notifyctl. (Debian's packages have those of zsh in vendor-completions.)
BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d
MANDIR ?= $(PREFIX)/share/man
# What `make install` takes the programs from.
BUILT ?= .build/release

# notifyctl.1 and so on; the ending is the section.
PAGES := $(notdir $(wildcard Sources/Manual/*))
# The one that `make man` shows.
PAGE ?= notifyctl.1

# Where `make deb` puts the package, and the revision in its version: a higher one is an upgrade.
DEBDIR ?= .build/deb
REVISION ?= 1

# The side-by-side benchmark of `make bench`, and its options.
BENCH ?= $(wildcard ../shared/bench)
BENCH_OPTIONS ?= --quick

SWIFT ?= swift
# Statically linked against Swift's own libraries: the programs run on machines without a toolchain.
RELEASE := -c release --static-swift-stdlib
# Relative relocations take a hundredth of the space when packed, and are read at every start. The toolchain's lld knows
# how; glibc has understood them since 2.36.
RELEASE += -Xswiftc -use-ld=lld -Xlinker -z -Xlinker pack-relative-relocs
# What the daemon needs first and at rest stands together: fewer page faults, and 1.6 MB less in memory.
RELEASE += -Xlinker --symbol-ordering-file=$(CURDIR)/config/link/notifyd.order -Xlinker --no-warn-symbol-ordering
# The runtime's C++ library and unwinder as archives, where there are such: loading the shared ones takes a third of the
# daemon's start. The linker looks here first.
ARCHIVES := .build/archives
RELEASE += -Xlinker -L$(CURDIR)/$(ARCHIVES)

.PHONY: help
help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

.PHONY: demo
demo: needed-to-build ## build, start a daemon, a listener and a poster; watch messages arrive
	@echo "== building notifyd and notifyctl"
	$(SWIFT) build --product notifyd
	$(SWIFT) build --product notifyctl
	@PATH="$$($(SWIFT) build --show-bin-path):$$PATH" Tests/demo.sh

# One test at a time: most of them start programs and talk with them, and on a small machine they would only wait for
# each other.
.PHONY: test
test: needed-to-test ## run all tests
	$(SWIFT) test --no-parallel

.PHONY: fuzz
fuzz: needed-to-test ## fuzz the parsers for SECONDS (20) and let Python judge what was found
	@Tests/Fuzz/run $(or $(SECONDS),20)

.PHONY: sanitize
sanitize: needed-to-test ## run all tests with the address and the thread sanitizer (an hour on 2 cores)
	Tests/sanitize.sh

.PHONY: soak
soak: build ## hundreds of clients of all kinds for SECONDS (300), with CLIENTS (400); then the truth is told
	python3 -B Tests/Soak/soak.py .build/release $(or $(SECONDS),300) $(or $(CLIENTS),400)

.PHONY: scaling
scaling: build ## measure what requests and memory cost with 100,000 of everything (5 minutes)
	python3 -B Tests/scaling.py .build/release/notifyd

.PHONY: build
build: needed-to-build ## build the programs for use, in .build/release
	@mkdir -p $(ARCHIVES)
	@for archive in libstdc++.a:libstdc++.a libgcc_eh.a:libgcc_s.a; do \
	    path=$$(clang -print-file-name=$${archive%:*}) && test -f "$$path" || continue; \
	    ln -sf "$$path" $(ARCHIVES)/$${archive#*:}; \
	done
	$(SWIFT) build $(RELEASE) --product notifyd
	$(SWIFT) build $(RELEASE) --product notifyctl

.PHONY: bench
bench: build ## measure what was built; with BENCH=DIR beside other brokers, too
	Tests/bench.sh .build/release "$(BENCH)" $(BENCH_OPTIONS)

.PHONY: man
man: ## read a manual page as it is here: PAGE=notifyctl.1, notifyd.8, notifyd.conf.5 or notifyd-protocol.7
	@man -l Sources/Manual/$(PAGE)

.PHONY: install
install: ## install what `make build` built: programs, manual pages, units, the user, completions, an example configuration
	@test -x $(BUILT)/notifyd && test -x $(BUILT)/notifyctl || { echo "first: make build"; exit 1; }
	install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(UNITDIR)/system $(DESTDIR)$(UNITDIR)/user
	install -d $(DESTDIR)$(SYSUSERSDIR) $(DESTDIR)$(DOCDIR) $(DESTDIR)$(MANDIR)/man{1,5,7,8}
	install -m 755 -s $(BUILT)/notifyd $(BUILT)/notifyctl $(DESTDIR)$(BINDIR)
	for unit in system/notifyd.socket system/notifyd.service user/notifyd.socket user/notifyd.service; do \
	    sed 's|/usr/local/bin/|$(BINDIR)/|' systemd/$$unit > $(DESTDIR)$(UNITDIR)/$$unit; \
	    chmod 644 $(DESTDIR)$(UNITDIR)/$$unit; \
	done
	install -m 644 systemd/sysusers/notifyd.conf $(DESTDIR)$(SYSUSERSDIR)/notifyd.conf
	install -m 644 config/notifyd.json5 $(DESTDIR)$(DOCDIR)/notifyd.json5
	install -d $(DESTDIR)$(BASHDIR) $(DESTDIR)$(ZSHDIR) $(DESTDIR)$(FISHDIR)
	$(BUILT)/notifyctl completion bash | install -m 644 /dev/stdin $(DESTDIR)$(BASHDIR)/notifyctl
	$(BUILT)/notifyctl completion zsh | install -m 644 /dev/stdin $(DESTDIR)$(ZSHDIR)/_notifyctl
	$(BUILT)/notifyctl completion fish | install -m 644 /dev/stdin $(DESTDIR)$(FISHDIR)/notifyctl.fish
	for page in $(PAGES); do \
	    file=$(DESTDIR)$(MANDIR)/man$${page##*.}/$$page; \
	    sed 's|/usr/local/share/doc/notifyd|$(DOCDIR)|; s|/usr/local/lib/systemd|$(UNITDIR)|' \
	        Sources/Manual/$$page > $$file; \
	    chmod 644 $$file; \
	done
	@if [[ -n "$(DESTDIR)" ]]; then :; elif [[ " $(SEARCHED) " == *" $(UNITDIR) "* ]]; then \
	    echo "Installed. To start it with the system:"; \
	    echo "    systemd-sysusers && systemctl daemon-reload && systemctl enable --now notifyd.socket"; \
	    echo "or for one user:"; \
	    echo "    systemctl --user daemon-reload && systemctl --user enable --now notifyd.socket"; \
	else \
	    echo "Installed. systemd does not look for units in $(UNITDIR): $(BINDIR)/notifyd starts without it."; \
	fi

# Directories that go when nothing else is in them; those that a bare system has below /usr/local are not among them.
EMPTIED = $(DOCDIR) $(UNITDIR)/system $(UNITDIR)/user $(UNITDIR) $(SYSUSERSDIR) $(MANDIR)/man{1,5,7,8}
EMPTIED += $(foreach scripts,$(BASHDIR) $(ZSHDIR) $(FISHDIR),$(scripts) $(dir $(scripts))) $(dir $(DOCDIR))

# The system's units are stopped and disabled if they are the ones installed here. What is not from `make install` stays:
# the user `notifyd`, /etc/notifyd, and the units that users have enabled for themselves.
.PHONY: uninstall
uninstall: ## stop the system's units and remove what `make install` installed
	@socket=$(UNITDIR)/system/notifyd.socket; \
	if [[ -z "$(DESTDIR)" && -d /run/systemd/system && -e $$socket ]] \
	    && [[ $$(systemctl show -P FragmentPath notifyd.socket) == "$$socket" ]]; then \
	    echo "systemctl disable --now notifyd.socket notifyd.service"; \
	    systemctl disable --now notifyd.socket notifyd.service; \
	fi
	rm -f $(DESTDIR)$(BINDIR)/notifyd $(DESTDIR)$(BINDIR)/notifyctl
	rm -f $(DESTDIR)$(UNITDIR)/{system,user}/notifyd.{socket,service}
	rm -f $(DESTDIR)$(SYSUSERSDIR)/notifyd.conf $(DESTDIR)$(DOCDIR)/notifyd.json5
	rm -f $(DESTDIR)$(BASHDIR)/notifyctl $(DESTDIR)$(ZSHDIR)/_notifyctl $(DESTDIR)$(FISHDIR)/notifyctl.fish
	for page in $(PAGES); do rm -f $(DESTDIR)$(MANDIR)/man$${page##*.}/$$page; done
	for directory in $(EMPTIED); do \
	    rmdir --ignore-fail-on-non-empty $(DESTDIR)$$directory 2>/dev/null || true; \
	done
	@if [[ -z "$(DESTDIR)" && " $(SEARCHED) " == *" $(UNITDIR) "* ]]; then rmdir /run/notifyd 2>/dev/null || true; fi
	@if [[ -z "$(DESTDIR)" && -d /run/systemd/system ]]; then systemctl daemon-reload; fi

# It holds what `make install PREFIX=/usr` installs; config/debian has the rest. Other programs than the usual ones are
# taken as they are (FOR_TESTS=1 if they are not for use elsewhere).
.PHONY: deb
deb: needed-to-package $(if $(filter .build/release,$(BUILT)),build) ## build the Debian package, in .build/deb
	config/debian/build $(BUILT) $(DEBDIR) $(REVISION)

# The libraries alone are enough for both.
.PHONY: docs
docs: needed-to-test ## build the documentation of the library, in .build/docs
	$(SWIFT) build --target NotifyFoundation
	$(SWIFT) build --target NotifyTesting
	python3 -B Tests/InterfaceTests/documentation.py "$$($(SWIFT) build --show-bin-path)" .build/docs
	@echo "To read it: (cd .build/docs && python3 -m http.server), http://localhost:8000/documentation/notify"

.PHONY: api
api: needed-to-test ## write down the public interface as it is now; the difference is for the commit
	$(SWIFT) build --target NotifyFoundation
	$(SWIFT) build --target NotifyTesting
	python3 -B Tests/InterfaceTests/baseline.py "$$($(SWIFT) build --show-bin-path)" --update

.PHONY: lint
lint: ## check the format of the sources
	$(SWIFT) format lint --strict -r Sources Tests Package.swift

.PHONY: clean
clean: ## remove everything built
	$(SWIFT) package clean
	rm -rf .build/deb

# What is missing is installed where that is possible without asking (root on Debian or Ubuntu), and named elsewhere.
.PHONY: needed-to-build needed-to-test needed-to-package
needed-to-build: needed := libsystemd-dev libsqlite3-dev
needed-to-test: needed := libsystemd-dev libsqlite3-dev systemd dbus python3 bash-completion zsh fish mandoc groff-base
needed-to-test: needed += gcc netcat-openbsd socat debhelper dbus-user-session libpam-systemd
needed-to-package: needed := debhelper
needed-to-build needed-to-test: toolchain
.PHONY: toolchain
toolchain:
	@command -v $(SWIFT) >/dev/null || { echo "A Swift toolchain, 6.2 or later, is needed."; exit 1; }
needed-to-build needed-to-test needed-to-package:
	@has() { \
	    case $$1 in \
	        libsystemd-dev) [[ -e /usr/include/systemd/sd-daemon.h ]] ;; \
	        libsqlite3-dev) [[ -e /usr/include/sqlite3.h ]] ;; \
	        systemd) command -v systemd-analyze >/dev/null ;; \
	        bash-completion) [[ -e /usr/share/bash-completion/bash_completion ]] ;; \
	        dbus) command -v dbus-daemon >/dev/null ;; \
	        dbus-user-session) [[ -e /usr/lib/systemd/user/dbus.socket ]] ;; \
	        libpam-systemd) compgen -G '/lib/*/security/pam_systemd.so' >/dev/null ;; \
	        debhelper) command -v dh >/dev/null ;; \
	        groff-base) command -v groff >/dev/null ;; \
	        gcc) command -v cc >/dev/null ;; \
	        netcat-openbsd) command -v nc >/dev/null ;; \
	        *) command -v $$1 >/dev/null ;; \
	    esac; \
	}; \
	missing=(); for package in $(needed); do has $$package || missing+=($$package); done; \
	if (( $${#missing[@]} == 0 )); then exit 0; fi; \
	echo "== missing: $${missing[*]}"; \
	if [[ $$EUID != 0 ]] || ! command -v apt-get >/dev/null; then \
	    echo "Install these packages (or what your system calls them) and try again."; exit 1; \
	fi; \
	export DEBIAN_FRONTEND=noninteractive; \
	apt-get update -q && apt-get install -q -y --no-install-recommends "$${missing[@]}"
