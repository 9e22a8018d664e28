/** What docs/operations.md says of commands, metrics, alerts, search attributes and retention is what the code has. */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { registry } from '../../../db/kernel/metrics.ts';
import { KINDS } from '../../../db/retention/kinds.ts';
import { DAY, HOUR } from '../../../domain/kernel/time.ts';
import { searchAttributes } from '../../../workflows/kernel/attributes.ts';

const page = readFileSync('docs/operations.md', 'utf8');
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const commandsIn = (text: string): string[] =>
  [...text.matchAll(/(?:`|^|\b[A-Z_]+=\d+ )npm (?:run (?:--silent )?)?([a-z]+(?::[a-z]+)*)/gm)].map(([, name]) => name!);

test('docs/operations.md names every command', () => {
  expect([...new Set(commandsIn(page))].toSorted()).toEqual(Object.keys(manifest.scripts).toSorted());
});

test('no page names a command that does not exist', () => {
  const pages = globSync('{README,CONTRIBUTING,CHANGELOG,docs/*}.md');
  expect(pages.length).toBeGreaterThan(10);
  const strays = pages.flatMap((file) =>
    commandsIn(readFileSync(file, 'utf8'))
      .filter((name) => !Object.hasOwn(manifest.scripts, name))
      .map((name) => `${file}: ${name}`),
  );
  expect(strays).toEqual([]);
});

test('the table of retention is that of the code', () => {
  const shown = [...page.matchAll(/^\| `(\w+)` *\| ([^|]+?) *\| (\d+ (?:hour|days?)|–) *\| (real|store) *\|$/gm)];
  const SHORT = new Map([
    [0, '–'],
    [HOUR, '1 hour'],
    [DAY, '1 day'],
  ]);
  const shownRetention = (ms: number) => SHORT.get(ms) ?? `${ms / DAY} days`;
  expect(shown.map(([, ...cells]) => cells)).toEqual(
    KINDS.map(({ name, what, retentionMs, clock }) => [name, what, shownRetention(retentionMs), clock]),
  );
  const { retentionMs } = KINDS.find(({ name }) => name === 'payments')!;
  expect([retentionMs > 92 * DAY, retentionMs < 119 * DAY]).toEqual([true, true]);
});

interface Metric {
  readonly name: string;
  readonly labelNames: readonly string[];
}
const metrics = (registry.getMetricsAsArray() as unknown as readonly Metric[]).filter(({ name }) => name.startsWith('sangjeom_'));

test('the table of metrics has every metric of ours with its labels', () => {
  const shown = [...page.matchAll(/^\| `(sangjeom_\w+)` \|([^|]*)\| (?:API|worker) \|/gm)].map(([, name, labels]) =>
    [name, ...[...labels!.matchAll(/`(\w+)`/g)].map(([, label]) => label)].join(' '),
  );
  expect(shown.toSorted()).toEqual(metrics.map(({ name, labelNames }) => [name, ...labelNames].join(' ')).toSorted());
});

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
}
const rules = (parse(readFileSync('ops/alerts.yml', 'utf8')) as Rules).groups.flatMap((group) => group.rules);

test('the table of alerts has every rule, and rules ask for metrics that there are', () => {
  const shown = [...page.slice(page.indexOf('### Alerts')).matchAll(/^\| `([A-Z][A-Za-z]+)` \|/gm)].map(([, name]) => name);
  expect(shown).toEqual(expect.arrayContaining(rules.map(({ alert }) => alert)));
  expect(rules.length).toBeGreaterThan(10);
  const known = new Set(metrics.map(({ name }) => name));
  const used = rules.flatMap(({ expr }) => [...expr.matchAll(/\bsangjeom_\w+/g)].map(([name]) => name.replace(/_bucket$/, '')));
  expect(used.filter((name) => !known.has(name))).toEqual([]);
});

test('the table of search attributes is that of the code', () => {
  const shown = [...page.matchAll(/^\| `(\w+)` \| (Keyword|Datetime) \|/gm)].map(([, name, type]) => [name, type!.toUpperCase()]);
  expect(shown).toEqual(searchAttributes.map(({ name, type }) => [name, type]));
});

test('log lines that the runbook quotes are written by the code', () => {
  const runbook = page.slice(page.indexOf('## Runbook'), page.indexOf('## Migrations'));
  const quoted = [...runbook.matchAll(/`([a-zA-Z][a-z]+(?: [\w-]+){2,})`/g)]
    .map(([, line]) => line!)
    .filter((line) => !line.startsWith('npm '));
  const code = globSync('{api,db,worker,activities}/**/*.ts')
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  expect(quoted.length).toBeGreaterThan(8);
  expect(quoted.filter((line) => !code.includes(line) && !isAboutRoles(line))).toEqual([]);
});
/** Put together of a variable, a role and a reason. */
const isAboutRoles = (line: string): boolean => line === 'must log in as sangjeom_app';
