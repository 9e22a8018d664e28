import type { Claim as Row } from '../../db/claims/entities.ts';
import { listClaims } from '../../db/claims/queries.ts';
import { viewListedClaims } from '../../db/claims/views.ts';
import { CLAIM_STATUSES, CLAIM_TYPES } from '../../domain/claims/rules.ts';
import { fitted } from '../declare/shortened.ts';
import { cursorQuery, feed, feedOf, readCursor } from '../declare/cursor.ts';
import { endpoint } from '../declare/endpoint.ts';
import { among, amongAll, named, read, sent } from '../declare/parameters.ts';
import { Id, paging, Type } from '../declare/schema.ts';
import { CLAIM_CUT, ListedClaim } from './schemas.ts';

/** The name of the order in cursors: newest first. */
const NEWEST = 'r';

const Query = Type.Object({
  ...paging,
  cursor: cursorQuery(NEWEST),
  status: named(amongAll(CLAIM_STATUSES), 'Statuses, separated by commas'),
  type: named(among(CLAIM_TYPES), 'CANCEL, RETURN or EXCHANGE'),
  orderId: Type.Optional(Id),
  orderItemId: Type.Optional(Id),
});

export const list = endpoint({
  id: 'claims.list',
  route: 'GET /v1/claims',
  summary: 'List claims, newest first: REQUESTED,COLLECTED wait for you, HELD,COLLECTING,REDELIVERING are on their way',
  access: 'store',
  scopes: ['claim:r'],
  change: 'none',
  isLarge: true,
  query: Query,
  data: feedOf(ListedClaim),
  errors: ['INVALID_PARAMETER'],
}).handle(async ({ tx, query }) => {
  const { status: statuses, type } = read(Query, query);
  const filter = {
    statuses,
    type,
    orderId: query.orderId,
    orderItemId: query.orderItemId,
    after: readCursor(query.cursor, [NEWEST]) ?? undefined,
  };
  const found = await listClaims(tx, { page: query.page, size: query.size, ...sent(filter) });
  const views = new Map((await viewListedClaims(tx, found.items)).map((view) => [view.claimId, view]));
  const positionOf = ({ requestedAt, claimId }: Row) => ({ order: NEWEST, at: requestedAt.getTime(), id: claimId });
  return fitted(
    feed(query, found, ({ claimId }: Row) => views.get(claimId)!, positionOf),
    query.size,
    CLAIM_CUT,
  );
});
