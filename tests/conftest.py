"""What holds for all tests: every run they make obeys the laws of its contacts."""

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest
from contact_laws import allow, check_run, is_thinned
from figures import Figure
from no_network import forbid
from simulation_laws import Watch, is_checked

# before any test, and in every process that runs some
forbid()


@pytest.fixture(autouse=True, scope="session")
def _check_every_run() -> Iterator[None]:
    """Check the contact laws on every stored row of every run, also those of fixtures.

    The laws of a time step hold in its middle, which follows from its two rows. A run that stores
    fewer rows and seems to break a law is made again with all of them, and that one must pass.
    """
    import cornerlaw as cl
    from cornerlaw.simulate.run import _Run

    begin, execute = _Run.__init__, _Run.execute

    def kept(self: Any, *arguments: Any) -> None:
        begin(self, *arguments)
        self.arguments = arguments

    def with_all_rows(self: Any, t_end: float, max_steps: int | None) -> Any:
        again = _Run(*self.arguments)
        again.stops, again.inputs, again.limits = self.stops, self.inputs, self.limits
        try:
            return execute(again, t_end, None, 1, False, max_steps)
        except cl.SimulationError as error:
            return error.solution

    def checked(self: Any, t_end: float, *arguments: Any) -> Any:
        try:
            sol = execute(self, t_end, *arguments)
        except cl.SimulationError as error:
            # what a run that failed has stored so far obeys the laws as well
            if hasattr(error, "solution"):
                # but a law that failed cannot be evaluated for its results either
                with contextlib.suppress(cl.CornerlawError):
                    check(self, error.solution, t_end, *arguments)
            raise
        check(self, sol, t_end, *arguments)
        return sol

    def check(run: Any, sol: Any, t_end: float, *arguments: Any) -> None:
        if not run.system.has_corners:
            return
        try:
            check_run(sol, run.system.model, run.method)
        except AssertionError:
            if not is_thinned(sol, by_times=arguments[0] is not None):
                raise
            check_run(with_all_rows(run, t_end, arguments[-1]), run.system.model, run.method)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_Run, "__init__", kept)
        patch.setattr(_Run, "execute", checked)
        yield


@pytest.fixture(autouse=True, scope="session")
def _check_every_simulation() -> Iterator[None]:
    """Check the laws that one state can be held to after every call of `Simulation.step`."""
    import cornerlaw as cl

    advance = cl.Simulation._advance

    def checked(self: Any, *arguments: Any) -> None:
        if not is_checked(self):
            advance(self, *arguments)
            return
        watch = self.__dict__.get("watch") or Watch(self)
        self.watch = watch
        advance(self, *arguments)
        watch.check(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cl.Simulation, "_advance", checked)
        yield


@pytest.fixture(autouse=True)
def _contact_laws_of_the_test(request: pytest.FixtureRequest) -> Iterator[None]:
    """Apply what the test's own mark says about the laws."""
    marker = request.node.get_closest_marker("contact_laws")
    if marker is None:
        yield
        return
    with allow(**marker.kwargs):
        yield


@pytest.fixture
def figure(record_property: Any) -> Figure:
    """Report measured figures: `-s` shows them, and the report of a run keeps them."""

    def note(name: str, value: Any, limit: float | None = None) -> None:
        text = f"{name}: {value:.4g}" if isinstance(value, float) else f"{name}: {value}"
        text += f" (limit {limit:g})" if limit is not None else ""
        record_property("figure", text)
        print(f"\n    {text}", end="")

    return note


@pytest.fixture(autouse=True)
def _trust_of_the_test(request: pytest.FixtureRequest, record_property: Any) -> None:
    """Note in the report which requirements a test is about; docs/trust.md is made of it."""
    for marker in request.node.iter_markers("trust"):
        for name in marker.args:
            record_property("trust", name)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item) -> None:
    """Turn measured NumPy numbers into plain ones, which alone can pass between processes."""
    item.user_properties[:] = [
        (name, value.item() if hasattr(value, "item") else value)
        for name, value in item.user_properties
    ]
