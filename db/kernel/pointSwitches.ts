/** The operator's switches of points, by environment variables; both are on by default. */
import type { PointSwitches } from '../../domain/points/policy.ts';
import { Environment, type Variables } from './environment.ts';

export function readSwitches(variables: Variables = process.env): PointSwitches {
  const env = new Environment(variables);
  const switches = switchesOf(env);
  env.check();
  return switches;
}

export function switchesOf(env: Environment): PointSwitches {
  return { available: env.flag('POINTS_AVAILABLE', true), useAvailable: env.flag('POINTS_USE_AVAILABLE', true) };
}
