/** Routes are found by their length and first segment, and answer as the plain router does (docs/architecture.md#endpoints). */
import { expect, test } from '@jest/globals';
import { Router } from '@koa/router';
import { aliases } from '../../../api/web/aliases.ts';
import { endpoints } from '../../../api/endpoints.ts';
import { IndexedRouter, RouteIndex } from '../../../api/web/routeIndex.ts';

const ids = (path: string): string => path.replaceAll(/{(\w+)}/g, ':$1');

test('an indexed router fits every path to the routes that the plain router fits it to', () => {
  const [indexed, plain] = [new IndexedRouter(), new Router({ sensitive: true })];
  for (const { id, route } of endpoints) {
    const [method = '', path = ''] = route.split(' ');
    for (const alias of aliases(path))
      for (const router of [indexed, plain]) router.register(ids(alias), [method], async () => {}, { name: id });
  }
  const paths = plain.stack.flatMap(({ path }) => {
    const filled = String(path).replaceAll(/:\w+/g, 'some_1');
    return [
      filled,
      `${filled}/`,
      filled.toUpperCase(),
      `${filled}/more`,
      filled.replace(/\/[^/]+$/, ''),
      `/${filled}`,
      filled.replace('/', '/%61'),
    ];
  });
  for (const path of paths)
    for (const method of ['GET', 'post', 'DELETE']) {
      const names = ({ pathAndMethod }: ReturnType<Router['match']>) => pathAndMethod.map(({ name }) => name);
      const [found, wanted] = [indexed.match(path, method), plain.match(path, method)];
      expect([path, method, found.route, names(found)]).toEqual([path, method, wanted.route, names(wanted)]);
    }
});

test('a route that begins with a parameter, or has a place for several segments, is refused: no path would find it', () => {
  for (const route of ['/v1/:anything', '/{*rest}', '/docs/{*rest}'])
    expect(() => new RouteIndex().add(route, 1)).toThrow('cannot be found');
});
