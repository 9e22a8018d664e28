import { type FeedEvent, listEvents } from '../../db/webhooks/events.ts';
import { EVENT_TYPES, HISTORY_MS } from '../../domain/webhooks/rules.ts';
import { cursorQuery, readCursor, writeCursor } from '../declare/cursor.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, Id, nullable, oneOf, Type } from '../declare/schema.ts';

const NUMBERS = 'e';
const Event = closed(
  {
    id: Id,
    type: oneOf(EVENT_TYPES),
    createdAt: Type.String({ format: 'date-time', description: 'UTC' }),
    storeId: Id,
    data: Type.Object({}, { description: 'As /openapi/events.json says for the type' }),
  },
  { title: 'Event' },
);

export const list = endpoint({
  id: 'events.list',
  route: 'GET /v1/events',
  summary: 'Read the events of the last 30 days in the order of commits: what webhooks send, sent or not',
  access: 'store',
  scopes: ['webhook:r'],
  change: 'none',
  query: Type.Object({
    cursor: cursorQuery(NUMBERS),
    size: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
    type: Type.Optional(oneOf(EVENT_TYPES)),
  }),
  data: closed({ items: Type.Array(Event), nextCursor: nullable(Type.String()), lastCursor: nullable(Type.String()) }),
}).handle(async ({ tx, query, at }) => {
  const after = readCursor(query.cursor, [NUMBERS])?.at ?? 0;
  const types = query.type === undefined ? [] : [query.type];
  const found = await listEvents(tx, { after, since: at - HISTORY_MS, types, size: query.size + 1 });
  const shown = found.slice(0, query.size);
  const last = shown.at(-1);
  const lastCursor = last ? writeCursor({ order: NUMBERS, at: last.no, id: '' }) : (query.cursor ?? null);
  return { items: shown.map(viewEvent), nextCursor: found.length > shown.length ? lastCursor : null, lastCursor };
});

/** The same body that webhook receivers get. */
const viewEvent = ({ body }: FeedEvent) =>
  JSON.parse(body) as { id: string; type: (typeof EVENT_TYPES)[number]; createdAt: string; storeId: string; data: object };
