#!/usr/bin/env python3
"""Real programs, recorded and replayed with --verify: bench/run replays [--times N] [--threaded N] [--only NAME…] [--quick]
[--captured] [--under docker|user|namespace|ret_trap]

Unmodified programs of the system, on small real workloads; those that are not installed are left out and named
(apt-get install gawk lua5.4 memcached pbzip2 pigz redis-server redis-tools git curl less expat mujs). Each recording is replayed N times, of threaded programs more often; a replay
diverges when it does not verify or shows other output than the recorded run. Servers are driven by a client from
outside.

--captured: also the fast builds, which tick, of the programs of bench/run clock on small inputs (they are built first).

--under: the set where less is allowed (tests/record/confined.py): under Docker's default seccomp profile, as an ordinary
user, in a user namespace of its own; or with system calls intercepted by seccomp (ret_trap) as where the kernel has no
dispatch. With --quick a choice of programs.
"""
import argparse
import json
import os
import pathlib
import pty
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY / "tools"))
sys.path.insert(0, str(REPOSITORY / "bench"))
LIMIT = 120
THREADS_CC = r"""
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>
int main() {
  std::mutex lock; std::condition_variable some; std::deque<std::function<long()>> jobs; bool done = false; long sum = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++) threads.emplace_back([&] {
    for (;;) {
      std::unique_lock hold(lock);
      some.wait(hold, [&] { return done || !jobs.empty(); });
      if (jobs.empty()) return;
      auto job = std::move(jobs.front()); jobs.pop_front();
      hold.unlock(); long result = job(); hold.lock(); sum += result;
    }
  });
  for (int i = 0; i < 200; i++) { std::lock_guard hold(lock); jobs.push_back([i] { long s = 0; for (int j = 0; j < 20000; j++) s += j % (i + 1); return s; }); some.notify_one(); }
  { std::lock_guard hold(lock); done = true; } some.notify_all();
  for (auto& t : threads) t.join();
  printf("%ld\n", sum);
}
"""
OPENMP_C = r"""
#include <stdio.h>
int main(void) {
  double sum = 0;
  for (int round = 0; round < 20; round++) {
#pragma omp parallel for reduction(+ : sum) num_threads(4)
    for (int i = 0; i < 20000; i++) sum += 1.0 / (i + 1);
  }
  printf("%.6f\n", sum);
}
"""
CONFINED = REPOSITORY / "tests/record/confined.py"
PROGRAMS = REPOSITORY / "tests/record/programs"
NOBODY = 65534
CHOICE = ("sed", "sort", "perl", "python", "git-status", "make", "bash", "openssl", "signals", "children", "pigz", "xz", "pool",
          "openmp", "python-threads", "curl", "less")
MAKEFILE = "all: a b c d\n%:\n\tsleep 0.0$(words $(MAKEFLAGS)); echo made $@ > $@; cat $@\n"


def prepare(folder):
    data = b"".join(b"%d %x\n" % (i * 7919 % 100003, i) for i in range(60000))
    (folder / "data").write_bytes(data)
    (folder / "other").write_bytes(data.replace(b"77", b"78"))
    (folder / "page.xml").write_text("<page>" + "".join(f'<row n="{i}">{i * i}</row>' for i in range(3000)) + "</page>\n")
    (folder / "sum.js").write_text("var s = 0; for (var i = 0; i < 100000; i++) s += i % 7; print(s, Math.random(), new Date());\n")
    (folder / "pool.cc").write_text(THREADS_CC)
    (folder / "openmp.c").write_text(OPENMP_C)
    (folder / "Makefile").write_text(MAKEFILE)
    (folder / "page.html").write_text("<html>hello</html>\n")
    subprocess.run(["g++", "-O2", "-std=c++17", "-pthread", folder / "pool.cc", "-o", folder / "pool"], check=True)
    subprocess.run(["gcc", "-O2", "-fopenmp", folder / "openmp.c", "-o", folder / "openmp"], check=True)
    for name in ("signals", "children"):
        subprocess.run(["gcc", "-O1", PROGRAMS / f"{name}.c", "-o", folder / name], check=True)
    if shutil.which("git"):
        git = ["git", "-C", folder / "repository", "-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", "init", "-q", folder / "repository"], check=True)
        shutil.copy(folder / "data", folder / "repository/data")
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-qm", "one"], check=True)


def client(tool, *words):
    """Runs a client against a server once it answers."""
    def drive():
        for _ in range(100):
            if subprocess.run([tool, *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT).returncode == 0:
                return
            time.sleep(0.1)
    return drive


def memcached_load(port):
    def drive():
        import socket
        for _ in range(100):
            try:
                with socket.create_connection(("127.0.0.1", port), timeout=2) as connection:
                    for key in range(300):
                        connection.sendall(b"set k%d 0 0 5\r\nhello\r\nget k%d\r\n" % (key, key))
                        got = b""
                        while b"END\r\n" not in got:
                            got += connection.recv(4096)
                    connection.sendall(b"shutdown graceful\r\n")
                return
            except OSError:
                time.sleep(0.1)
    return drive


def redis_load(port):
    def drive():
        client("redis-cli", "-p", str(port), "ping")()
        subprocess.run(["redis-benchmark", "-p", str(port), "-n", "500", "-c", "5", "-q", "-t", "set,get,lpush"], capture_output=True, timeout=LIMIT)
        subprocess.run(["redis-cli", "-p", str(port), "shutdown", "nosave"], capture_output=True, timeout=LIMIT)
    return drive


def programs(folder):
    """name: (command, threaded, what else runs while it is recorded, in a terminal)."""
    data = str(folder / "data")
    plain = {
        "bzip2": ["bzip2", "-kc", data], "gzip": ["gzip", "-kc", data], "sed": ["sed", "s/7/seven/g", data],
        "grep": ["grep", "-c", "ff", data], "gawk": ["gawk", "{ s += $1 } END { print s }", data],
        "bc": ["bc", "-l", str(folder / "sum.bc")], "lua": ["lua5.4", "-e", "local s=0 for i=1,300000 do s=s+i%7 end print(s)"],
        "sqlite3": ["sqlite3", ":memory:", "create table t(a); insert into t values(1),(2),(3); select sum(a) from t;"],
        "jq": ["jq", "-n", "[range(5000)]|add"], "sort": ["sort", "--parallel=1", "-n", data], "find": ["find", "/usr/share/doc"],
        "perl": ["perl", "-e", "my %h; $h{$_ % 97} += $_ for 1..200000; print join(',', map {$h{$_}} sort keys %h), rand(), time"],
        "python": ["python3", "-c", "import random,time,json; print(json.dumps({i: random.random() for i in range(2000)})[-40:], time.time())"],
        "git": ["git", "-C", str(folder / "repository"), "log", "--stat"], "git-status": ["git", "-C", str(folder / "repository"), "status"],
        "make": ["make", "-j2", "-C", str(folder), "-B", "all"], "bash": ["bash", "-c", "for i in 1 2 3; do seq $i 100 | sort -r | head -$i; done"],
        "tar": ["tar", "-C", "/usr/share/doc", "-cf", "/dev/null", "."], "m4": ["m4", "-Dx=1", data], "gdb": ["gdb", "-batch", "-ex", "print 1+1"],
        "diff": ["diff", "-u", data, str(folder / "other")], "xmlwf": ["xmlwf", "-c", str(folder / "page.xml")],
        "mujs": ["mujs", str(folder / "sum.js")],
        "openssl": ["openssl", "dgst", "-sha256", data], "signals": [str(folder / "signals")], "children": [str(folder / "children")],
    }
    threaded = {
        "pigz": ["pigz", "-p2", "-kc", data], "pbzip2": ["pbzip2", "-p2", "-kc", data], "xz": ["xz", "-1", "-T2", "--block-size=100000", "-kc", data],
        "pool": [str(folder / "pool")], "openmp": [str(folder / "openmp")],
        "python-threads": ["python3", str(REPOSITORY / "tests/record/programs/threads.py")],
    }
    (folder / "sum.bc").write_text("s=0; for (i=1;i<3000;i++) s+=1/i; s\nquit\n")
    table = {name: (command, False, None, False) for name, command in plain.items()}
    table |= {name: (command, True, None, False) for name, command in threaded.items()}
    table["curl"] = (["curl", "-s", "http://127.0.0.1:8971/page.html"], True, "serve", False)
    table["redis"] = (["redis-server", "--port", "8972", "--save", "", "--daemonize", "no"], True, redis_load(8972), False)
    table["memcached"] = (["memcached", "-u", "nobody", "-p", "8973", "-A", "-l", "127.0.0.1"], True, memcached_load(8973), False)
    table["less"] = (["less", data], False, None, True)
    return {name: each for name, each in table.items() if os.path.exists(each[0][0]) or shutil.which(each[0][0])}, table


def captured_programs(culprit):
    """The fast builds of the clock set, as programs() has them; a command may end in `< FILE`."""
    import record as bench
    found = {}
    for name in bench.ORDER:
        program = bench.captured(name, culprit, quick=True)
        values = dict(program.environment, PROGRAM=program.fast_body)
        words = [re.sub(r"\$(\w+)", lambda match: values[match[1]], word) for word in shlex.split(program.command)]
        found[f"{program.name} (captured)"] = (words, False, None, False)
    return found


class Culprit:
    """How culprit is called."""

    def __init__(self, path, under):
        self.trap = ["--trap"] if under == "ret_trap" else []
        confined = under not in (None, "ret_trap")
        self.start = [sys.executable, str(CONFINED), under, "--", str(path)] if confined else [str(path)]

    def words(self, command, *rest):
        return [*self.start, command, *self.trap, *map(str, rest)]


def record(culprit, command, directory, beside, terminal, folder):
    given = pathlib.Path(command[command.index("<") + 1]) if "<" in command else pathlib.Path(os.devnull)
    command = command[:command.index("<")] if "<" in command else command
    words = culprit.words("record", "--json", "-o", directory, "--as-is", "--", *command)
    if not terminal:
        server = None
        if beside == "serve":
            server = subprocess.Popen([sys.executable, "-m", "http.server", "8971", "--bind", "127.0.0.1"], cwd=folder,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(1)
        elif beside:
            threading.Thread(target=beside, daemon=True).start()
        try:
            with given.open("rb") as opened:
                return subprocess.run(words, stdin=opened, capture_output=True, timeout=LIMIT).stdout
        finally:
            if server:
                server.kill()
                server.wait()
    shown = b""
    pid, master = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "xterm"
        os.execv(words[0], words)
    for keys in (b" ", b"/ff\n", b"n", b"G", b"q"):
        time.sleep(0.5)
        os.write(master, keys)
    while True:
        try:
            got = os.read(master, 65536)
        except OSError:
            break
        if not got:
            break
        shown += got
    os.close(master)
    os.waitpid(pid, 0)
    return None


def examine(culprit, name, entry, folder, times):
    command, _, beside, terminal = entry
    directory = folder / "rec"
    shutil.rmtree(directory, ignore_errors=True)
    try:
        shown = record(culprit, command, directory, beside, terminal, folder)
    except subprocess.TimeoutExpired:
        print(f"{name:22} does not end while it is recorded", flush=True)
        return 1, 1
    diverged, why = 0, ""
    for _ in range(times):
        try:
            replayed = subprocess.run(culprit.words("replay", "--verify", directory), stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT)
            wrong = replayed.returncode != 0 or (shown is not None and replayed.stdout != shown)
            if wrong:
                why = replayed.stderr.decode(errors="replace").strip()[-300:] if replayed.returncode else "other output"
        except subprocess.TimeoutExpired:
            wrong, why = True, "the replay does not end"
        diverged += wrong
    events = json.loads((directory / "manifest.json").read_text()).get("events", 0) if (directory / "manifest.json").exists() else 0
    print(f"{name:22} {events:8} events, {times - diverged}/{times} alike {why}", flush=True)
    return times, diverged


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, help="replays of each (20; 3 with --quick)")
    parser.add_argument("--threaded", type=int, help="replays of threaded programs (100; 5 with --quick)")
    parser.add_argument("--only", nargs="+", metavar="NAME")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--captured", action="store_true")
    parser.add_argument("--culprit", type=pathlib.Path, default=REPOSITORY / "build/release/bin/culprit")
    parser.add_argument("--under", choices=("docker", "user", "namespace", "ret_trap"))
    options = parser.parse_args()
    if options.under not in (None, "ret_trap"):
        probe = subprocess.run([sys.executable, CONFINED, options.under, "--", options.culprit.resolve(), "--version"], capture_output=True)
        if probe.returncode != 0:
            print(f"replays: cannot be had here: {options.under}")
            return 77
    if options.quick and options.under and not options.only:
        options.only = CHOICE
    culprit = Culprit(options.culprit.resolve(), options.under)
    times, threaded = options.times or (3 if options.quick else 20), options.threaded or (5 if options.quick else 100)
    runs = diverged = count = 0
    with tempfile.TemporaryDirectory(prefix="culprit-replays-") as folder:
        folder = pathlib.Path(folder)
        prepare(folder)
        if options.under == "user" and os.getuid() == 0:
            subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", folder], check=True)
        here, wanted = programs(folder)
        if options.captured:
            here |= captured_programs(options.culprit.resolve())
        missing = sorted(set(wanted) - set(here))
        if missing:
            print("not installed:", ", ".join(missing))
        for name, entry in here.items():
            if options.only and name not in options.only:
                continue
            some, wrong = examine(culprit, name, entry, folder, threaded if entry[1] else times)
            count, runs, diverged = count + 1, runs + some, diverged + wrong
    if count == 0:
        sys.exit("replays: none of these programs is installed")
    print(f"replays: programs={count} runs={runs} diverged={diverged}")
    return 1 if diverged else 0


if __name__ == "__main__":
    sys.exit(main())
