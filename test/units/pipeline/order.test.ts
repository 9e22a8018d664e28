import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import type { Answer } from '../../../api/declare/answer.ts';
import { ACCEPT, PERFORM } from '../../../api/pipeline/order.ts';
import { Steps } from '../../../api/pipeline/step.ts';

const answer = (body: string): Answer => ({ status: 200, body, headers: {} });
const page = readFileSync('docs/architecture.md', 'utf8');
const documented = [...page.matchAll(/^\d+\. `(\w+)`/gm)].map(([, name]) => name);

test('the steps of a request stand in the documents, in their order', () => {
  expect(documented).toEqual([...ACCEPT.names.slice(0, -1), ...PERFORM.names]);
  expect(documented.length).toBeGreaterThan(15);
});

test('each step gets what the one before it has handed on; one that answers ends the request', async () => {
  const seen: string[] = [];
  const steps = Steps.first(function count(at: number, rest: (at: number) => Promise<Answer>) {
    seen.push('count');
    return at > 5 ? Promise.resolve(answer('early')) : rest(at + 1);
  })
    .next(function write(at: number, rest: (at: string) => Promise<Answer>) {
      seen.push('write');
      return rest(`n=${at}`);
    })
    .last(async function finish(at: string) {
      seen.push('finish');
      return answer(at);
    });
  expect(steps.names).toEqual(['count', 'write', 'finish']);
  expect(await steps.walk(1)).toEqual(answer('n=2'));
  expect(await steps.walk(6)).toEqual(answer('early'));
  expect(seen).toEqual(['count', 'write', 'finish', 'count']);
});

test('a step meets the refusals of those after it, and of none before it', async () => {
  const refused = new Error('refused');
  const caught: unknown[] = [];
  const steps = Steps.first((at: string, rest: (at: string) => Promise<Answer>) => {
    if (at === 'before') throw refused;
    return rest(at);
  })
    .next(async (at: string, rest: (at: string) => Promise<Answer>) => {
      try {
        return await rest(at);
      } catch (error) {
        caught.push(error);
        throw error;
      }
    })
    .last(() => Promise.reject(refused));
  await expect(async () => steps.walk('before')).rejects.toBe(refused);
  expect(caught).toEqual([]);
  await expect(steps.walk('after')).rejects.toBe(refused);
  expect(caught).toEqual([refused]);
});
