"""Vectors, rays, polynomials and double-doubles: mathematics without balls."""
