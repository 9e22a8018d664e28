/** Nothing is spliced into SQL: values are parameters, and pieces of text are fragments (db/kernel/sql.ts). */
import { expect, test } from '@jest/globals';
import { parseSync } from '@swc/core';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allOf, fragment, identifier, joined, literal, statement } from '../../../db/kernel/sql.ts';

const root = join(import.meta.dirname, '../../..');
/** Migrations are DDL of our own words, which takes no parameters. */
const SOURCES = globSync('{api,activities,bin,db,domain,worker,workflows}/**/*.ts', { cwd: root, exclude: ['db/migrations/**'] });
/**
 * They hand on a text that another names: the tag itself, MikroORM's statements, partitions, whose texts stand beside it, and main files.
 */
const CARRIERS = new Set(['db/kernel/sql.ts', 'db/kernel/parameters.ts', 'db/kernel/partitions.ts', 'api/main.ts', 'worker/main.ts']);

/** Upper case, as we write it, or lower case where a sentence would not have it. */
const SQL =
  /\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|WHERE|ORDER BY|RETURNING|VALUES|GRANT|ALTER|CREATE|DROP|JOIN|LIMIT)\b|\b(?:select .* from|insert into|delete from|update \w+ set)\b/;

interface Node {
  readonly type?: string;
  readonly [key: string]: unknown;
}
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;
const textOf = (template: Node): string => (template['quasis'] as { raw: string }[]).map(({ raw }) => raw).join(' ');
const isSpliced = (node: Node): boolean => node.type === 'TemplateLiteral' && ((node['expressions'] ?? []) as unknown[]).length > 0;
const isStatement = (node: Node): boolean => node.type === 'CallExpression' && (node['callee'] as { value?: string }).value === 'statement';
const isConstant = (node: Node): boolean =>
  isStatement(node) ||
  node.type === 'StringLiteral' ||
  node.type === 'TaggedTemplateExpression' ||
  (node.type === 'TemplateLiteral' && !isSpliced(node));

/** What a node puts together from strings: a template with values, a sum, a call with a text of elsewhere. */
function spliceOf(node: Node, parent: Node | null, isCarrier: boolean): string | undefined {
  if (isSpliced(node)) return parent?.type === 'TaggedTemplateExpression' ? undefined : [textOf(node)].find((text) => SQL.test(text));
  if (node.type === 'BinaryExpression' && node['operator'] === '+') return sidesOf(node).find((text) => SQL.test(text));
  if (node.type === 'NewExpression' && !isCarrier) return (node['callee'] as Node)['value'] === 'Fragment' ? 'new Fragment' : undefined;
  return node.type === 'CallExpression' && !isCarrier ? foreignTextOf(node) : undefined;
}
const TAKERS = new Set(['query', 'execute', 'raw']);
const sidesOf = (sum: Node): string[] =>
  ([sum['left'], sum['right']] as Node[]).map((side) => (side.type === 'StringLiteral' ? String(side['value']) : ''));
function foreignTextOf(node: Node): string | undefined {
  const callee = node['callee'] as Node;
  const property = (callee['property'] as { value?: string } | undefined)?.value;
  const method = callee['value'] === 'raw' ? 'raw' : property;
  const [first] = node['arguments'] as { expression: Node }[];
  return TAKERS.has(method ?? '') && first && !isConstant(first.expression) ? `${method}(…)` : undefined;
}

/** The statements of a source that are put together from strings. */
function splices(source: string, isCarrier = false): string[] {
  const found: string[] = [];
  const visit = (node: unknown, parent: Node | null): void => {
    if (Array.isArray(node)) return node.forEach((child) => visit(child, parent));
    if (!isNode(node)) return;
    const splice = spliceOf(node, parent, isCarrier);
    if (splice !== undefined) found.push(splice);
    for (const child of Object.values(node)) visit(child, node);
  };
  visit(parseSync(source, { syntax: 'typescript' }), null);
  return found;
}

test('no source splices a string into SQL', () => {
  expect(SOURCES.length).toBeGreaterThan(300);
  const found = SOURCES.flatMap((path) => {
    const source = readFileSync(join(root, path), 'utf8');
    return splices(source, CARRIERS.has(path)).map((text) => `${path}: ${text}`);
  });
  expect(found).toEqual([]);
});

test.each([
  ['a template', 'const text = `SELECT * FROM ${table}`;'],
  ['a sum', 'const text = "SELECT 1 FROM " + table;'],
  ['a text of elsewhere', 'await client.query(text);'],
  ['a fragment that is made by hand', 'new Fragment([text], []);'],
  ['a raw condition', 'raw(`exists (select 1 from item where ${alias}.id = ?)`, [id]);'],
  ['a list of columns', 'await em.execute(`SELECT ${columns.join()} FROM x`);'],
])('%s is found', (_, source) => expect(splices(source)).not.toEqual([]));

test.each([
  ['a constant', "await client.query('SELECT $1', [value]);"],
  ['a tagged template', 'await sql`SELECT ${value}`;'],
  ['another text', 'const text = `${name} says hello`;'],
])('%s is none', (_, source) => expect(splices(source)).toEqual([]));

test('fragments number their values where they stand', () => {
  const where = allOf([fragment`a = ${1}`, false, fragment`b = ANY(${['x', 'y"']})`]);
  expect(statement`SELECT ${joined([identifier('a"b'), literal("it's")])} FROM t WHERE ${where} AND c = ${null}`).toEqual({
    text: `SELECT "a""b", 'it''s' FROM t WHERE a = $1 AND b = ANY($2) AND c = $3`,
    values: [1, String.raw`{"x","y\""}`, null],
  });
});

test('a fragment of constant pieces is one text, and values stay where they stand at any depth', () => {
  const constant = fragment`(${joined([identifier('a'), fragment`b ? ${literal('c')}`])})`;
  expect(constant).toEqual({ strings: [`("a", b ? 'c')`], values: [] });
  const deep = fragment`x = ${1} AND ${fragment`y IN ${fragment`(${2}, ${constant})`}`} OR ${allOf([])}z = ${3}`;
  expect(statement`${deep}${constant} LIMIT ${4}`).toEqual({
    text: `x = $1 AND y IN ($2, ("a", b ? 'c')) OR z = $3("a", b ? 'c') LIMIT $4`,
    values: [1, 2, 3, 4],
  });
});
