"""Options of the event-driven road, behind those of the adaptive method between events."""

LAW = 5  # number of the impact law
V_TOL = 6  # relative velocities up to this count as zero [m/s]
GAP_TOL = 7  # gaps up to this count as closed [m]
ZENO = 8  # approach speed below which bounces are taken as over [m/s]
N_OPTIONS = 9
