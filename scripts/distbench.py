#!/usr/bin/env python3
"""Throughput over distribution: the same program between two nodes of erl and
between two of beamrd, interleaved; medians and their ratio. Exit 1 if beamrd
takes more than twice erl's time in any case (--limit)."""
import argparse, os, random, shutil, statistics, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def free_port():
    import socket
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def one(cmd, ebin, env):
    """Runs the pair once and returns {case: microseconds}."""
    tag = "%x" % random.getrandbits(40)
    a, b = "distbench_a%s@127.0.0.1" % tag, "distbench_b%s@127.0.0.1" % tag
    args = ["-setcookie", tag, "-pa", ebin, "-noshell", "-noinput"]
    peer = subprocess.Popen(cmd + ["-name", b] + args, env=env, stdout=subprocess.DEVNULL)
    try:
        out = subprocess.run(cmd + ["-name", a] + args + ["-s", "distbench", "main"], text=True,
                             env=dict(env, DISTBENCH_PEER=b), stdout=subprocess.PIPE, timeout=600)
        if out.returncode != 0:
            sys.exit("%s failed:\n%s" % (cmd, out.stdout))
        return {n: int(t) for n, t in (l.split() for l in out.stdout.splitlines())}
    finally:
        peer.kill()
        peer.wait()


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--erl", default="erl")
    p.add_argument("--beamrd", default=os.path.join(HERE, "bin", "beamrd") + " erl")
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--scale", type=int, default=100, help="percent of the full size")
    p.add_argument("--only", default="", help="one case")
    p.add_argument("--limit", type=float, default=2.0)
    o = p.parse_args()
    port = free_port()
    env = dict(os.environ, ERL_EPMD_PORT=str(port), ERL_EPMD_ADDRESS="127.0.0.1",
               DISTBENCH_SCALE=str(o.scale), DISTBENCH_ONLY=o.only)
    tmp = tempfile.mkdtemp()
    os.symlink(os.path.join(HERE, "bin", "beamrd"), os.path.join(tmp, "epmd"))
    epmd = subprocess.Popen([os.path.join(tmp, "epmd")], env=env, stdout=subprocess.DEVNULL)
    try:
        subprocess.run(["erlc", "-o", tmp, HERE + "/testdata/distbench/distbench.erl"], check=True)
        cmds = {"erl": o.erl.split(), "beamrd": o.beamrd.split()}
        got = {k: [] for k in cmds}
        for _ in range(o.rounds):
            for k, c in cmds.items():
                got[k].append(one(c, tmp, env))
    finally:
        epmd.kill()
        epmd.wait()
        shutil.rmtree(tmp)
    bad = False
    print("%-10s %12s %12s %7s" % ("case", "erl us", "beamrd us", "ratio"))
    for name in got["erl"][0]:
        e, b = (statistics.median(r[name] for r in got[k]) for k in ("erl", "beamrd"))
        bad = bad or b > o.limit * e
        print("%-10s %12d %12d %7.2f" % (name, e, b, b / e))
    return bad


if __name__ == "__main__":
    sys.exit(main())
