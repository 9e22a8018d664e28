import { html } from './html.ts';

/** Where the machine-readable descriptions are. */
export const docsPage = () =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>Sangjeom API</title>
      </head>
      <body>
        <h1>Sangjeom API</h1>
        <ul>
          <li>Store management: <a href="/openapi/store.json">JSON</a>, <a href="/openapi/store.yaml">YAML</a></li>
          <li>Storefront: <a href="/openapi/storefront.json">JSON</a>, <a href="/openapi/storefront.yaml">YAML</a></li>
        </ul>
      </body>
    </html>`;
