/** Child processes that are started again when they die, and stopped with us. */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Remedy, say } from '../kernel/say.ts';

export interface Service {
  readonly name: string;
  /** Starts the process, hands it over at once, and resolves when it is up. */
  start(spawned: (child: ChildProcess) => void): Promise<void>;
  readonly stopSignal: NodeJS.Signals;
  /** Postgres and Temporal: stopped after those who use them. */
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
  async keep(service: Service): Promise<void> {
    if (this.#stopping) throw new Remedy('Stopped while it started.');
    this.#services.push(service);
    await this.#bringUp(service);
  }

  /** A child is known from its first moment: what comes up after `stop` is stopped too. */
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
        say(`${service.name} stopped; starting it again.`);
        return await this.#bringUp(service);
      } catch (error) {
        say(`${service.name} does not start yet: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }

  /** Stops everything: our own processes together, then the servers that they need. What does not stop within ten seconds is killed. */
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
