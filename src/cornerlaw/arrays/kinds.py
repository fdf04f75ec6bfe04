"""Integer codes of joints, signals, force elements, constraint rows and contours."""

# joints: relative coordinates of the second joint frame in the first, axis = local z
REVOLUTE = 0
PRISMATIC = 1
SCREW = 2
CYLINDRICAL = 3
UNIVERSAL = 4
SPHERICAL = 5
PLANAR = 6
FREE = 7
WELD = 8
TRANSLATION_2 = 9
TRANSLATION_3 = 10
USER_JOINT = 11

# signals: scalar functions of time or state
CONSTANT = 0
TABLE_LINEAR = 1
TABLE_CUBIC = 2
FUNCTION = 3
STRIBECK = 4  # friction coefficient over the sliding speed

# force elements
SPRING = 0  # between two frames
TORSION_SPRING = 1  # on a joint coordinate
PATH_SPRING = 2  # along a polygon of frames
BUSHING = 3  # between two frames, six components
FORCE = 4  # at a frame, value from three signals or a function of (t, r, v)
TORQUE_BODY = 5  # on a body, as FORCE
TORQUE_COORDINATE = 6  # on a coordinate, value (t) or (t, q, u)
MOTOR = 7  # direct-current machine on a coordinate
DRAG = 8  # quadratic drag at a frame
CONTROLLER = 9  # PID on a coordinate
LAW = 10  # the user's force element
BARE = 11  # one of the user's that has no force: rows, masses or events only

# constraint rows
ROW_POINT = 0  # component of the distance vector in the first frame's axes
ROW_DOT = 1  # axis of the first frame orthogonal to an axis of the second
ROW_DISTANCE = 2  # length between two points
ROW_PATH = 3  # weighted length of a polygon
ROW_LINEAR = 4  # linear combination of coordinates
ROW_ROLL = 5  # velocity of the material contact point on a plane
ROW_USER = 6  # function g(q, t) of the user
ROW_SCREW = 7  # displacement along minus pitch times angle about the common axis
ROW_ANGLE = 8  # angle about the common axis minus a signal
ROW_UNIVERSAL = 9  # angle about an axis of a universal joint minus a signal
ROW_ROTATION = 10  # axis of the second frame orthogonal to one of the turned first frame
ROW_ELEMENT = 11  # row of a user's element: g, directions, w_tilde, w_bar
ROW_SWING = 12  # a largest angle minus the one between two z axes
ROW_TWIST = 13  # turn about the z axis that is left without the swing, from or to a stop
ELEMENT_GAP = 1  # axis_1 of such a row whose gap closes and opens

# how the mass matrix is factored
FACTOR_TREE = 0  # articulated inertias, O(n)
FACTOR_SPARSE = 1  # sparse L^T D L on the declared pattern

# contours, numbers in the axes of their marker; a negative radius is a circle seen from inside
CONTOUR_POINT = 0
CONTOUR_CIRCLE = 1  # radius
CONTOUR_ARC = 2  # radius, angle of the middle, half the opening angle
CONTOUR_LINE = 3  # normal, through the marker
CONTOUR_SEGMENT = 4  # its two vertices, one face; the normal lies right of first to second
CONTOUR_POLYGON = 5  # vertices counter-clockwise; two vertices are a plate with two faces
CONTOUR_PARABOLA = 6
CONTOUR_SPLINE = 7
CONTOUR_CURVE = 8  # function of the user

# contours in space; the axis is the marker's z, a negative radius is seen from inside
SHAPE_POINT = 20
SHAPE_SPHERE = 21  # radius
SHAPE_PLANE = 22  # through the marker, the normal is its z, the body lies below
SHAPE_CAPSULE = 23  # radius, half the length of its axis
SHAPE_EDGE = 24  # half its length
SHAPE_CIRCLE = 25  # radius; a thin ring about the axis
SHAPE_CYLINDER = 26  # radius, half its length
SHAPE_CONE = 27  # radius of the base at the marker, height of the apex on the axis
SHAPE_ELLIPSOID = 28  # half axes
SHAPE_BOX = 29  # half sizes
SHAPE_POLYHEDRON = 30  # convex; see kernels/contact/space/polyhedra.py
SHAPE_TORUS = 31  # radius of its centre line, radius of its section
SHAPE_TUBE = 32  # radius, then a spline in space
SHAPE_SURFACE = 33  # function of the user
SHAPE_HEIGHTS = 34  # height field over the marker's x and y

# what is asked of the masses of the user's elements
ADD_MASS = 0  # add them to the mass matrix
ADD_FORCES = 1  # add their inertia forces for given accelerations
ENERGIES = 2  # write their kinetic energies
