"""`Simulation`: balls, obstacles, gravity, and time that goes on; kept, recorded and saved."""

from spheresim.simulation.simulation import Simulation as Simulation
