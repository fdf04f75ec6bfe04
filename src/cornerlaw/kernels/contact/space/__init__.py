"""Contact kinematics in space: gaps, normals, contact points and curvatures of pairs of shapes."""
