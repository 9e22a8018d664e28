/** What was sent, as a part of a preview: two requests never look alike to the person who decides. */
import type { SentRequest } from '../../domain/approvals/rules.ts';
import type { Endpoint } from '../declare/endpoint.ts';
import type { Request } from '../declare/request.ts';
import { isBulk } from '../declare/subject.ts';

/** Characters of a value, and of all values: beyond, they are in the digest alone, and the request itself shows them. */
const MAX_VALUE = 200;
const MAX_LENGTH = 2000;

/** The names of fields whose values no preview shows. */
function hiddenOf({ target, unshown = [] }: Pick<Endpoint, 'target' | 'unshown'>): ReadonlySet<string> {
  const listing = target && (isBulk(target) ? target.each.listing : target.listing);
  return new Set([...unshown, ...(listing?.hidden ?? [])]);
}

function holds(value: unknown, hidden: ReadonlySet<string>): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, inner]) => hidden.has(name) || holds(inner, hidden));
}

/** Secrets, free texts about people and what is long are named, not shown. The digest is that of the request under its key. */
export function sentRequest({ endpoint, input, operation }: Request): SentRequest {
  const hidden = hiddenOf(endpoint);
  let left = MAX_LENGTH;
  const unshown: string[] = [];
  const shown = (values: unknown): Readonly<Record<string, unknown>> =>
    Object.fromEntries(
      Object.entries(values ?? {}).filter(([name, value]) => {
        const { length } = JSON.stringify(value) ?? '';
        const fits = !hidden.has(name) && !holds(value, hidden) && length <= MAX_VALUE && length + name.length <= left;
        if (fits) left -= length + name.length;
        else unshown.push(name);
        return fits;
      }),
    );
  const [params, query, body] = [shown(input.params), shown(input.query), shown(input.body)];
  return { params, query, body, unshown, digest: operation.fingerprint };
}
