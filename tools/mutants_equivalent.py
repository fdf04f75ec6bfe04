"""Changes of a sign or an inequality that no test can notice, each with the reason.

The key is the file within the kernels and the expression before and after the change.
"""

EQUIVALENT: dict[tuple[str, str], str] = {}
