/** Uploads at their addresses: unguessable, never changed, never anything but an image. */
import { Router } from '@koa/router';
import { IMAGE_TYPES, UPLOAD_PATH } from '../../domain/uploads/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { ApiDeps } from '../declare/deps.ts';
import { countForStore } from '../web/inFlight.ts';
import { sendFile } from '../web/sending.ts';

const TYPES = new Map<string, string>(Object.entries(IMAGE_TYPES).map(([type, extension]) => [extension, type]));

export function uploadRoutes({ storage }: ApiDeps): Router {
  const router = new Router({ sensitive: true });
  router.get('/uploads/:storeId/:name', async (ctx) => {
    const [, key] = UPLOAD_PATH.exec(ctx.path) ?? [];
    const file = key === undefined ? null : await storage.find(key);
    if (key === undefined || file === null) throw new Fault('NOT_FOUND');
    countForStore(ctx, ctx.params['storeId']!, null);
    // Shops on other origins show them.
    ctx.set({ 'Cache-Control': 'public, max-age=31536000, immutable', 'Cross-Origin-Resource-Policy': 'cross-origin' });
    ctx.type = TYPES.get(key.slice(key.lastIndexOf('.') + 1)) ?? 'application/octet-stream';
    await sendFile(ctx, file);
  });
  return router;
}
