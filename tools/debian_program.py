"""Programs from Debian sources: fetching, building with a given compiler, and rebuilding by `culprit build`.

Acceptance tests and benchmarks share this file. A recipe is a TOML file; README.md in tests/acceptance describes it.
"""

import dataclasses
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLANS = ("fast", "registers", "homes")


class Failure(Exception):
    """What went wrong in words for the table, and the log that shows it."""

    def __init__(self, text, log=None):
        super().__init__(text)
        self.log = log


@dataclasses.dataclass
class Recipe:
    name: str
    path: pathlib.Path
    source: str
    programs: list
    build: str
    configure: str = "true"
    upstream: bool = False  # the original tarball without Debian's patches
    library_path: list = dataclasses.field(default_factory=list)  # directories of the package's own shared libraries
    probe: str = "--version"  # arguments for a short run of any of the programs
    flags: str = "-O2"
    environment: dict = dataclasses.field(default_factory=dict)
    apt: list = dataclasses.field(default_factory=list)
    other: dict = dataclasses.field(default_factory=dict)  # what only the caller knows: tests or benchmark inputs

    def build_key(self):
        """What decides the native build, as text."""
        decides = ("source", "upstream", "configure", "build", "programs", "flags", "environment")
        return json.dumps({name: getattr(self, name) for name in decides}, sort_keys=True)


def load_recipe(path):
    table = tomllib.loads(path.read_text())
    known = {field.name for field in dataclasses.fields(Recipe)} - {"name", "path", "other"}
    plain = {key: value for key, value in table.items() if key in known}
    other = {key: value for key, value in table.items() if key not in known}
    return Recipe(name=path.stem, path=path, other=other, **plain)


@dataclasses.dataclass
class Toolchain:
    """The compilers of the user's own build, and the culprit that rebuilds (None: only native builds are wanted)."""

    cc: str
    cxx: str
    culprit: pathlib.Path | None = None
    flags: str = ""  # appended to the recipe's
    link_flags: str = ""

    def key(self):
        """Changes when the compiler or the capture plugin does."""
        digest = hashlib.sha256(f"{self.cc} {self.cxx} {self.flags}".encode())
        for name in (self.cc, self.cxx):
            found = shutil.which(name)
            if not found:
                raise Failure(f"there is no compiler {name}: run make build, or name others by --cc and --cxx")
            file = pathlib.Path(found).resolve()
            digest.update(file.read_bytes() if file.stat().st_size < 50_000_000 else str(file.stat()).encode())
            for plugin in sorted(file.parent.parent.glob("lib/culprit/*capture*.so")):
                digest.update(plugin.read_bytes())
        return digest.hexdigest()


def culprit_toolchain(build_directory, flags=""):
    binaries = build_directory / "bin"
    return Toolchain(str(binaries / "culprit-cc"), str(binaries / "culprit-c++"), binaries / "culprit", flags)


@dataclasses.dataclass
class Finished:
    status: int | None  # None: the time limit was reached; negative: killed by a signal
    output: str
    seconds: float


def run_limited(command, directory, environment, log, limit):
    """Runs a shell command in a session of its own; its whole process group ends with it. Output goes to `log`."""
    log.parent.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    with open(log, "wb") as output:
        child = subprocess.Popen(["bash", "-c", command], cwd=directory, env=environment, stdin=subprocess.DEVNULL,
                                 stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            status = child.wait(limit)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            try:
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            child.wait()
    return Finished(status, log.read_text(errors="replace"), time.monotonic() - start)


class Program:
    """One package built in `directory`: source/ is its tree, bodies/PLAN/ hold what replaces its programs."""

    def __init__(self, recipe, toolchain, directory):
        self.recipe = recipe
        self.toolchain = toolchain
        self.directory = directory
        self.source = directory / "source"
        self.native_seconds = 0.0

    def environment(self):
        flags = f"{self.recipe.flags} {self.toolchain.flags}".strip()
        scripts = self.recipe.path.parent.parent / "scripts"
        values = dict(os.environ, CC=self.toolchain.cc, CXX=self.toolchain.cxx, CFLAGS=flags, CXXFLAGS=flags,
                      LC_ALL="C", TZ="UTC", CCACHE_DISABLE="1", ASAN_OPTIONS="detect_leaks=0",
                      JOBS=str(os.cpu_count()), SCRIPTS=str(scripts), SOURCE=str(self.source))
        if self.toolchain.link_flags:
            values["LDFLAGS"] = self.toolchain.link_flags
        for name in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS"):
            values.pop(name, None)
        values.update(self.recipe.environment)
        return values

    def log(self, step):
        return self.directory / "logs" / f"{step}.log"

    def build_native(self, limit=1800):
        """Builds unless this very build is there already."""
        missing = missing_packages(self.recipe.apt)
        if missing:
            raise Failure(f"needs Debian packages {' '.join(missing)}: run tools/install-deps --acceptance")
        key = hashlib.sha256((self.toolchain.key() + self.recipe.build_key()).encode()).hexdigest()
        stamp = self.directory / "built"
        if stamp.exists():
            built_key, seconds = stamp.read_text().split()
            if built_key == key:
                self.native_seconds = float(seconds)
                return
        shutil.rmtree(self.directory, ignore_errors=True)
        self._fetch()
        start = time.monotonic()
        for step, command in (("configure", self.recipe.configure), ("build", self.recipe.build)):
            finished = run_limited(command, self.source, self.environment(), self.log(step), limit)
            if finished.status != 0:
                raise Failure(f"native {step} failed", self.log(step))
        self.native_seconds = time.monotonic() - start
        for program in self.recipe.programs:
            if not (self.source / program).is_file():
                raise Failure(f"the build made no {program}", self.log("build"))
            self.body(program, "native").parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(self.source / program, self.body(program, "native"))
        stamp.write_text(f"{key} {self.native_seconds}")

    def build_plan(self, plan, limit=1800):
        """`culprit build` for every program, from nothing. Returns the seconds it took."""
        cache = self.directory / "cache"
        shutil.rmtree(cache, ignore_errors=True)
        environment = dict(self.environment(), CULPRIT_CACHE=str(cache))
        paths = [str(self.source / directory) for directory in self.recipe.library_path]
        if paths:
            environment["LD_LIBRARY_PATH"] = ":".join(paths)
        start = time.monotonic()
        for program in self.recipe.programs:
            self.put(program, "native")
            out = self.body(program, plan)
            out.parent.mkdir(parents=True, exist_ok=True)
            out.unlink(missing_ok=True)
            command = f'"{self.toolchain.culprit}" build --plan {plan} "{self.source / program}" -o "{out}"'
            log = self.log(f"{plan}-{program.replace('/', '_')}")
            finished = run_limited(command, self.source, environment, log, limit)
            if finished.status != 0 or not out.is_file():
                raise Failure(f"culprit build --plan {plan} {program} failed", log)
            if plan in PLANS and plan != "fast":
                self._check_observed(program, plan)
        seconds = time.monotonic() - start
        shutil.rmtree(cache, ignore_errors=True)
        return seconds

    def _check_observed(self, program, plan):
        """An executable that claims to be observed counts what it executes; suites would pass without that too."""
        counts = self.directory / "counts"
        counts.unlink(missing_ok=True)
        environment = dict(self.environment(), CULPRIT_COUNTS=str(counts))
        log = self.log(f"counts-{plan}-{program.replace('/', '_')}")
        run_limited(f'"{self.body(program, plan)}" {self.recipe.probe}', self.source, environment, log, 120)
        counted = json.loads(counts.read_text()) if counts.exists() else {}
        if counted.get("blocks", 0) == 0:
            raise Failure(f"{program} built by plan {plan} executes no observed code: {counted}", log)

    def put(self, program, body):
        """Puts a body in the program's place, dated like the native one so that make sees nothing to do."""
        place = self.source / program
        dates = self.body(program, "native").stat()
        place.unlink(missing_ok=True)  # a running or linked copy stays as it is
        shutil.copy2(self.body(program, body), place)
        os.utime(place, ns=(dates.st_atime_ns, dates.st_mtime_ns))

    def put_all(self, body):
        for program in self.recipe.programs:
            self.put(program, body)

    def text_bytes(self, body):
        files = [self.body(program, body) for program in self.recipe.programs]
        if body == "native":
            for directory in self.recipe.library_path:  # a plan's executables hold them
                files += [file for file in (self.source / directory).glob("*.so*") if not file.is_symlink()]
        return sum(text_size(file) for file in files)

    def body(self, program, body):
        """The copy of a program's native executable or of its rebuilt one."""
        return self.directory / "bodies" / body / program.replace("/", "_")

    def _fetch(self):
        self.directory.mkdir(parents=True, exist_ok=True)
        options = ["--upstream"] if self.recipe.upstream else []
        fetched = subprocess.run([ROOT / "tools/fetch-source", *options, self.recipe.source, self.source],
                                 capture_output=True, text=True, check=False)
        if fetched.returncode != 0:
            raise Failure("; ".join(line.removeprefix("fetch-source: ") for line in fetched.stderr.splitlines()))


def missing_packages(packages):
    status = "${db:Status-Status}"
    missing = []
    for package in packages:
        query = subprocess.run(["dpkg-query", "-W", f"-f={status}", package], capture_output=True, text=True, check=False)
        if query.stdout != "installed":
            missing.append(package)
    return missing


def text_size(file):
    """Bytes of the sections with code."""
    sizes = subprocess.run(["size", "-A", "-d", file], capture_output=True, text=True, check=True).stdout
    return sum(int(line.split()[1]) for line in sizes.splitlines() if line.startswith(".text"))
