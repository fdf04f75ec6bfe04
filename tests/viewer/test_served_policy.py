"""What the header of the served page lets it do: its own script and style, its own data."""

import base64
import hashlib
import http.client
import re
from typing import Any
from urllib.parse import urlsplit

import pytest

import cornerlaw as cl
from cornerlaw.viewer import page
from cornerlaw.viewer.page import BUILT

pytestmark = pytest.mark.skipif(not BUILT.is_file(), reason="the page of the viewer is not built")


def ask(url: str, name: str = "") -> tuple[dict[str, str], str]:
    """Return the policy of an answer, by its rules, and the text."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)
    connection.request("GET", parts.path + name)
    answer = connection.getresponse()
    text = answer.read().decode("utf-8", "replace")
    connection.close()
    rules = (rule.partition(" ") for rule in answer.headers["Content-Security-Policy"].split("; "))
    return {name: values for name, _, values in rules}, text


@pytest.mark.trust("TR-S-08")
def test_the_policy_names_the_script_and_the_style_and_nothing_else(bounce: cl.Solution) -> None:
    with bounce.view(browser=False) as viewer:
        policy, text = ask(viewer.url)
        other = [ask(viewer.url, name)[0] for name in ("data", "signal?name=nobody", "nothing")]
    assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert policy["frame-ancestors"] == "'none'" and policy["connect-src"] == "'self'"
    for rule, tag in (("script-src", "script"), ("style-src", "style")):
        inside = text.split(f"<{tag}>")[1].split(f"</{tag}>")[0]
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert policy[rule] == f"'sha256-{digest}'"
    assert "unsafe" not in str(policy) and "*" not in str(policy)
    # what is no page shows and runs nothing at all
    assert other == [{"default-src": "'none'", "frame-ancestors": "'none'"}] * 3


ATTACK = """() => new Promise(done => {
    const said = [], blocked = new Set();
    document.addEventListener('securitypolicyviolation', e => blocked.add(e.effectiveDirective));
    const script = document.createElement('script');
    script.textContent = 'window.ran = 1';
    document.body.append(script);
    const image = document.createElement('img');
    image.setAttribute('onerror', 'window.ran = 1');
    image.src = 'data:,';
    document.body.append(image);
    const style = document.createElement('style');
    style.textContent = 'body { outline: 7px solid red }';
    document.head.append(style);
    const link = document.createElement('script');
    link.src = 'http://127.0.0.1:9/x.js';
    document.body.append(link);
    const tell = (name, work) => work.then(() => said.push(name), () => {});
    const asked = [tell('other', fetch('http://127.0.0.1:9/', {mode: 'no-cors'})),
                   tell('own', fetch('data'))];
    const outline = () => getComputedStyle(document.body).outlineWidth;
    const tellAll = () => done([window.ran === undefined, said, [...blocked], outline()]);
    Promise.all(asked).then(() => setTimeout(tellAll, 300));
})"""


@pytest.mark.trust("TR-S-08")
def test_the_header_alone_stops_foreign_code(
    opened: Any, bounce: cl.Solution, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page has a policy of its own as well; without it, the header must do."""
    bare, count = re.subn(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "",
                          page.served_page())  # fmt: skip
    assert count == 1
    monkeypatch.setattr("cornerlaw.viewer.server.served_page", lambda: bare)
    with bounce.view(browser=False) as viewer:
        opened.open(viewer.url)
        assert opened.complaints == []  # the page itself works under it
        quiet, said, blocked, outline = opened.page.evaluate(ATTACK)
        opened.complaints.clear()  # the browser reports what it has stopped
    assert quiet and said == ["own"] and outline != "7px", (quiet, said, outline)
    wanted = {"script-src-elem", "script-src-attr", "style-src-elem", "connect-src"}
    assert set(blocked) == wanted
