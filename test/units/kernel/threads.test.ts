/** Threads for what sellers draw (docs/decisions.md#f45): whatever happens in one, the process goes on. */
import { afterAll, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { ThreadPool } from '../../../api/flows/threadPool.ts';
import type { Graph } from '../../../domain/flows/graph/graph.ts';
import { simulation } from '../flows/randomGraphs.ts';

const never = new AbortController().signal;
/** Does what it is told, by name. */
const OBEDIENT = `
import { getHeapStatistics } from 'node:v8';
import { parentPort } from 'node:worker_threads';
parentPort.on('message', (order) => {
  if (order === 'spin') { parentPort.postMessage({ progress: 'spinning' }); for (;;); }
  if (order === 'fill') { const all = []; for (;;) all.push({ text: 'x' + all.length }); }
  if (order === 'throw') throw new Error('thrown');
  if (order === 'heap') parentPort.postMessage({ result: getHeapStatistics().heap_size_limit });
  else if (order === 'fail') parentPort.postMessage({ failed: 'failed' });
  else parentPort.postMessage({ result: [order, Object.keys(process.env)] });
});`;
const file = join(tmpdir(), `obedient-${process.pid}.mjs`);
writeFileSync(file, OBEDIENT);
const threads = new ThreadPool(pathToFileURL(file));
const flows = new ThreadPool(new URL('../../../api/flows/thread.ts', import.meta.url));
afterAll(async () => {
  await threads.close();
  await flows.close();
});
const order = (data: string, more: object = {}) => threads.run({ storeId: 's', gone: never, read: async () => data, ...more });

test('a thread that uses its processor time, or the memory, is ended; the next job has another', async () => {
  expect(await order('spin', { cpuMs: 300 })).toEqual({ died: 'TIME' });
  expect(await order('fill')).toEqual({ died: 'SIZE' });
  expect(await order('a')).toEqual({ result: ['a', []] });
});

test('what fails in a thread fails its job alone', async () => {
  await expect(order('throw')).rejects.toThrow('thrown');
  await expect(order('fail')).rejects.toThrow('failed');
  await expect(
    order('', {
      read: async () => {
        throw new Error('unread');
      },
    }),
  ).rejects.toThrow('unread');
  expect(await order('b')).toEqual({ result: ['b', []] });
});

test('a job ends when its client hangs up, and leaves its turn', async () => {
  const gone = new AbortController();
  const left = order('spin', { gone: gone.signal, onProgress: () => gone.abort() });
  await expect(left).rejects.toMatchObject({ code: 'TEMPORARILY_UNAVAILABLE' });
  expect(await order('c')).toEqual({ result: ['c', []] });
});

test('a thread has its own memory, whatever the process was given', async () => {
  const script = `
    import { ThreadPool } from ${JSON.stringify(new URL('../../../api/flows/threadPool.ts', import.meta.url).href)};
    const threads = new ThreadPool(new URL(${JSON.stringify(pathToFileURL(file).href)}));
    const work = { storeId: 's', gone: new AbortController().signal, read: async () => 'heap' };
    process.stdout.write(JSON.stringify(await threads.run(work)));
    await threads.close();`;
  const { flags } = JSON.parse(readFileSync('bin/kernel/memory.json', 'utf8')) as { flags: string[] };
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, '--input-type=module', '-e', script]);
  const { result } = JSON.parse(stdout) as { result: number };
  // The new space has its part beside the old one of 64 MiB.
  expect(result).toBeLessThan(100 * 1024 * 1024);
}, 120_000);

/** Far beyond what a publish allows: a happening of it takes a tenth of a second. */
const costly: Graph = {
  schema: 1,
  start: 'paid',
  tables: { t: Array.from({ length: 100 }, () => ({ from: '02-29', to: '02-29' })) },
  states: [
    { id: 'paid', type: 'state', status: 'PAID', step: 'SELLER_PROCESSING', label: '결제', deadlines: [{ key: 'tick', after: 'PT1S' }] },
    { id: 'end', type: 'end', outcome: 'COMPLETED', label: '끝' },
  ],
  actions: [],
  edges: [
    ...Array.from({ length: 100 }, (_, i) => ({
      id: `look${i}`,
      from: 'paid',
      to: 'end',
      on: { type: 'elapsed', deadline: 'tick' } as const,
      when: Array.from({ length: 52 }, () => 'inRanges(now, t)').join('||'),
    })),
    { id: 'tick', from: 'paid', to: 'paid', on: { type: 'elapsed', deadline: 'tick' } },
  ],
};
test('a graph that looks through half a million rows each time tells how far it came of a day', async () => {
  const steps: unknown[] = [];
  const scenario = simulation([{ event: { type: 'start' } }, { advance: 86_400_000 }]);
  const source = { bundle: JSON.stringify({ '': costly }) };
  const read = async () => ({ type: 'simulate', source, simulation: scenario });
  const ended = await flows.run({ storeId: 's', gone: never, read, onProgress: (step) => void steps.push(JSON.parse(String(step))) });
  // Ended from outside only where the machine has no time for it.
  expect([{ result: null }, { died: 'TIME' }]).toContainEqual(ended);
  if ('died' in ended) return;
  expect(steps).toMatchObject([
    { truncated: null },
    { truncated: null, edges: [] },
    { truncated: 'TIME', accepted: true, state: { key: 'paid' } },
  ]);
});
