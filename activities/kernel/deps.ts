import type { MikroORM } from '@mikro-orm/postgresql';
import type { Clock } from '../../db/kernel/clock.ts';
import type { Config } from '../../db/kernel/config.ts';
import type { Keyring } from '../../db/kernel/keyring.ts';
import type { Log } from '../../db/kernel/log.ts';
import type { Executor } from '../providers/execution.ts';
import type { Attempts } from './attempts.ts';
import type { Places } from './places.ts';

/** The dependencies of activities. */
export interface ActivityDeps {
  readonly orm: MikroORM;
  readonly config: Config;
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly log: Log;
  readonly executor: Executor;
  /** One for all workers of the process. */
  readonly places: Places;
  /** The same. */
  readonly attempts: Attempts;
}
