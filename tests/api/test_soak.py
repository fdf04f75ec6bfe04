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


@pytest.mark.verify
@pytest.mark.trust("TR-R-09")
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_does_not_grow():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(100_000 * FACTOR)], capture_output=True, text=True,
        timeout=3000, env=dict(os.environ),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    before, after = map(int, done.stdout.split())
    # one percent, and the pages that Python's allocator takes in one piece
    assert after <= 1.01 * before + 256
    assert len(done.stderr) < 1_000_000
