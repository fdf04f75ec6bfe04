"""Options of the time-stepping schemes; the step size comes first as in all fixed-step methods."""

STEP = 0
ALPHA = 1  # where forces and rows are evaluated: q_A + alpha dt u_A
POSITION_LEVEL = 2  # 1 = the normal law holds for the gap at the end of the step
STABILISE = 3  # 1 = remove penetration after the step
ACTIVATION = 4  # a gap up to this counts as closed [m]
ACCEPT = 5  # 1 = go on with a solution above the tolerance
TOLERANCE = 6  # error of a step with adaptive steps, 0 = fixed steps
THETA = 7  # weight of the end of the step in implicit forces, 0 = explicit
SMALLEST = 8  # smallest adaptive step
TANGENTIAL = 9  # 1 = restitution in tangential direction as well
N_OPTIONS = 10
