import { expect, test } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Service, Supervisor } from '../../../bin/dev/supervise.ts';

const service = (name: string, isServer = false): Service & { readonly children: ChildProcess[] } => {
  const children: ChildProcess[] = [];
  return {
    name,
    isServer,
    stopSignal: 'SIGTERM',
    children,
    async start(spawned) {
      await sleep(50);
      const child = spawn('sleep', ['60']);
      children.push(child);
      spawned(child);
      await sleep(200);
    },
  };
};
const hasEnded = ({ signalCode }: ChildProcess) => signalCode !== null;

test('what dies is started again; stop ends everything, also what is just being started', async () => {
  const supervisor = new Supervisor(() => {});
  const steady = service('steady', true);
  await supervisor.keep(steady);
  steady.children[0]!.kill('SIGKILL');
  await sleep(700);
  expect([steady.children.length, hasEnded(steady.children[1]!)]).toEqual([2, false]);

  for (const moment of [20, 120]) {
    const late = service(`late after ${moment} ms`);
    const one = new Supervisor(() => {});
    const starting = one.keep(late).catch(() => {});
    await sleep(moment);
    await one.stop();
    await starting;
    await sleep(50);
    expect([late.name, late.children.map(hasEnded)]).toEqual([late.name, [true]]);
    await expect(one.keep(late)).rejects.toThrow('Stopped while it started');
  }
  await supervisor.stop();
  expect(steady.children.map(hasEnded)).toEqual([true, true]);
});
