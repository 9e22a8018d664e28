/** Subjects as the operation shows them that reads one. */
import type { Listing } from '../../domain/audit/changes.ts';
import type { Tx } from '../../db/kernel/tx.ts';
import type { Endpoint } from './endpoint.ts';
import type { Subject, Viewed } from './subject.ts';

/** A resource as an operation without a query shows it. */
export const shownBy = (
  get: Endpoint,
  { type, idField, lock, ...listing }: Pick<Subject, 'type' | 'lock'> & { readonly idField?: string } & Listing,
): Subject => ({
  type,
  idField: idField ?? null,
  listing,
  data: get.data ?? null,
  ...(lock && { lock }),
  read: (tx, id, viewed) => readBy(get, idField === undefined ? {} : { [idField]: id }, {}, tx, viewed),
});

/** The data that a GET operation answers with, from its own handler. */
async function readBy(
  get: Endpoint,
  params: Readonly<Record<string, string>>,
  query: object,
  tx: Tx,
  { caller, deps }: Viewed,
): Promise<object | null> {
  const run = get.run as (call: object) => Promise<object>;
  const outside = <T>(act: () => Promise<T>): Promise<T> => act();
  return run({
    ...caller,
    params,
    query,
    body: undefined,
    file: null,
    deps,
    tx,
    setHeader: () => {},
    setStatus: () => {},
    header: () => '',
    outside,
  });
}
