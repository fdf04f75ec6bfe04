"""Status codes returned by kernels; zero means success."""

OK = 0  # the call did what it should
DONE = 1  # the run reached its end time
BUFFER_FULL = 2  # the record has no free row left; flush it and call again
PAUSED = 3  # the step budget of this call is used up; call again
STOPPED = 4  # a stop condition was met
STEP_TOO_SMALL = 10  # error control asks for a step below the resolution of time
NOT_FINITE = 11  # a state or a rate is not a finite number
SINGULAR_MASS = 12  # a velocity coordinate carries no inertia
NO_CONVERGENCE = 13  # an implicit stage did not converge
PROJECTION_FAILED = 14  # the constraints could not be met after a step
SINGULAR_JACOBIAN = 15  # the matrix of an implicit step cannot be factored
UNSOLVED = 16  # no solver brought a contact problem below the tolerance
NEED_SOLVER = 17  # a contact problem waits for the solvers outside the compiled loop
TOO_MANY_EVENTS = 18  # events pile up at one time
TOO_MANY_CONTACTS = 19  # more contacts are closed at once than there is room for
POOL_FULL = (
    20  # more pairs are near at once than the pool has places; make it larger and call again
)
VANISHED = 21  # a closed contact has run over the end of its contour
