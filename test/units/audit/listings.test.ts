/** What each resource's changes list: everything that a user writes, whatever it is called. */
import { describe, expect, test } from '@jest/globals';
import { endpoints } from '../../../api/endpoints.ts';
import { isManaged } from '../../../api/declare/endpoint.ts';
import { isBulk, type Subject } from '../../../api/declare/subject.ts';
import { FLOW_PUBLISH } from '../../../api/flows/publishSubject.ts';
import { COMMERCE_FLOW } from '../../../api/flows/subject.ts';
import { CALENDAR, PRODUCT } from '../../../api/products/subject.ts';
import { ITEM_LISTING } from '../../../db/orders/listings.ts';
import { CLAIM_LISTING } from '../../../db/claims/views.ts';
import { changesBetween, type Listing } from '../../../domain/audit/changes.ts';

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
}
/** Of every field, as `variants[].additionalPrice`; names that users choose are `expiresAt` here, as hostile as they come. */
function pathsIn(schema: Schema | null | undefined, at = '', depth = 0): readonly string[] {
  if (!schema || depth > 12) return [];
  const inside = (name: string, one: Schema) => [`${at}${name}`, ...pathsIn(one, `${at}${name}.`, depth + 1)];
  const open = typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : [];
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, one]) => inside(name, one)),
    ...[...Object.values(schema.patternProperties ?? {}), ...open].flatMap((one) => inside('expiresAt', one)),
    ...(schema.anyOf ?? []).flatMap((one) => pathsIn(one, at, depth + 1)),
    ...(schema.items ? pathsIn(schema.items, `${at.slice(0, -1)}[].`, depth + 1) : []),
  ];
}
/** An object with this value at this path, in the first place of every list. */
function holding(path: string, value: unknown): object {
  const [name = '', ...rest] = path.split('.');
  const inner = rest.length > 0 ? holding(rest.join('.'), value) : value;
  return name.endsWith('[]') ? { [name.slice(0, -2)]: [inner] } : { [name]: inner };
}
const linesOf = (path: string, listing: Listing) => changesBetween(holding(path, 'x'), holding(path, 'y'), listing);
const nameOf = (path: string) => path.slice(path.lastIndexOf('.') + 1).replace('[]', '');
const seemsGiven = (path: string) => nameOf(path).endsWith('At') || ['version', 'flowState', 'actions'].includes(nameOf(path));

const changes = endpoints.filter((endpoint) => isManaged(endpoint) && endpoint.target);
const subjectOf = ({ target }: (typeof changes)[number]): Subject => (isBulk(target) ? target.each : (target as Subject));
const subjects = new Map(changes.map((endpoint) => [subjectOf(endpoint).listing, subjectOf(endpoint)]));

test.each([...subjects.values()])(
  'of $type every field is listed but those that are given out, by their own paths',
  ({ data, listing }) => {
    const { given = [] } = listing;
    const isGiven = (path: string) => given.some((one) => path === one || path.startsWith(`${one}.`) || path.startsWith(`${one}[]`));
    const paths = pathsIn(data);
    expect(paths.filter((path) => linesOf(path, listing).length === 0)).toEqual(paths.filter(isGiven));
    // None is left over, which would hide a field that comes later.
    expect(data ? given.filter((path) => !paths.includes(path)) : []).toEqual([]);
  },
);
test('no field that a request has is one of what is given out', () => {
  const written = changes.flatMap((endpoint) => {
    const { given = [] } = subjectOf(endpoint).listing;
    const sent = pathsIn(endpoint.body as Schema).filter(seemsGiven);
    return sent.filter((path) => given.some((one) => nameOf(one) === nameOf(path))).map((path) => [endpoint.id, path]);
  });
  expect(written).toEqual([]);
});

describe('names that users choose', () => {
  const NAMES = ['expiresAt', 'version', 'actions', 'flowState', 'flowId', 'variantId', 'inProgress', 'at'];
  test.each<[string, string, Listing]>([
    ['attributes of options', 'variants[].attributes', PRODUCT.listing],
    ['fields of a provision', 'fulfillmentSnapshot', ITEM_LISTING],
    ['nights', 'var_1.2026-11-24', CALENDAR.listing],
    ['columns and keys of a draft', 'draft.graph.tables', COMMERCE_FLOW.listing],
    ['what a graph says', 'graph', FLOW_PUBLISH.listing],
  ])('of %s are fields like any other', (_, path, listing) => {
    expect(NAMES.filter((name) => linesOf(`${path}.${name}`, listing).length !== 1)).toEqual([]);
  });
  test('of states, actions and edges too', () => {
    const names = ['state:paidAt', 'action:version', 'edge:sentAt', 'table:endsAt'].map((name) => `graph.${name}`);
    expect(names.filter((name) => linesOf(name, FLOW_PUBLISH.listing).length !== 1)).toEqual([]);
    expect(linesOf('draft.graph.actions[].label', COMMERCE_FLOW.listing)).toHaveLength(1);
  });
});
test('an end that a user sets is listed under whichever name', () => {
  const token = changes.find(({ id }) => id === 'apiTokens.create')!;
  expect([linesOf('holdExpiresAt', CLAIM_LISTING), linesOf('expiresAt', subjectOf(token).listing)].map(({ length }) => length)).toEqual([
    1, 1,
  ]);
});
