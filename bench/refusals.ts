/** The cost of refusing a body: for each operation the worst one of 256 kB, compared with parsing it. */
import { endpoints } from '../api/endpoints.ts';
import { parseJson } from '../api/web/body.ts';
import type { Endpoint } from '../api/declare/endpoint.ts';
import { refusal } from '../api/web/envelope.ts';
import { createValidator } from '../api/validation/validate.ts';
import { Fault, type FieldError } from '../domain/kernel/errors.ts';
import { percentile } from './measure.ts';
import type { Shape } from '../api/validation/sizes.ts';

const SIZE = 256 * 1024;
const ROUNDS = 11;

/** `head`, as many units as fit (at most `max`), `tail`. */
function fill(head: string, unit: (i: number) => string, tail: string, max = Number.POSITIVE_INFINITY): string {
  const units: string[] = [];
  let size = head.length + tail.length;
  for (let i = 0; i < max; i++) {
    const next = unit(i);
    size += Buffer.byteLength(next) + 1;
    if (size > SIZE) break;
    units.push(next);
  }
  return head + units.join(',') + tail;
}
const half = SIZE / 2;

/** Bodies that are bad for every operation. */
const ANYWHERE: Readonly<Record<string, string>> = {
  'brackets in brackets': `{"zz":${'['.repeat(half - 4)}${']'.repeat(half - 4)}}`,
  'objects in objects': `${'{"a":'.repeat(SIZE / 6 - 1)}1${'}'.repeat(SIZE / 6 - 1)}`,
  'unknown fields': fill('{', (i) => `"${i.toString(36)}":1`, '}'),
  'one field again and again': fill('{', () => '"a":1', '}'),
  'a name of 256 kB': `{"${'k'.repeat(SIZE - 6)}":1}`,
  'names of control characters': fill('{', (i) => `"\\u0001${i}":1`, '}'),
  'control characters in a list': fill('{"zz":[', () => '"\\u0001"', ']}'),
  'empty lists in a list': fill('{"zz":[', () => '[]', ']}'),
  'empty objects in a list': fill('{"zz":[', () => '{}', ']}'),
  'objects of an object': fill('{"zz":[', () => '{"a":{}}', ']}'),
  'numbers without end': fill('{"zz":[', () => '1e999', ']}'),
  'a number of 256 kB': `{"zz":${'9'.repeat(SIZE - 7)}}`,
};

const branch = (shape: Shape): Shape => shape.anyOf?.find(({ type }) => type !== 'null') ?? shape;

/** A value of the right type and size that is refused all the same: the most expensive kind to validate. */
function nearly(shape: Shape): string {
  const { type, items, maxItems = 100, maxLength = 40, properties = {}, patternProperties, maxProperties = 20 } = branch(shape);
  if (branch(shape).enum) return '"X"';
  if (type === 'integer') return '-2147483649';
  if (type === 'boolean') return 'true';
  if (type === 'array') return fill('[', () => nearly(items!), ']', maxItems);
  if (type !== 'object') return JSON.stringify(textOf(branch(shape), maxLength));
  const any = Object.values(patternProperties ?? {})[0];
  const fields = any ? Array.from({ length: maxProperties }, (_, i) => [`a${i}`, any] as const) : Object.entries(properties);
  return fill('{', (i) => `"${fields[i]![0]}":${nearly(fields[i]![1])}`, '}', fields.length);
}
/** A text that makes the matching of a pattern or format backtrack. */
function textOf({ format }: Shape, length: number): string {
  if (format === 'email') return `${'a.'.repeat(length / 4)}a@${'a-'.repeat(length / 4)}`.slice(0, length);
  if (format === 'uri') return `http://${'a:'.repeat(length)}`.slice(0, length);
  if (format === 'date-time') return '2026-01-01T'.padEnd(length, 't');
  return ' '.repeat(length);
}

/** For every list, text and object of a schema: too many items, too long a text, unknown fields. */
function* within(shape: Shape, head: string, tail: string, path: string): Generator<readonly [string, string]> {
  const { type, items, properties = {} } = branch(shape);
  if (type === 'string') yield [`a text of 256 kB`, `${head}"${'a'.repeat(SIZE - head.length - tail.length - 2)}"${tail}`];
  if (type === 'array') {
    for (const unit of ['1', '{}', '""', '[]']) yield [`a list of ${unit}`, fill(`${head}[`, () => unit, `]${tail}`)];
    yield* within(items!, `${head}[`, `]${tail}`, `${path}[]`);
  }
  if (type === 'object') {
    if (path !== '') yield ['unknown fields below', fill(`${head}{`, (i) => `"${i.toString(36)}":1`, `}${tail}`)];
    for (const [name, field] of Object.entries(properties)) yield* within(field, `${head}{"${name}":`, `}${tail}`, `${path}.${name}`);
  }
}

function refuse(endpoint: Endpoint, validate: ReturnType<typeof createValidator>, bytes: Uint8Array): number {
  return JSON.stringify(refusal(new Fault('VALIDATION_FAILED', { fieldErrors: problems(endpoint, validate, bytes) }))).length;
}
function problems(endpoint: Endpoint, validate: ReturnType<typeof createValidator>, bytes: Uint8Array): readonly FieldError[] {
  const sent = parsed(bytes);
  if (sent instanceof Fault) return sent.extra.fieldErrors!;
  const { fieldErrors, fitting } = validate(sent);
  // Screening a receiver's address is a DNS query, not processor time.
  const deps = { config: { publicUrl: 'http://localhost' }, egress: { screen: () => null } };
  const more = endpoint.check && fitting ? endpoint.check(fitting, deps as never, { at: 0 } as never) : [];
  return Array.isArray(more) ? [...fieldErrors, ...(more as FieldError[])] : fieldErrors;
}
function parsed(bytes: Uint8Array): unknown {
  try {
    return parseJson(bytes);
  } catch (error) {
    return error;
  }
}

/** Processor milliseconds: the median of several rounds, so that a garbage collection does not count for one body alone. */
function cost(work: () => void): number {
  work();
  const times = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return percentile(times, 0.5);
}

/** Prints, for each kind of body, the operation where the refusal is most expensive. */
export function refusals(print: (text: string) => void): number {
  const worst = new Map<string, { id: string; parse: number; refuse: number; answer: number }>();
  for (const endpoint of endpoints.filter(({ body, maxFileBytes }) => body && maxFileBytes === undefined)) {
    const validate = createValidator(endpoint.body!, 'json');
    const shape = endpoint.body as Shape;
    const bodies = [...Object.entries(ANYWHERE), ...within(shape, '', '', ''), ['everything nearly right', nearly(shape)] as const];
    for (const [kind, text] of bodies) {
      const bytes = Buffer.from(text);
      let answer = 0;
      const row = {
        id: endpoint.id,
        parse: cost(() => void JSON.parse(new TextDecoder().decode(bytes))),
        refuse: cost(() => void (answer = refuse(endpoint, validate, bytes))),
      };
      if (row.refuse > (worst.get(kind)?.refuse ?? -1)) worst.set(kind, { ...row, answer });
    }
  }
  print(`\n${'a body of 256 kB, refused'.padEnd(32)} parse alone  refuse, ms of a core  answer, bytes  worst operation`);
  for (const [kind, { id, parse, refuse: all, answer }] of worst)
    print(`${kind.padEnd(32)} ${String(parse).padStart(11)}  ${String(all).padStart(20)}  ${String(answer).padStart(13)}  ${id}`);
  return 0;
}
