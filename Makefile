# The two commands of the README, and what developers use beside them.
PRESET ?= release
JOBS ?= 2
BUILD := build/$(PRESET)
BIN := $(CURDIR)/$(BUILD)/bin

.PHONY: all build test demo acceptance
all: build

build:
	tools/install-deps
	cmake --preset $(PRESET)
	cmake --build --preset $(PRESET) -j$(JOBS) --target src/all

test:
	tools/install-deps --tests
	cmake --preset $(PRESET)
	cmake --build --preset $(PRESET) -j$(JOBS)
	ctest --preset $(PRESET) -j$(JOBS) $(CTEST_FLAGS)

# Compiles a program that crashes on its input, and asks why.
demo: build
	@mkdir -p $(BUILD)/demo && cp examples/orders/* $(BUILD)/demo/
	$(MAKE) -C $(BUILD)/demo CC=$(BIN)/culprit-cc orders
	cd $(BUILD)/demo && $(BIN)/culprit why --expect expected.txt -- ./orders orders.txt

acceptance:
	tools/install-deps --acceptance
	cmake --preset $(PRESET)
	cmake --build --preset $(PRESET) -j$(JOBS) --target src/all
	tests/acceptance/run --build $(BUILD)
