"""Hydraulic networks whose valves, cavities and stops are corner laws like those of bodies."""
