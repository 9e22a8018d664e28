import type { Client } from '@temporalio/client';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { Egress } from '../../activities/providers/egress.ts';
import type { PaymentProvider } from '../../activities/providers/port.ts';
import type { Storage } from '../../activities/providers/storage.ts';
import type { Clock } from '../../db/kernel/clock.ts';
import type { Config } from '../../db/kernel/config.ts';
import type { Keyring } from '../../db/kernel/keyring.ts';
import type { Log } from '../../db/kernel/log.ts';
import type { LoginProvider, PreviewNow, Threads } from './ports.ts';
import type { TokenKeys } from './tokens.ts';
import type { Credentials } from '../../domain/payments/providers.ts';

/** What the API is given by main.ts, by the worker for its executions, and by tests. */
export interface GivenDeps {
  readonly orm: MikroORM;
  readonly temporal: Client;
  readonly config: Config;
  readonly keyring: Keyring;
  readonly keys: TokenKeys;
  readonly login: LoginProvider;
  readonly egress: Egress;
  readonly storage: Storage;
  /** The provider that a credential set belongs to. */
  readonly payments: (credentials: Credentials) => PaymentProvider;
  /** Where sellers' graphs are computed. */
  readonly threads: Threads;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborted when the process shuts down. */
  readonly stopping: AbortSignal;
}
/** The dependencies of operations. */
export interface ApiDeps extends GivenDeps {
  /** What an agent's request would do now. */
  readonly previewNow: PreviewNow;
}
