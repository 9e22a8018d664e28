import { expect, test } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { type Service, Supervisor } from '../../../bin/dev/supervise.ts';
import { until } from '../../../bin/dev/until.ts';

/** Its process is spawned when `spawning` resolves, and is up when `up` does. */
const service = (name: string, spawning?: Promise<void>, up?: Promise<void>): Service & { readonly children: ChildProcess[] } => {
  const children: ChildProcess[] = [];
  return {
    name,
    isServer: true,
    stopSignal: 'SIGTERM',
    children,
    async start(spawned) {
      await spawning;
      const child = spawn('sleep', ['60']);
      children.push(child);
      spawned(child);
      await up;
    },
  };
};
const hasEnded = ({ signalCode }: ChildProcess) => signalCode !== null;

test('a process that dies is started again, and ends with the others', async () => {
  const supervisor = new Supervisor(() => {});
  const steady = service('steady');
  await supervisor.supervise(steady);
  steady.children[0]!.kill('SIGKILL');
  await until('it is started again', async () => steady.children.length === 2);
  expect(hasEnded(steady.children[1]!)).toBe(false);
  await supervisor.stop();
  expect(steady.children.map(hasEnded)).toEqual([true, true]);
});

test.each(['before its process is spawned', 'before it is up'])('stop ends a service %s', async (moment) => {
  const [spawning, up] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const late = service('late', spawning.promise, up.promise);
  const supervisor = new Supervisor(() => {});
  const starting = supervisor.supervise(late).catch(() => {});
  if (moment === 'before it is up') {
    spawning.resolve();
    await until('it is spawned', async () => late.children.length === 1);
  }
  await supervisor.stop();
  spawning.resolve();
  up.resolve();
  await starting;
  await until('its process has ended', async () => late.children.length === 1 && late.children.every(hasEnded));
  await expect(supervisor.supervise(late)).rejects.toThrow('Stopped while it started');
});
