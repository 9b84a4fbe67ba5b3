"""What `culprit dump graph` says of a run of a small program."""
import os
import pathlib
import subprocess
import tempfile


def dumped_graph(culprit, source, optimisation, option):
    """Compiles and traces `source` (a path), and dumps its graph with `option`. `culprit`: the folder of binaries."""
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "prog"
        compiler = "culprit-c++" if source.suffix == ".cc" else "culprit-cc"
        subprocess.run([culprit / compiler, "-g", optimisation, "-w", "-pthread", "-o", program, source], check=True)
        environment = dict(os.environ, CULPRIT_CACHE=folder + "/cache")
        # A program may end as it likes.
        subprocess.run([culprit / "culprit", "trace", "-o", folder + "/trace", "--", program], env=environment,
                       stdout=subprocess.DEVNULL, check=False)
        return subprocess.run([culprit / "culprit", "dump", "graph", option, folder + "/trace"], env=environment,
                              capture_output=True, text=True, check=True).stdout
