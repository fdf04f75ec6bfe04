"""Long runs of a scene full of impacts: memory and the record stay small."""

import os
import subprocess
import sys
import textwrap

import pytest

FACTOR = int(os.environ.get("CORNERLAW_SOAK", "1"))  # 10 in `make soak`

SCRIPT = textwrap.dedent(
    """
    import sys
    import cornerlaw as cl
    def memory():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1])
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    ball = cl.Disk("ball", mass=1.0, radius=0.1, position=(0.0, 0.3), velocity=(1.0, 0.0))
    model = cl.Model(floor, ball, cl.Contact(ball, floor, mu=0.3, eps_N=0.5), gravity=(0.0, -9.81))
    steps = int(sys.argv[1])
    def run():
        # the ball is thrown anew again and again: each piece holds a Zeno point
        for _ in range(steps // 2000):
            cl.simulate(model, 2.0, method=cl.Moreau(dt=1e-3), every=100, progress=False)
    for _ in range(3):
        cl.simulate(model, 2.0, method=cl.Moreau(dt=1e-3), every=100, progress=False)
    before = memory()
    run()
    print(before, memory())
    """
)


# one run on a table that throws the ball again and again, looked at by a function from inside
TABLE = textwrap.dedent(
    """
    import math, sys
    import cornerlaw as cl
    steps, seen = int(sys.argv[1]), []
    def memory():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1])
    def look(t):
        seen.append(memory())
        return 0.0
    table = cl.MovingFrame("table", position=(0.0, lambda t: 0.02 * math.sin(30.0 * t)),
                           normal=(0.0, 1.0))
    ball = cl.Disk("ball", mass=1.0, radius=0.1, position=(0.0, 0.3))
    watch = cl.Sampled(look, dt=steps * 1e-4 / 100)
    model = cl.Model(table, ball, cl.Contact(ball, table, mu=0.3, eps_N=0.5),
                     cl.Force("watch", ball, value=(watch, 0.0)), gravity=(0.0, -9.81))
    sol = cl.simulate(model, steps * 1e-4, method=cl.Moreau(dt=1e-4), every=steps,
                      progress=False)
    impacts = len(sol.events.filter(kind="impact"))
    assert sol.ok and impacts > steps / 5000, (sol.status, impacts)
    print(max(seen[10:20]), max(seen[-10:]))
    """
)


@pytest.mark.verify
@pytest.mark.trust("TR-R-09")
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("script", [SCRIPT, TABLE], ids=["many runs", "one run"])
def test_memory_does_not_grow_in_a_million_steps(script):
    check_memory(script, 1_000_000 * FACTOR)


@pytest.mark.trust("TR-R-09")
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_does_not_grow():
    check_memory(SCRIPT, 100_000)


def check_memory(script, steps):
    done = subprocess.run(
        [sys.executable, "-c", script, str(steps)], capture_output=True, text=True, timeout=3000,
        env=dict(os.environ),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    before, after = map(int, done.stdout.split())
    # one percent, and the pages that Python's allocator takes in one piece
    assert after <= 1.01 * before + 256
    assert len(done.stderr) < 1_000_000
