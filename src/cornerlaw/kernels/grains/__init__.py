"""Many balls between planes: a grid finds the pairs, block Gauss-Seidel solves their laws."""
