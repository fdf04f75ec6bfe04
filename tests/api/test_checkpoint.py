"""Checkpoints: killed runs stay readable, resumed ones have the same bits."""

import errno
import os
import resource
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
from cut_runs import cut_run
from run_hash import run_hash

import cornerlaw as cl
from cornerlaw.results.segments import pack, unpack

GROUND = cl.Ground()


def pendulum(angle=1.0, mass=2.0):
    bob = cl.Body("bob", mass=mass, inertia=0.1, com=(0.0, -0.5))
    joint = cl.Revolute("pin", GROUND, bob, angle=angle)
    motor = cl.Torque("motor", joint, value=cl.Input("torque", 0.0))
    return cl.Model(joint, motor, gravity=(0.0, -9.81))


def bouncing(mu=0.3):
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    ball = cl.Disk("ball", mass=1.0, radius=0.1, position=(0.0, 0.3), velocity=(1.0, 0.0))
    box = cl.Body("box", mass=1.0, inertia=0.1, position=(5.0, 0.2), velocity=(1.0, 0.0))
    corners = ((-0.5, -0.2), (0.5, -0.2), (0.5, 0.2), (-0.5, 0.2))
    hull = cl.Polygon("hull", box, vertices=corners)
    contacts = [cl.Contact(part, floor, mu=mu, eps_N=0.5) for part in (ball, hull)]
    return cl.Model(floor, ball, box, hull, *contacts, gravity=(0.0, -9.81))


def sampled():
    """A cart whose force is sampled, with a stop that lies far away."""
    cart = cl.Body("cart", mass=1.0)
    rail = cl.Prismatic("rail", GROUND, cart, axis=(1.0, 0.0), displacement=0.1)
    force = cl.Sampled(lambda t: -np.sin(7.0 * t), dt=0.03)
    return cl.Model(rail, cl.Force("push", cart, value=(force, 0.0)))


def counting():
    """An element with an indicator that switches a state at events."""
    cart = cl.Body("cart", mass=1.0)
    rail = cl.Prismatic("rail", GROUND, cart, axis=(1.0, 0.0), displacement=0.1)

    def law(t, r, A, v, Omega, q, u, x, z, p, F, M, Q, x_dot):
        Q[0] = -40.0 * q[0] - z[0] * u[0]

    def middle(t, r, A, v, Omega, q, u, x, z, p):
        return q[0]

    def switch(name, t, r, A, v, Omega, q, u, x, z, p):
        z[0] = z[0] + 0.25

    element = cl.ForceElement(
        "spring", coordinates=("rail.displacement",), law=law, discrete={"n": 0.0},
        indicators={"middle": middle}, on_event=switch,
    )  # fmt: skip
    return cl.Model(rail, element)


@pytest.mark.parametrize("options", [{}, {"t_eval": np.linspace(0.0, 1.0, 23)}, {"every": 7}])
@pytest.mark.parametrize(
    ("method", "steps"), [(cl.Moreau(dt=0.01), 5), (cl.EventDriven(), 1)], ids=["step", "event"]
)
@pytest.mark.trust("TR-R-01")
def test_a_resumed_run_with_contacts_has_the_same_bits(method, steps, options, tmp_path):
    model = bouncing()
    whole = cl.simulate(model, 1.0, method=method, **options)
    folder = tmp_path / "run.ckpt"
    cut_run(model, folder, 9, steps, t_end=1.0, method=method, **options)
    part = cl.load(folder)
    assert part.status == "interrupted" and not part.ok
    assert 0 < len(part) < len(whole)
    n = len(part) - 1  # the last row may still become a left limit
    assert np.array_equal(part.t[:n], whole.t[:n])
    assert np.array_equal(part.q[:n], whole.q[:n])
    assert part.events[:] == whole.events[: len(part.events)]
    assert np.array_equal(part["ball.position_x"][:n], whole["ball.position.x"][:n])
    rest = cl.resume(folder, model)
    assert run_hash(rest) == run_hash(whole)
    assert run_hash(cl.load(folder), channels=False) == run_hash(whole, channels=False)
    # nothing is left to do, and nothing is done
    assert run_hash(cl.resume(folder, model)) == run_hash(whole)


@pytest.mark.parametrize("method", [
    cl.RungeKutta4(dt=0.01), cl.RungeKutta8(), cl.Radau(), cl.GeneralisedAlpha(dt=0.01),
])  # fmt: skip
@pytest.mark.trust("TR-R-01")
def test_a_resumed_smooth_run_has_the_same_bits(method, tmp_path):
    options = {"t_end": 1.0, "method": method, "inputs": {"torque": 0.3}, "t_start": -0.5}
    whole = cl.simulate(pendulum(), **options)
    cut_run(pendulum(), tmp_path / "run.ckpt", 2, **options)
    assert run_hash(cl.resume(tmp_path / "run.ckpt", pendulum())) == run_hash(whole)


@pytest.mark.parametrize("build", [sampled, counting])
@pytest.mark.trust("TR-R-01")
def test_samples_and_events_of_elements_survive(build, tmp_path):
    stop = cl.Stop("end", "t", above=0.8)
    options = {"t_end": 1.0, "stop": stop, "method": cl.RungeKutta4(dt=0.01)}
    whole = cl.simulate(build(), **options)
    assert whole.status == "stopped" and len(whole.events) >= 3
    cut_run(build(), tmp_path / "run.ckpt", 9, **options)
    rest = cl.resume(tmp_path / "run.ckpt", build())
    assert run_hash(rest) == run_hash(whole)
    assert cl.load(tmp_path / "run.ckpt").events == whole.events
    assert run_hash(cl.resume(tmp_path / "run.ckpt", build())) == run_hash(whole)


def test_a_run_that_was_killed_before_its_first_entry_begins_anew(tmp_path):
    cut_run(pendulum(), tmp_path / "run.ckpt", 0, t_end=0.1)
    part = cl.load(tmp_path / "run.ckpt")
    assert part.status == "interrupted" and len(part) == 0
    whole = cl.simulate(pendulum(), 0.1)
    assert run_hash(cl.resume(tmp_path / "run.ckpt", pendulum())) == run_hash(whole)


def test_a_failed_run_is_recorded_with_its_reason(tmp_path):
    with pytest.raises(cl.SimulationError, match="max_steps"):
        cl.simulate(
            pendulum(), 1.0, method=cl.RungeKutta4(dt=0.01), max_steps=7, checkpoint=tmp_path / "c"
        )
    part = cl.load(tmp_path / "c")
    assert part.status.startswith("failed") and len(part) == 8
    whole = cl.simulate(pendulum(), 1.0, method=cl.RungeKutta4(dt=0.01))
    assert run_hash(cl.resume(tmp_path / "c", pendulum())) == run_hash(whole)


@pytest.mark.parametrize(("change", "sentence"), [
    ({"model": pendulum(mass=3.0)}, "the model is another one"),
    ({"method": cl.RungeKutta4(dt=0.02)}, "the method is another one"),
    ({"t_end": 2.0}, "ends at another time"),
    ({"every": 2}, "stored at other times"),
    ({"t_eval": [0.0, 0.5]}, "stored at other times"),
    ({"stop": cl.Stop("s", "t", above=0.7)}, "stop conditions"),
    ({"inputs": {"torque": 1.0}}, "the model is another one"),
])  # fmt: skip
@pytest.mark.trust("TR-R-10")
def test_another_run_is_refused(change, sentence, tmp_path):
    options = {"t_end": 1.0, "method": cl.RungeKutta4(dt=0.01)}
    cut_run(pendulum(), tmp_path / "c", 2, **options)
    before = sorted(os.listdir(tmp_path / "c"))
    given = {"model": pendulum(), **options, **change}
    with pytest.raises(cl.FileError, match=sentence):
        cl.simulate(**given, checkpoint=tmp_path / "c", resume=True)
    assert sorted(os.listdir(tmp_path / "c")) == before


@pytest.mark.trust("TR-R-10")
def test_another_friction_coefficient_is_another_model(tmp_path):
    cut_run(bouncing(), tmp_path / "c", 2, t_end=1.0, method=cl.Moreau(dt=0.01))
    with pytest.raises(cl.FileError, match="the model is another one"):
        cl.resume(tmp_path / "c", bouncing(mu=0.4))


@pytest.mark.trust("TR-R-10")
def test_another_version_is_refused(tmp_path, monkeypatch):
    cut_run(pendulum(), tmp_path / "c", 2, t_end=1.0, method=cl.RungeKutta4(dt=0.01))
    monkeypatch.setattr(sys.modules["cornerlaw.simulate.recorder"], "__version__", "99.0")
    with pytest.raises(cl.FileError, match=r"written by cornerlaw .*, and this is 99.0"):
        cl.resume(tmp_path / "c", pendulum())
    assert cl.load(tmp_path / "c").status == "interrupted"


def damage(folder, how):
    """Change one segment and return what the error must say."""
    path = folder / "000001.seg"
    content = path.read_bytes()
    if how == "cut short":
        path.write_bytes(content[:-5])
        return "Segment 1 .*checksum"
    if how == "flipped bit":
        path.write_bytes(content[:200] + bytes([content[200] ^ 4]) + content[201:])
        return "Segment 1 .*checksum"
    if how == "empty":
        path.write_bytes(b"")
        return "Segment 1 .*does not begin"
    if how == "missing":
        path.unlink()
        return "lacks segment 1"
    if how == "another run":
        segment = unpack(content)
        data = {**segment.data, "previous": "0" * 64}
        path.write_bytes(pack(data, segment.arrays)[0])
        return "another run"
    if how == "link":
        target = folder.parent / "elsewhere.seg"
        path.rename(target)
        path.symlink_to(target)
        return "Segment 1"
    if how == "pipe":
        path.unlink()
        os.mkfifo(path)
        return "not a plain file"
    raise AssertionError(how)


@pytest.mark.parametrize("how", [
    "cut short", "flipped bit", "empty", "missing", "another run", "link", "pipe",
])  # fmt: skip
@pytest.mark.trust("TR-R-10")
def test_damaged_checkpoints_are_refused_and_named(how, tmp_path):
    cut_run(pendulum(), tmp_path / "c", 3, t_end=1.0, method=cl.RungeKutta4(dt=0.01))
    sentence = damage(tmp_path / "c", how)
    for read in (cl.load, lambda path: cl.resume(path, pendulum())):
        with pytest.raises(cl.FileError, match=sentence):
            read(tmp_path / "c")


def test_a_folder_that_is_no_checkpoint(tmp_path):
    with pytest.raises(cl.FileError, match="holds no segment"):
        cl.load(tmp_path)
    with pytest.raises(cl.FileError, match="no such file"):
        cl.resume(tmp_path / "nowhere", pendulum())


def test_a_run_never_overwrites_another(tmp_path):
    cl.simulate(pendulum(), 0.1, checkpoint=tmp_path / "c")
    with pytest.raises(cl.FileError, match="holds a run already"):
        cl.simulate(pendulum(), 0.1, checkpoint=tmp_path / "c")
    (tmp_path / "file").write_text("mine")
    with pytest.raises(cl.FileError, match="a file has this name"):
        cl.simulate(pendulum(), 0.1, checkpoint=tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("options", [
    {"checkpoint": 3}, {"checkpoint": "c", "checkpoint_every": -1.0}, {"resume": True},
    {"checkpoint": "c", "checkpoint_every": "often"},
])  # fmt: skip
def test_options_that_make_no_sense(options, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(cl.UsageError, match=r"checkpoint|resume"):
        cl.simulate(pendulum(), 0.1, **options)
    assert not os.listdir(tmp_path)


@pytest.mark.trust("TR-R-07", "TR-S-11")
def test_a_second_process_is_refused(tmp_path):
    fcntl = pytest.importorskip("fcntl")
    cut_run(pendulum(), tmp_path / "c", 2, t_end=1.0)
    with open(tmp_path / "c" / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(cl.FileError, match="Another process"):
            cl.resume(tmp_path / "c", pendulum())
    assert cl.resume(tmp_path / "c", pendulum()).ok
    assert (os.stat(tmp_path / "c" / "lock").st_mode & 0o777) == 0o600


@pytest.mark.trust("TR-R-07")
def test_a_second_process_is_refused_at_once(tmp_path):
    """A real process writes; another one is refused in a second, and nothing is disturbed."""
    process = start(tmp_path / "c")
    while not os.path.exists(tmp_path / "c" / "000001.seg"):
        time.sleep(0.01)
    began = time.process_time()
    with pytest.raises(cl.FileError, match=r"Another process|holds a run already"):
        cl.simulate(pendulum(), 1.0, checkpoint=tmp_path / "c")
    with pytest.raises(cl.FileError, match="Another process"):
        cl.resume(tmp_path / "c", rolling())
    assert time.process_time() - began < 1.0
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[0].startswith("interrupted")
    assert cl.load(tmp_path / "c").status == "interrupted"


@pytest.mark.trust("TR-R-11")
def test_a_record_can_be_read_while_the_run_goes_on(tmp_path):
    """Reading takes no lock and writes nothing."""
    seen = []

    def look(t):
        if len(seen) < 3 and os.path.exists(tmp_path / "c" / "000001.seg"):
            seen.append(len(cl.load(tmp_path / "c")))
        return 0.0

    cart = cl.Body("cart", mass=1.0)
    rail = cl.Prismatic("rail", GROUND, cart, axis=(1.0, 0.0))
    model = cl.Model(rail, cl.Force("push", cart, value=(cl.Interpreted(look), 0.0)))
    sol = cl.simulate(
        model, 3.0, method=cl.RungeKutta4(dt=0.01), checkpoint=tmp_path / "c", checkpoint_every=0.0
    )
    assert seen and max(seen) < len(sol) == len(cl.load(tmp_path / "c"))


READER = textwrap.dedent(
    """
    import sys
    import numpy as np
    import cornerlaw as cl
    for _ in range(3):
        part = cl.load(sys.argv[1])
        assert part.status == "interrupted" and np.isfinite(part.q).all()
    import matplotlib
    matplotlib.use("Agg")
    part.plot("ball.position_y")
    with part.view(browser=False) if sys.argv[2] == "view" else open("/dev/null"):
        print(len(part), float(part.t[-1]), flush=True)
    """
)


@pytest.mark.trust("TR-R-11")
def test_another_process_reads_plots_and_views_a_run_that_goes_on(tmp_path):
    """What it sees are the rows of the whole run, whose writer it does not disturb."""
    from cornerlaw.viewer.page import BUILT

    process = start(tmp_path / "c")
    while not os.path.exists(tmp_path / "c" / "000001.seg"):
        time.sleep(0.01)
    before = {name for name in os.listdir(tmp_path / "c") if name.endswith(".seg")}
    command = [sys.executable, "-c", READER, str(tmp_path / "c")]
    done = subprocess.run([*command, "view" if BUILT.is_file() else "plot"], capture_output=True,
                          text=True, timeout=300)  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[0].startswith("interrupted")
    rows, last = done.stdout.split()
    part = cl.load(tmp_path / "c")
    # the reader has added nothing, and the writer has gone on since
    assert all(name == "lock" or name.endswith(".seg") for name in os.listdir(tmp_path / "c"))
    assert before <= set(os.listdir(tmp_path / "c"))
    assert 0 < int(rows) <= len(part) and float(last) in part.t
    t_end = float(part.t[-2])
    whole = cl.simulate(rolling(), t_end, method=cl.Moreau(dt=1e-4), every=1000)
    n = len(part) - 2
    assert n > 0 and np.array_equal(part.q[:n], whole.q[:n])


MOUNTED = textwrap.dedent(
    """
    import errno, os, sys
    import cornerlaw as cl
    arm = cl.Body("arm", mass=2.0, inertia=0.5, com=(0.5, 0.0))
    model = cl.Model(cl.Revolute("pin", cl.Ground(), arm, angle=0.3), gravity=(0.0, -9.81))
    method = cl.RungeKutta4(dt=1e-3)
    os.makedirs("disk", exist_ok=True)
    os.system(f"mount -t tmpfs -o size=128k none disk")
    if sys.argv[1] == "closed":
        os.system("mount -o remount,ro disk")
    try:
        cl.simulate(model, 50.0, method=method, checkpoint="disk/c", checkpoint_every=0.0)
    except cl.FileError as error:
        sentence, sol = str(error), getattr(error, "solution", None)
    else:
        sys.exit("nothing was refused")
    assert "\\n" not in sentence and "Cannot write" in sentence, sentence
    if sys.argv[1] == "closed":
        assert "is not writable" in sentence, sentence
        sys.exit(0)
    assert "the disk is full" in sentence, sentence
    part = cl.load("disk/c")
    assert len(sol) >= len(part) > 0 and (part.q[:-1] == sol.q[: len(part) - 1]).all()
    """
)


@pytest.mark.trust("TR-R-06")
@pytest.mark.parametrize("how", ["full", "closed"])
def test_a_small_file_system_that_is_full_or_read_only(how, tmp_path):
    """A real one, in a name space of its own."""
    enter = ["unshare", "--user", "--map-root-user", "--mount"]
    try:
        possible = subprocess.run([*enter, "mount", "-t", "tmpfs", "none", str(tmp_path)])
    except FileNotFoundError:
        pytest.skip("there is no unshare")
    if possible.returncode:
        pytest.skip("no file system can be mounted here")
    done = subprocess.run([*enter, sys.executable, "-c", MOUNTED, how], cwd=tmp_path, timeout=300,
                          capture_output=True, text=True, env=dict(os.environ))  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
@pytest.mark.trust("TR-R-06")
def test_a_disk_that_fails_loses_nothing(code, tmp_path, monkeypatch):
    """The error carries what was computed, and earlier segments stay."""
    fsync = os.fsync
    calls = []

    def failing(descriptor):
        calls.append(1)
        if len(calls) > 4:
            raise OSError(code, os.strerror(code))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(cl.OutputError, match=r"Cannot write .*\.seg") as caught:
        cl.simulate(pendulum(), 50.0, method=cl.RungeKutta4(dt=1e-3), checkpoint=tmp_path / "c",
                    checkpoint_every=0.0)  # fmt: skip
    monkeypatch.undo()
    part = cl.load(tmp_path / "c")
    assert part.status == "interrupted"
    assert len(caught.value.solution) >= len(part) > 0
    assert not [name for name in os.listdir(tmp_path / "c") if name.endswith(".part")]
    whole = cl.simulate(pendulum(), 50.0, method=cl.RungeKutta4(dt=1e-3))
    assert run_hash(cl.resume(tmp_path / "c", pendulum()), False) == run_hash(whole, False)


@pytest.mark.parametrize("what", ["folder", "segment"])
@pytest.mark.trust("TR-R-06")
def test_a_record_that_is_removed_meanwhile(what, tmp_path):
    """The run ends with an error that carries what was computed; what is left of it stays."""
    folder, kept = tmp_path / "c", tmp_path / "kept"

    def remove(t):
        if t > 1.0 and (folder / "000002.seg").exists() and not kept.exists():
            if what == "folder":
                folder.rename(kept)
            else:
                (folder / "000001.seg").rename(kept)
        return 0.0

    cart = cl.Body("cart", mass=1.0)
    rail = cl.Prismatic("rail", GROUND, cart, axis=(1.0, 0.0), velocity=1.0)
    model = cl.Model(rail, cl.Force("push", cart, value=(cl.Interpreted(remove), 0.0)))
    options = {"t_end": 20.0, "method": cl.RungeKutta4(dt=0.01)}
    if what == "folder":
        with pytest.raises(cl.OutputError, match=r"Cannot write .*\.seg") as caught:
            cl.simulate(model, **options, checkpoint=folder, checkpoint_every=0.0)
        part = caught.value.solution
        assert len(part) > 100 and part.final.t > 1.0
        assert 0 < len(cl.load(kept)) <= len(part)
        return
    # entries are never read again by the run, which ends well; the reader names the gap
    assert cl.simulate(model, **options, checkpoint=folder, checkpoint_every=0.0).ok
    with pytest.raises(cl.FileError, match="lacks segment 1"):
        cl.load(folder)
    kept.rename(folder / "000001.seg")
    assert cl.load(folder).status == "done"


@pytest.mark.trust("TR-R-06")
def test_a_folder_that_cannot_be_written(tmp_path, capsys):
    if os.geteuid() == 0:
        where = "/proc/nowhere/run.ckpt"
    else:
        (tmp_path / "closed").mkdir(mode=0o500)
        where = str(tmp_path / "closed" / "run.ckpt")
    with pytest.raises(cl.OutputError, match="Cannot write"):
        cl.simulate(pendulum(), 0.1, checkpoint=where)


def rolling():
    """The model of the script below."""
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    ball = cl.Disk("ball", mass=1.0, radius=0.1, position=(0.0, 0.3), velocity=(1.0, 0.0))
    contact = cl.Contact(ball, floor, mu=0.3, eps_N=0.9)
    return cl.Model(floor, ball, contact, gravity=(0.0, -9.81))


SCRIPT = textwrap.dedent(
    """
    import sys
    import cornerlaw as cl
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    ball = cl.Disk("ball", mass=1.0, radius=0.1, position=(0.0, 0.3), velocity=(1.0, 0.0))
    contact = cl.Contact(ball, floor, mu=0.3, eps_N=0.9)
    model = cl.Model(floor, ball, contact, gravity=(0.0, -9.81))
    method = cl.Moreau(dt=1e-4)
    if sys.argv[1] == "run":
        cl.simulate(model, 0.01, method=method)
        print("ready", flush=True)
        sol = cl.simulate(model, 1e6, method=method, every=1000, checkpoint=sys.argv[2],
                          checkpoint_every=0.0)
        print(sol.status, len(sol), flush=True)
    """
)


def start(folder, *before):
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, "run", str(folder)], stdout=subprocess.PIPE, text=True,
        env=dict(os.environ),
    )  # fmt: skip
    assert process.stdout is not None and process.stdout.readline().strip() == "ready"
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.trust("TR-R-05")
def test_signals_end_a_run_with_its_record_complete(number, tmp_path):
    process = start(tmp_path / "c")
    while not os.path.exists(tmp_path / "c" / "000001.seg"):
        time.sleep(0.01)
    process.send_signal(number)
    answer, _ = process.communicate(timeout=60)
    word, rows = answer.split()
    part = cl.load(tmp_path / "c")
    assert (word, int(rows)) == (part.status, len(part)) == ("interrupted", len(part))


@pytest.mark.trust("TR-R-06")
def test_a_full_disk_in_a_real_process(tmp_path):
    """A limit on the size of files stops the record, with one sentence and exit code 2."""
    command = [sys.executable, "-m", "cornerlaw", "run", "pendulum", "--method", "runge-kutta-4",
               "--dt", "1e-4", "--t-end", "5", "--checkpoint", str(tmp_path / "c")]  # fmt: skip

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit, timeout=300)
    assert done.returncode == 2
    lines = [line for line in done.stderr.splitlines() if "compiling" not in line]
    assert len(lines) == 1 and "the disk is full" in lines[0]
    assert cl.load(tmp_path / "c").status == "interrupted"
