/** Child processes that are restarted when they die, and stopped when this process stops. */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { UserError, printProgress } from '../kernel/cli.ts';

export interface Service {
  readonly name: string;
  /** Starts the process, passes it to `spawned` at once, and resolves when it is ready. */
  start(spawned: (child: ChildProcess) => void): Promise<void>;
  readonly stopSignal: NodeJS.Signals;
  /** Postgres and Temporal: stopped after their clients. */
  readonly isServer: boolean;
}

export class Supervisor {
  readonly #children = new Map<string, ChildProcess>();
  readonly #services: Service[] = [];
  #stopping = false;
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get processes(): { name: string; pid: number }[] {
    return this.#services.flatMap(({ name }) => {
      const pid = this.#children.get(name)?.pid;
      return pid === undefined ? [] : [{ name, pid }];
    });
  }

  /** Starts a service and keeps it running. */
  async supervise(service: Service): Promise<void> {
    if (this.#stopping) throw new UserError('Stopped while it started.');
    this.#services.push(service);
    await this.#bringUp(service);
  }

  /** A child is registered as soon as it is spawned: one that becomes ready after `stop` is stopped too. */
  async #bringUp(service: Service): Promise<void> {
    let child: ChildProcess | undefined;
    try {
      await service.start((spawned) => {
        child = spawned;
        this.#children.set(service.name, spawned);
        this.#onChange();
        if (this.#stopping) spawned.kill(service.stopSignal);
      });
    } catch (error) {
      child?.kill('SIGKILL');
      this.#children.delete(service.name);
      throw error;
    }
    if (!child || hasEnded(child)) void this.#restart(service);
    else child.once('exit', () => void this.#restart(service));
  }

  async #restart(service: Service): Promise<void> {
    this.#children.delete(service.name);
    for (let pause = 100; !this.#stopping; pause = Math.min(pause * 2, 5000)) {
      await sleep(pause);
      try {
        if (this.#stopping) return;
        printProgress(`${service.name} stopped; starting it again.`);
        return await this.#bringUp(service);
      } catch (error) {
        printProgress(`${service.name} does not start yet: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }

  /** Stops all: first our own processes, then the servers that they use. A process that does not stop within ten seconds is killed. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const servers = this.#services.filter(({ isServer }) => isServer);
    await Promise.all(this.#services.filter(({ isServer }) => !isServer).map((service) => this.#stopOne(service)));
    for (const service of servers.toReversed()) await this.#stopOne(service);
  }

  async #stopOne({ name, stopSignal }: Service): Promise<void> {
    const child = this.#children.get(name);
    if (!child || hasEnded(child)) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill(stopSignal);
    if ((await Promise.race([gone, sleep(10_000, 'late', { ref: false })])) === 'late') child.kill('SIGKILL');
  }
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;
