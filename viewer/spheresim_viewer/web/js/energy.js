// Energies of all balls over the whole run, for the plots: those of timeline/energies.py.

import { peculiarVelocity } from "./images.js";

/** @typedef {import("./data.js").Header} Header */
/** @typedef {import("./motion.js").Motion} Motion */
/** @typedef {import("./spins.js").Spins} Spins */

const MOMENTS = 240;

/**
 * The kinetic energy, in a sheared box beside the flow, with that of rotation; and the potential energy.
 * @param {Motion} motion @param {Header} header @param {Spins | null} spins @param {number} time
 * @param {Float64Array} position @param {Float64Array} velocity
 */
export function energiesOf(motion, header, spins, time, position, velocity) {
  const masses = motion.arrays["ball.mass"];
  const { box, trap } = header;
  let kinetic = spins ? spins.energy(time) : 0;
  let potential = 0;
  for (let ball = 0; ball < motion.n; ball++) {
    const place = position.subarray(3 * ball, 3 * ball + 3);
    const own = peculiarVelocity(box, place, velocity.subarray(3 * ball, 3 * ball + 3));
    for (let k = 0; k < 3; k++) {
      kinetic += 0.5 * masses[ball] * own[k] ** 2;
      potential -= masses[ball] * motion.clock.pull(ball, k) * place[k];
      if (trap) potential += 0.5 * masses[ball] * (trap.frequency * (place[k] - trap.centre[k])) ** 2;
    }
  }
  return { kinetic, potential };
}

/** Times and energies, evenly spaced over a run. @param {Motion} motion @param {Header} header @param {Spins | null} spins */
export function energyCurves(motion, header, spins) {
  const position = new Float64Array(3 * motion.n);
  const velocity = new Float64Array(3 * motion.n);
  const times = Float64Array.from({ length: MOMENTS + 1 }, (_, k) => (motion.duration * k) / MOMENTS);
  const kinetic = new Float64Array(times.length);
  const potential = new Float64Array(times.length);
  times.forEach((time, k) => {
    motion.at(time, position, velocity);
    const energies = energiesOf(motion, header, spins, time, position, velocity);
    kinetic[k] = energies.kinetic;
    potential[k] = energies.potential;
  });
  return { times, kinetic, potential };
}
