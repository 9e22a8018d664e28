/** What a change did, or would do: what GET shows before it and after it (G14). */
import { setImmediate } from 'node:timers/promises';
import { type Change, changesInPortions, maxShown, shownOf } from '../../domain/audit/changes.ts';
import type { Target } from '../../domain/audit/targets.ts';
import { catalogue, Fault } from '../../domain/kernel/errors.ts';
import type { Tx } from '../../db/kernel/tx.ts';
import type { Endpoint } from '../declare/endpoint.ts';
import { isBulk, type Subject, type Subjects, type Viewed } from '../declare/subject.ts';

/** What a change did, or would do. */
export interface Difference {
  readonly target: Target | null;
  /** It did not exist before: its id is none that GET would know after a dry run. */
  readonly isNew: boolean;
  /** Those that are shown. */
  readonly changes: readonly Change[];
  /** All of them, as many as there are, where a decision depends on the difference; otherwise those that are shown. */
  readonly all: readonly Change[];
  /** What was there before, on which the effect depends, where a decision depends on the difference. */
  readonly context: object;
}
export const NO_DIFFERENCE: Difference = { target: null, isNew: false, changes: [], all: [], context: {} };

/** The target of what was only tried: what was not made has no id. */
export const plannedTarget = ({ target, isNew }: Difference): Target | null => (target && isNew ? { ...target, id: null } : target);

type Images = ReadonlyMap<string, object | null>;

export interface Comparison {
  /** After the work, with its answer. */
  readonly against: (answer: unknown) => Promise<Difference>;
}

/**
 * Reads what the request is about before its work. The entity manager is cleared: the work reads anew, under its locks. `locks`: locks it
 * first, where a decision depends on the difference, and for a dry run; otherwise a change of another request that commits meanwhile may be
 * listed with this one's. It is not locked for everybody: the work itself has to see what changed while it waited for the lock.
 */
export async function compare(endpoint: Endpoint, tx: Tx, viewed: Viewed, { locks = false } = {}): Promise<Comparison> {
  const { target } = endpoint;
  if (!target) return { against: () => Promise.resolve(NO_DIFFERENCE) };
  const ids = idsOf(target, viewed, null);
  const subject = subjectOf(target);
  if (locks) for (const id of ids) await subject.lock?.(tx, id);
  const before = await imagesOf(target, tx, ids, viewed);
  const context = locks ? await contextOf(endpoint, tx, before, viewed) : {};
  return {
    against: async (answer) => {
      const known = idsOf(target, viewed, answer);
      const after = isView(endpoint, subject) ? new Map([[known[0] ?? '', answer as object]]) : await imagesOf(target, tx, known, viewed);
      // What a bulk reads of many is only what it may change itself.
      const own = isBulk(target) && target.readAll ? after : await ownOf(subject, tx, before, after);
      return { ...(await differenceOf(target, known, { before, after: own, isWhole: locks }, ids.length === 0)), context };
    },
  };
}

async function contextOf({ context }: Endpoint, tx: Tx, before: Images, viewed: Viewed): Promise<object> {
  const [image = null] = before.values();
  return image && context ? context(image as Readonly<Record<string, unknown>>, { ...viewed, tx }) : {};
}

const subjectOf = (target: Subject | Subjects): Subject => (isBulk(target) ? target.each : target);
const isView = ({ data }: Endpoint, subject: Subject) => data !== undefined && data === subject.data;

/** The ids of what a request is about; of a creation, known from its answer. */
function idsOf(target: Subject | Subjects, { caller, params, body }: Viewed, answer: unknown): readonly string[] {
  // Sorted: whoever locks many locks them in one order.
  if (isBulk(target)) return [...new Set(target.ids(body as never))].toSorted();
  if (target.idField === null) return [target.id ?? caller.storeId];
  const created = (answer as Readonly<Record<string, unknown>> | null)?.[target.idField];
  const id = params[target.idField] ?? created;
  return typeof id === 'string' ? [id] : [];
}

async function imagesOf(target: Subject | Subjects, tx: Tx, ids: readonly string[], viewed: Viewed): Promise<Images> {
  await tx.em.flush();
  tx.em.clear();
  if (isBulk(target) && target.readAll) return target.readAll(tx, ids);
  const { read, isPlain = false } = subjectOf(target);
  const images = new Map<string, object | null>();
  for (const id of ids) {
    const image = await orNull(() => read(tx, id, viewed));
    images.set(id, isPlain ? image : plain(image));
  }
  tx.em.clear();
  return images;
}

async function ownOf({ ownChanges }: Subject, tx: Tx, before: Images, after: Images): Promise<Images> {
  if (!ownChanges) return after;
  const images = new Map(after);
  for (const [id, is] of after) {
    const was = before.get(id);
    if (was && is) images.set(id, await ownChanges(tx, id, was, is));
  }
  return images;
}

/** Null where the resource does not exist: its own 404 is left to the work. */
async function orNull(read: () => Promise<object | null>): Promise<object | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Fault && catalogue[error.code].status === 404) return null;
    throw error;
  }
}

/** As it is sent. */
const plain = (shown: object | null): object | null => (shown === null ? null : (JSON.parse(JSON.stringify(shown)) as object));

interface Compared {
  readonly before: Images;
  readonly after: Images;
  /** Whatever is decided depends on all changes. */
  readonly isWhole: boolean;
}
async function differenceOf(
  target: Subject | Subjects,
  ids: readonly string[],
  { before, after, isWhole }: Compared,
  isNew: boolean,
): Promise<Omit<Difference, 'context'>> {
  const { type, listing } = subjectOf(target);
  const allOf = (id: string) =>
    besideOthers(changesInPortions(before.get(id) ?? null, after.get(id) ?? null, listing, isWhole ? Infinity : maxShown(listing)));
  if (!isBulk(target)) {
    const all = ids[0] === undefined ? [] : await allOf(ids[0]);
    return { target: { type, id: ids[0] ?? null }, isNew, changes: shownOf(all, listing), all };
  }
  const each: (readonly Change[])[] = [];
  for (const id of ids) each.push((await allOf(id)).map((change) => ({ ...change, field: `${id}.${change.field}` })));
  const changes = each.flatMap((all) => shownOf(all, listing));
  return { target: { type, id: null }, isNew: false, changes, all: each.flat() };
}

/** Real milliseconds after which other requests have their turn. */
const PORTION_MS = 5;
/** The result of work that is done in portions. */
async function besideOthers<T>(portions: Generator<void, T>): Promise<T> {
  let end = performance.now() + PORTION_MS;
  for (;;) {
    const { done, value } = portions.next();
    if (done) return value;
    if (performance.now() < end) continue;
    await setImmediate();
    end = performance.now() + PORTION_MS;
  }
}
