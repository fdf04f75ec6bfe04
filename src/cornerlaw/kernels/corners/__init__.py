"""Set-valued elements: their rows, the problem they pose, and motion on fixed index sets."""
