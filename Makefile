# The two commands of the README, and what developers use beside them.
PRESET ?= release
JOBS ?= 2

.PHONY: all deps build test demo acceptance
all: build

deps:
	tools/install-deps --tests

build/$(PRESET)/build.ninja:
	cmake --preset $(PRESET)

build: deps build/$(PRESET)/build.ninja
	cmake --build --preset $(PRESET) -j$(JOBS)

test: build
	ctest --preset $(PRESET) -j$(JOBS)

demo: build
	build/$(PRESET)/bin/culprit --help

acceptance: build
