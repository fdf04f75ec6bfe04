"""The served viewer: what it answers, and everything it refuses."""

import http.client
import json
import socket
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from browsers import need_page

import cornerlaw as cl
from cornerlaw import gallery
from cornerlaw.viewer import Viewer
from cornerlaw.viewer.packing import unpack
from cornerlaw.viewer.server import LARGEST


@pytest.fixture(scope="module", autouse=True)
def _page() -> None:
    need_page()


@pytest.fixture(scope="module")
def viewer() -> Iterator[Viewer]:
    sol = gallery.find("slider-crank").run(options={"t_end": 0.2})
    with sol.view(browser=False) as found:
        yield found


class Client:
    """Sends requests as a stranger could."""

    def __init__(self, viewer: Viewer) -> None:
        self.url = urlsplit(viewer.url)
        self.root = self.url.path

    def ask(
        self, path: str, method: str = "GET", body: Any = None, **headers: str
    ) -> tuple[int, bytes, Any]:
        connection = http.client.HTTPConnection(self.url.hostname or "", self.url.port, timeout=60)
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.putrequest(method, path, skip_host="Host" in given)
        if body is not None and "Content-Length" not in given:
            given["Content-Length"] = str(len(body))
        for name, value in given.items():
            connection.putheader(name, value)
        connection.endheaders()
        if body is not None:
            connection.send(body)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, content, answer.headers


@pytest.fixture(scope="module")
def client(viewer: Viewer) -> Client:
    return Client(viewer)


def test_page_and_data_are_served(client: Client, viewer: Viewer) -> None:
    status, page, headers = client.ask(client.root)
    assert status == 200 and b'data-served="1"' in page
    assert headers["X-Content-Type-Options"] == "nosniff"
    status, data, _ = client.ask(client.root + "data")
    head, arrays = unpack(data)
    assert status == 200 and head["dim"] == 2
    assert arrays["t"][-1] == pytest.approx(viewer.solution.t[-1])


def test_any_signal_can_be_asked_for(client: Client, viewer: Viewer) -> None:
    status, data, _ = client.ask(client.root + "signal?name=crank.angle")
    assert status == 200
    values = np.frombuffer(data, "<f4")
    assert values[-1] == pytest.approx(viewer.solution["crank"].angle[-1], rel=1e-6)
    assert client.ask(client.root + "signal?name=nobody.angle")[0] == 404


@pytest.mark.trust("TR-S-08")
def test_only_loopback_listens(viewer: Viewer) -> None:
    assert urlsplit(viewer.url).hostname == "127.0.0.1"
    assert viewer._server.socket.getsockname()[0] == "127.0.0.1"
    port = urlsplit(viewer.url).port
    try:
        other = socket.gethostbyname(socket.gethostname())
    except OSError:
        return
    if not other.startswith("127.") and port is not None:
        with pytest.raises(OSError):
            socket.create_connection((other, port), timeout=2.0)


@pytest.mark.trust("TR-S-08")
@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "", "[::1]"])
def test_foreign_host_is_refused(client: Client, host: str) -> None:
    assert client.ask(client.root + "data", Host=host)[0] == 403


@pytest.mark.trust("TR-S-08")
@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "file://"])
def test_foreign_origin_is_refused(client: Client, origin: str) -> None:
    assert client.ask(client.root + "data", Origin=origin)[0] == 403
    body = b'{"changes": {}}'
    kind = {"Content_Type": "application/json", "Origin": origin}
    assert client.ask(client.root + "rerun", "POST", body, **kind)[0] == 403


@pytest.mark.trust("TR-S-08")
def test_a_link_from_elsewhere_is_refused(client: Client) -> None:
    assert client.ask(client.root, Sec_Fetch_Site="cross-site")[0] == 403


@pytest.mark.trust("TR-S-08")
def test_wrong_token_is_refused(client: Client) -> None:
    token = client.root.strip("/")
    near = token[:-1] + ("y" if token.endswith("x") else "x")
    for path in ("/", "/data", "/wrong/", "/wrong/data", f"/{near}/data", "//data"):
        status, content, _ = client.ask(path)
        assert status == 403 and client.root.strip("/").encode() not in content


@pytest.mark.trust("TR-S-08")
@pytest.mark.parametrize(
    "path",
    ["../pyproject.toml", "..%2f..%2fetc/passwd", "/etc/passwd", "data/../../x", "page/viewer.html",
     "data%00", "....//data", "signal", "signal?name=a&name=b", "rerun"],
)  # fmt: skip
def test_paths_lead_nowhere(client: Client, path: str) -> None:
    assert client.ask(client.root + path)[0] == 404


@pytest.mark.trust("TR-S-09")
def test_messages_over_a_megabyte_are_refused(client: Client) -> None:
    kind = {"Content_Type": "application/json"}
    length = str(LARGEST + 1)
    assert client.ask(client.root + "rerun", "POST", b"{", Content_Length=length, **kind)[0] == 413
    huge = "9" * 40
    assert client.ask(client.root + "rerun", "POST", b"{", Content_Length=huge, **kind)[0] == 413
    for wrong in ("-1", "1e3", ""):
        found = client.ask(client.root + "rerun", "POST", b"{", Content_Length=wrong, **kind)[0]
        assert found == 411


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'{"changes": 1}', b'{"changes": {"nobody": 1}}',
             b'{"changes": {"crank": "1"}}', b"[" * 100_000]
)  # fmt: skip
def test_bad_messages_are_refused(client: Client, body: bytes) -> None:
    status, content, _ = client.ask(
        client.root + "rerun", "POST", body, Content_Type="application/json"
    )
    assert status == 400 and json.loads(content)["error"]


@pytest.mark.trust("TR-S-09")
def test_a_form_of_another_page_is_refused(client: Client) -> None:
    body = b'{"changes": {}}'
    assert client.ask(client.root + "rerun", "POST", body, Content_Type="text/plain")[0] == 415


def test_rerun_changes_the_run(client: Client, viewer: Viewer) -> None:
    kind = {"Content_Type": "application/json"}
    before = viewer.solution
    body = json.dumps({"changes": {"speed": 6.0}}).encode()
    status, data, _ = client.ask(client.root + "rerun", "POST", body, **kind)
    assert status == 200 and viewer.solution is not before
    head, _ = unpack(data)
    assert next(s["value"] for s in head["settings"] if s["name"] == "speed") == 6.0
    body = json.dumps({"changes": {"crank": -1.0}}).encode()
    status, content, _ = client.ask(client.root + "rerun", "POST", body, **kind)
    assert status == 422 and "crank" in json.loads(content)["error"]


def test_a_run_without_parameters_cannot_be_changed(bounce: cl.Solution) -> None:
    with bounce.view(browser=False) as viewer:
        body = b'{"changes": {}}'
        client = Client(viewer)
        kind = {"Content_Type": "application/json"}
        assert client.ask(client.root + "rerun", "POST", body, **kind)[0] == 409


def test_rerun_in_the_browser(opened: Any) -> None:
    sol = gallery.find("slider-crank").run(options={"t_end": 0.2})
    with sol.view(browser=False) as viewer:
        opened.open(viewer.url)
        page = opened.page
        page.locator('input[data-setting="speed"]').fill("5")
        page.locator("#rerun").click()
        opened.until("document.getElementById('rerun-note').textContent === 'done'")
        assert viewer.solution is not sol
        assert page.locator('input[data-setting="speed"]').input_value() == "5"
        page.locator('input[data-setting="crank"]').fill("-1")
        page.locator("#rerun").click()
        opened.until("document.getElementById('rerun-note').className === 'note bad'")
        opened.complaints.clear()  # the browser reports the refusal as well
        page.locator("#signal").fill("crank acceleration")
        page.locator(".menu div", has_text="crank.acceleration.x").first.click()
        opened.until("cornerlaw.state().curves.includes('crank.acceleration.x')")


GARBAGE = (
    b"", b"\x00" * 64, b"\x16\x03\x01\x02\x00\x01\x00", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
    b"POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
    b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n",
    b"\xff" * 500 + b"\r\n\r\n", b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 500 + b"\r\n",
)  # fmt: skip


@pytest.mark.trust("TR-S-09")
@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=pytest.mark.verify)])
def test_garbage_and_many_connections_leave_the_server_working(
    viewer: Viewer, client: Client, count: int
) -> None:
    address = (client.url.hostname or "", client.url.port or 0)
    for k in range(count):
        with socket.create_connection(address, timeout=60.0) as connection:
            try:
                connection.sendall(GARBAGE[k % len(GARBAGE)])
            except OSError:
                continue  # refused in the midst of it
    status, data, _ = client.ask(client.root + "data")
    assert status == 200 and unpack(data)[0]["dim"] == 2


@pytest.mark.trust("TR-S-09")
def test_names_that_look_like_code_are_data() -> None:
    """A page that stands alone holds the names of the parts, but not as tags."""
    name = "<img src=x onerror=alert(1)><script>alert(1)"
    body = cl.PointMass(name, mass=1.0)
    sol = cl.simulate(cl.Model(body, gravity=(0.0, -9.81)), 0.05, method=cl.RungeKutta4(dt=0.01))
    with sol.view(browser=False) as viewer:
        page = Client(viewer).ask(Client(viewer).root)[1]
        assert b"<script>alert" not in page
        head, _ = unpack(Client(viewer).ask(Client(viewer).root + "data")[1])
        assert name in json.dumps(head)
