/** Calls an operation as its declaration says: its example as the body, and in its path the ids of what there is. */
import type { Endpoint } from '../../../api/declare/endpoint.ts';
import { exampleOf } from '../../../api/documents/examples.ts';
import { call, type Headers_, type Reply } from '../../../bin/dev/client.ts';
import { underTest } from '../../kernel/world.ts';

/** All ids in a value by name, recursively; the first of each name. */
function idsIn(value: unknown, found: Record<string, string> = {}): Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null) return found;
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner === 'string' && name.endsWith('Id')) found[name] ??= inner;
    idsIn(inner, found);
  }
  return found;
}

/**
 * Ids come from the responses so far. Some of these records may be deleted by now, so each response with all ids of the path is tried.
 */
export async function callDeclared(
  endpoint: Endpoint,
  answered: readonly unknown[],
  headers: Headers_,
): Promise<{ readonly request: unknown; readonly reply: Reply }> {
  const [method = '', path = ''] = endpoint.route.split(' ');
  const names = [...path.matchAll(/{(\w+)}/g)].map(([, name]) => name!);
  const known = answered.map((value) => idsIn(value)).filter((ids) => names.every((name) => name in ids));
  const paths = new Set(known.map((ids) => path.replaceAll(/{(\w+)}/g, (_, name: string) => ids[name]!)));
  const { request } = exampleOf(endpoint);
  for (const address of names.length === 0 ? [path] : paths) {
    const reply = await call(underTest.api, method, address, { body: request, headers });
    if (reply.status === (endpoint.status ?? 200)) return { request, reply };
  }
  throw new Error(`${endpoint.id}: nothing of ${paths.size} answers as declared; call it in test/system/contract/examples.ts`);
}
