/** The API reference at /docs: Swagger UI from its package with both documents; it loads nothing from other servers. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Router } from '@koa/router';
import type { Middleware } from 'koa';
import { html } from '../web/html.ts';

const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui-standalone-preset.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};
const START = `SwaggerUIBundle({
  dom_id: '#reference', layout: 'StandaloneLayout', deepLinking: true, filter: true, validatorUrl: null, docExpansion: 'list',
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  urls: [{ url: '/openapi/store.json', name: 'Store management' }, { url: '/openapi/storefront.json', name: 'Storefront' }],
});`;

const page = () =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Sangjeom API</title>
        <link rel="icon" href="/docs/favicon-32x32.png" />
        <link rel="stylesheet" href="/docs/swagger-ui.css" />
      </head>
      <body>
        <noscript>
          <h1>Sangjeom API</h1>
          <ul>
            <li>Store management: <a href="/openapi/store.json">JSON</a>, <a href="/openapi/store.yaml">YAML</a></li>
            <li>Storefront: <a href="/openapi/storefront.json">JSON</a>, <a href="/openapi/storefront.yaml">YAML</a></li>
          </ul>
        </noscript>
        <div id="reference"></div>
        <script src="/docs/swagger-ui-bundle.js"></script>
        <script src="/docs/swagger-ui-standalone-preset.js"></script>
        <script src="/docs/start.js"></script>
      </body>
    </html>`;

/** The page and its files, read once per process on first use. */
export function docsRoutes(limit: Middleware): Router {
  const router = new Router({ sensitive: true });
  router.use(limit);
  const files = new Map<string, Buffer>([['start.js', Buffer.from(START)]]);
  router.get('/docs', (ctx) => {
    ctx.type = 'text/html; charset=utf-8';
    // Swagger UI sets styles on its own elements and draws its icons from data addresses.
    ctx.set(
      'Content-Security-Policy',
      "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
        "base-uri 'none'; frame-ancestors 'none'",
    );
    ctx.body = page().text;
  });
  for (const [name, type] of Object.entries({ ...ASSETS, 'start.js': 'text/javascript; charset=utf-8' }))
    router.get(`/docs/${name}`, async (ctx) => {
      if (!files.has(name)) {
        // Its module runs the whole of Swagger UI when it is loaded.
        const { absolutePath } = await import('swagger-ui-dist');
        files.set(name, readFileSync(join(absolutePath(), name)));
      }
      ctx.type = type;
      ctx.set('Cache-Control', 'public, max-age=86400');
      ctx.body = files.get(name);
    });
  return router;
}
