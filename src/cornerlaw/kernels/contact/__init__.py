"""Contact kinematics in the plane: gaps, contact frames and curvatures of pairs of contours."""
