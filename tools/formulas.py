"""Formulas of docstrings as a page shows them: Greek letters, indices, powers, dots over letters.

    omega_0^2 = g / l, phi_ddot >= 0    becomes    ω₀² = g / l, φ̈ ≥ 0 (with tags of HTML)

Texts are escaped here, so that what comes back is HTML. What stands in backquotes or double quotes
is a name and stays as it is.
"""

import re
from html import escape

GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "eps": "ε", "zeta": "ζ",
    "eta": "η", "theta": "θ", "kappa": "κ", "lambda": "λ", "lam": "λ", "mu": "μ",
    "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "psi": "ψ",
    "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Phi": "Φ", "Psi": "Ψ",
    "Omega": "Ω",
}  # fmt: skip
INDEXED = {"th": "θ", "int": "∫", "sum": "Σ"}  # words unless they have an index
# drawn by the style of the page: combining dots run into high letters such as θ and Ψ
DOTS = {"dot": "dot", "d": "dot", "ddot": "ddot", "dd": "ddot"}
HIGH = "βδζθλξfhklt"  # letters that reach as high as capitals
SIGNS = {"plus": "+", "minus": "−"}
# a word of letters with indices, and the power behind it
_SYMBOL = re.compile(
    r"(?<![A-Za-z0-9_&])([A-Za-z]+)((?:_(?:[A-Za-z0-9]+|\{[^{}]*\}|\([^()]*\)))*)"
    r"(?![A-Za-z0-9_])"
)
_POWER = re.compile(r"\^(-?[A-Za-z0-9]+|[-+]|\{[^{}]*\}|\([^()]*\))")
_BEHIND = re.compile(r"\)_([A-Za-z0-9]+)")  # index of a bracket
_NAME = re.compile(r"`([^`]+)`")
_QUOTED = re.compile(r'"[^"]*"')
_GAP = re.compile(r"( {2,})")


def _symbol(match: re.Match[str]) -> str:
    word, indices = match[1], match[2]
    parts = re.findall(r"_(\{[^{}]*\}|\([^()]*\)|[A-Za-z0-9]+)", indices)
    letter = GREEK.get(word) or (INDEXED.get(word) if parts else None)
    # long words with underscores are names of parameters or results, not symbols
    if letter is None and (not parts or len(word) > 2):
        return match[0]
    shown = letter or word
    low, sign = [], ""
    for part in parts:
        # a d behind a Latin letter is an index, unless it stands behind another one
        if part in DOTS and (letter or (len(word) == 1 and (len(part) > 2 or low))):
            high = " high" if shown in HIGH or shown.isupper() else ""
            shown = f'<span class="{DOTS[part]}{high}">{shown}</span>'
        elif part in SIGNS:
            sign = f"<sup>{SIGNS[part]}</sup>"
        else:
            inner = part[1:-1] if part[0] in "{(" else part
            low.append(_SYMBOL.sub(_symbol, inner))
    index = f"<sub>{','.join(low)}</sub>" if low else ""
    return f"{shown}{index}{sign}"


def _power(match: re.Match[str]) -> str:
    inner = match[1]
    if inner[0] in "{(":
        inner = inner[1:-1]
    return f"<sup>{inner.replace('-', '−')}</sup>"


def symbols(text: str) -> str:
    """Return a formula, or a sentence with formulas, as HTML."""
    pieces, at = [], 0
    for name in [*_QUOTED.finditer(text), None]:
        plain = escape(text[at : name.start() if name else len(text)], quote=False)
        plain = _POWER.sub(_power, _SYMBOL.sub(_symbol, plain))
        plain = _BEHIND.sub(r")<sub>\1</sub>", plain)
        plain = plain.replace("&lt;=", "≤").replace("&gt;=", "≥").replace("sqrt(", "√(")
        pieces += [plain, escape(name[0], quote=False) if name else ""]
        at = name.end() if name else at
    return "".join(pieces)


def sentence(text: str) -> str:
    """Return a paragraph: formulas as symbols, names in backquotes as code."""
    pieces, at = [], 0
    for name in [*_NAME.finditer(text), None]:
        pieces.append(symbols(text[at : name.start() if name else len(text)]))
        if name:
            pieces.append(f"<code>{escape(name[1])}</code>")
            at = name.end()
    return "".join(pieces)


def lines(text: str) -> str:
    """Return displayed formulas; columns stay below each other although symbols are shorter."""
    return "\n".join(map(_line, text.split("\n"))) if "\n" in text else symbols(text)


def _line(line: str) -> str:
    start = len(line) - len(line.lstrip(" "))
    found, lost = line[:start], 0
    for k, piece in enumerate(_GAP.split(line[start:])):
        if k % 2:
            found += piece + " " * lost
            lost = 0
            continue
        shown = symbols(piece)
        lost += len(piece) - _length(shown)
        found += shown
    return found


def _length(shown: str) -> int:
    """Count what is seen: no tags, and an entity is one character."""
    return len(re.sub(r"&\w+;", "x", re.sub(r"<[^>]+>", "", shown)))
