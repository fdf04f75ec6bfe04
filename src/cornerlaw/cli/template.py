"""A hammer swings down, hits a block, and the block slides along the floor until it stops.

    python {file}            run it, print results, write a figure and a page to watch
    python {file} --view     the same, then watch it in the browser

Units are SI: m, kg, s, rad, N. Change what you like; a name or a number that makes no sense is one
sentence that says which one.
"""

import math
import sys
from pathlib import Path

import numpy as np

import cornerlaw as cl

HERE = Path(__file__).resolve()

# The numbers of the model in one place.
ARM = 0.5  # length of the handle [m]
HEAD = 0.06  # radius of the hammer's head [m]
BLOCK = 0.2, 0.1  # length and height of the block [m]
MU = 0.3  # friction between block and floor
EPS = 0.4  # restitution of the hit: 0 no rebound, 1 no loss


def build() -> cl.Model:
    """Return the model: bodies, joints, shapes, contacts."""
    # Two numbers per vector make a planar model, three a spatial one.
    ground = cl.Ground("floor", normal=(0.0, 1.0))

    # A body has its own frame; here its origin is the pivot, and x runs along the handle.
    hammer = cl.Body("hammer", mass=2.0, inertia=0.02, com=(0.45, 0.0))
    # The joint brings the initial values: the handle starts a little above the horizontal.
    pivot = cl.Revolute(
        "pivot", ground, hammer, at=(0.0, ARM + HEAD), angle=-math.pi - 0.3, speed=0.0
    )

    # A body without a joint moves freely; its origin is in its middle.
    length, height = BLOCK
    block = cl.Body(
        "block",
        mass=3.0,
        inertia=cl.inertia.box(3.0, (length, height, 0.1)),
        position=(HEAD + 0.5 * length, 0.5 * height),
    )

    # Shapes belong to bodies, contacts to pairs of shapes.
    head = cl.Circle("head", hammer, radius=HEAD, at=(ARM, 0.0))
    x, y = 0.5 * length, 0.5 * height
    hull = cl.Polygon("hull", block, vertices=((-x, -y), (x, -y), (x, y), (-x, y)))
    hit = cl.Contact(head, hull, mu=0.1, eps_N=EPS, name="hit")
    slide = cl.Contact(hull, ground, mu=MU, eps_N=0.0, name="slide")

    return cl.Model(
        *(hammer, pivot, block, head, hull, hit, slide), gravity=(0.0, -9.81), name=HERE.stem
    )


def report(sol: cl.Solution) -> None:
    """Print what happened; everything is read by name."""
    print(sol)  # status, cost, events, energy lost in impacts
    for event in sol.events[:8]:
        print(f"  {event.time:.6f} s  {event.name}  {event.kind}")
    print(f"the block slid {sol['block'].position[-1, 0] - sol['block'].position[0, 0]:.4f} m")
    print(f"largest speed of the block {sol['block'].velocity[:, 0].max():.3f} m/s")
    print(f"largest force in the pivot {abs(sol['pivot'].force).max():.1f} N (between impacts)")


def main() -> None:
    """Run, print, save, draw."""
    model = build()
    print(model.describe())  # bodies, joints, loops, degrees of freedom

    # EventDriven finds every impact; cl.Moreau(dt=1e-3) suits many contacts at once.
    times = np.linspace(0.0, 1.5, 301)  # stored rows; each event adds two, before and after it
    sol = cl.simulate(model, t_end=1.5, method=cl.EventDriven(), t_eval=times)
    report(sol)

    sol.save(HERE.with_suffix(".nc"))  # cl.load reads it again
    try:
        sol.plot("block.position.x", "block.velocity.x", "pivot.angle").savefig(
            HERE.with_suffix(".png")
        )
        sol.to_html(HERE.with_suffix(".html"))
    except cl.CornerlawError as error:
        print(f"left out: {error}")  # matplotlib or the viewer's page is missing

    if "--view" in sys.argv:
        with sol.view() as viewer:
            print(f"{viewer.url}  (Ctrl-C ends)")
            viewer.wait()


if __name__ == "__main__":
    main()
