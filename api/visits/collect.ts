import { consumeUse } from '../../db/limits/commands.ts';
import { readStore } from '../../db/stores/queries.ts';
import { type NewEvent, recordVisit } from '../../db/visits/record.ts';
import type { FieldError } from '../../domain/kernel/errors.ts';
import {
  BATCH_EVENTS,
  cut,
  isOrigin,
  PAGE_EVENTS,
  PATH_LENGTH,
  SOURCE_LENGTH,
  sourceOf,
  VISITOR_LIMIT,
} from '../../domain/visits/rules.ts';
import { endpoint } from '../declare/endpoint.ts';
import { limitKey, refuseUntil } from '../web/limits.ts';
import { closed, Count, Id, oneOf, type Static, Type, type Fitting } from '../declare/schema.ts';
import { VISIT, visitOf, visitProblems } from './visit.ts';

const Utm = Type.String({ minLength: 1, maxLength: 100 });
const PageEvent = closed(
  {
    type: oneOf(PAGE_EVENTS),
    path: Type.String({
      minLength: 1,
      maxLength: 2000,
      pattern: '^/',
      description: `Of the page, without scheme and host; its first ${PATH_LENGTH} characters are kept`,
    }),
    productId: Type.Optional(Id),
    referrer: Type.Optional(Type.String({ format: 'uri', maxLength: 2000 })),
    utmSource: Type.Optional(Utm),
    utmMedium: Type.Optional(Utm),
    utmCampaign: Type.Optional(Utm),
  },
  { title: 'PageEvent' },
);
const VisitEvents = closed({ events: Type.Array(PageEvent, { minItems: 1, maxItems: BATCH_EVENTS }) }, { title: 'VisitEvents' });

/** A view of a product names it. */
const missingProducts = ({ events = [] }: Fitting<Static<typeof VisitEvents>>): FieldError[] =>
  events.flatMap((event, i) =>
    event?.type === 'PRODUCT_VIEW' && !('productId' in event)
      ? [{ field: `events[${i}].productId`, code: 'REQUIRED', message: 'Which product?' }]
      : [],
  );

export const collect = endpoint({
  id: 'visits.collect',
  route: 'POST /storefront/v1/events',
  summary: 'Report what a visitor looked at; at most 120 events of one visitor in 60 seconds',
  access: 'storefront',
  crossOrigin: true,
  headers: VISIT,
  checkHeaders: visitProblems,
  change: 'here',
  side: 'VISITS',
  body: VisitEvents,
  check: missingProducts,
  data: closed({ accepted: Count }, { title: 'VisitEventsAccepted' }),
  errors: ['ORIGIN_NOT_ALLOWED'],
}).handle(async (call) => {
  const { tx, storeId, realNow, body, header } = call;
  const visit = visitOf(header)!;
  const { analyticsAllowedOrigins } = await readStore(tx);
  const uses = body.events.length;
  const freeAt = await consumeUse(tx, [{ key: limitKey(call, 'visits', storeId, visit.visitorId!), uses, ...VISITOR_LIMIT }]);
  refuseUntil('visits', freeAt, realNow);
  const page = header('origin');
  const own = [...analyticsAllowedOrigins, ...(isOrigin(page) ? [page] : [])];
  const reporter = {
    visitor: limitKey(call, 'visits-a-day', storeId, visit.visitorId!).toString('base64url'),
    address: limitKey(call, 'visits-of-address', storeId, call.clientAddress).toString('base64url'),
  };
  const events = body.events.map((event) => newEvent(event, own));
  return { accepted: await recordVisit(tx, visit, events, { reporter }) };
});

/** A view of a page is of no product, whatever it names. */
const newEvent = (event: Static<typeof PageEvent>, own: readonly string[]): NewEvent => ({
  ...event,
  path: cut(event.path, PATH_LENGTH),
  referrer: event.referrer && cut(event.referrer, SOURCE_LENGTH),
  productId: event.type === 'PRODUCT_VIEW' ? event.productId : undefined,
  from: sourceOf(event, own),
});
