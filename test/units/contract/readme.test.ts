/** The thread in the README, and where it says to read on. That the thread runs is seen by `npm run demo` and the system tests. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { endpoints } from '../../../api/endpoints.ts';
import type { Endpoint } from '../../../api/declare/endpoint.ts';
import { createValidator } from '../../../api/validation/validate.ts';

const readme = readFileSync('README.md', 'utf8');
const [, thread = ''] = /```sh\n(.+?)```/s.exec(readme) ?? [];
/** One command a piece: what `\` and quotes carry over lines belongs together. */
const calls = thread
  .replaceAll(/\\\n\s*/g, '')
  .split(/(?=\bcurl )/)
  .slice(1)
  .map((text) => {
    const [, path = ''] = /\$API(\/[^\s'"|)]*)/.exec(text) ?? [];
    const [, single, double] = /-d (?:'([^']*)'|"((?:\\.|[^"\\])*)")/.exec(text) ?? [];
    const body = single ?? double?.replaceAll('\\"', '"');
    const [, answer] = /jq -r \.data\.([\w.[\]]+)/.exec(text) ?? [];
    const method = /-X (\w+)/.exec(text)?.[1] ?? (/ -d /.test(text) ? 'POST' : 'GET');
    return { text, method, path: path.replaceAll(/\$\w+/g, 'x'), body, answer };
  });
/** The operation that a path calls; fixed parts go before parameters, as the router has it. */
function operationOf(method: string, path: string): Endpoint | undefined {
  const fits = ({ route }: Endpoint) => new RegExp(`^${route.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(`${method} ${path}`);
  return endpoints.filter(fits).toSorted((a, b) => a.route.split('{').length - b.route.split('{').length)[0];
}
const ours = calls.filter(({ path }) => path !== '/oauth2/token');

test('every call of the thread is an operation, with a body that fits it', () => {
  expect(ours.length).toBeGreaterThanOrEqual(8);
  for (const { method, path, body } of ours) {
    const operation = operationOf(method, path);
    expect([method, path, operation?.id]).toEqual([method, path, expect.any(String)]);
    if (body !== undefined && operation!.body)
      expect([path, createValidator(operation!.body, 'json')(JSON.parse(body)).fieldErrors]).toEqual([path, []]);
  }
});

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
}
test('what the thread takes from an answer is in that answer', () => {
  const answered = ours.filter(({ answer }) => answer !== undefined);
  expect(answered.length).toBeGreaterThanOrEqual(3);
  for (const { method, path, answer } of answered) {
    let shape: Shape | undefined = operationOf(method, path)!.data;
    for (const part of answer!.replaceAll(/\[\d+\]/g, '.[]').split('.')) shape = part === '[]' ? shape?.items : shape?.properties?.[part];
    expect([path, answer, shape === undefined]).toEqual([path, answer, false]);
  }
});

test('every page that the README and CONTRIBUTING lead to is there', () => {
  const links = ['README.md', 'CONTRIBUTING.md'].flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/(?<!!\[[^\]]*)\]\(([^)#:]+)(?:#[\w-]+)?\)/g)].map(([, to]) => to!),
  );
  expect(links.length).toBeGreaterThan(15);
  expect(links.filter((to) => !existsSync(to) && !to.startsWith('docs/pictures/'))).toEqual([]);
});

test('the README leads to every page of docs/', () => {
  expect(globSync('docs/*.md').filter((page) => !readme.includes(`](${page})`))).toEqual([]);
});

test('the README stays short', () => {
  expect(readme.split('\n').length).toBeLessThan(125);
});
