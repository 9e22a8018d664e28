/** The deployment files, as far as they can be judged without a container engine. */
import { describe, expect, test } from '@jest/globals';
import { Ajv2019 } from 'ajv/dist/2019.js';
import addFormats from 'ajv-formats';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { root } from '../../bin/setup/paths.ts';
import { underTest } from '../kernel/world.ts';

interface Service {
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly healthcheck?: object;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}
const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
const compose = parse(text, { merge: true }) as { services: Record<string, Service> };

describe('docker-compose.yml', () => {
  test('fits the compose specification', () => {
    // As compose-go 2.16.2 ships it (github.com/compose-spec/compose-go, schema/compose-spec.json).
    const schema = JSON.parse(readFileSync(join(root, 'test/contract/schemas/compose-spec.json'), 'utf8')) as { $schema?: string };
    delete schema.$schema;
    const ajv = new Ajv2019({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addFormat('duration', /^(\d+(us|ms|s|m|h))+$/);
    const validate = ajv.compile(schema);
    validate(compose);
    expect(validate.errors ?? []).toEqual([]);
  });
  test('has every part, each that serves with a health check, and starts them in their order', () => {
    const { services } = compose;
    expect(Object.keys(services).toSorted()).toEqual(
      ['api', 'migrate', 'postgres', 'temporal', 'temporal-namespace', 'temporal-schema', 'temporal-ui', 'worker'].toSorted(),
    );
    for (const name of ['postgres', 'temporal', 'api', 'worker'])
      expect([name, services[name]!.healthcheck !== undefined]).toEqual([name, true]);
    for (const name of ['api', 'worker'])
      expect(services[name]!.depends_on).toEqual({
        migrate: { condition: 'service_completed_successfully' },
        'temporal-namespace': { condition: 'service_completed_successfully' },
      });
    expect(parse(readFileSync(join(root, 'ops/temporal/dynamic-config.yaml'), 'utf8'))).toHaveProperty(['history.maxInFlightUpdates']);
  });
  test('names files that exist, and no secret has a default', () => {
    const files = Object.values(compose.services).flatMap(({ command }) => (command ?? []).filter((part) => /^\w[\w/]*\.ts$/.test(part)));
    expect(files.length).toBeGreaterThan(1);
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
    for (const secret of ['POSTGRES_PASSWORD', 'SEALING_KEYS', 'TOSS_SECRET_KEY', 'TOSS_CLIENT_KEY', 'OIDC_CLIENT_SECRET']) {
      const uses = [...text.matchAll(new RegExp(`\\$\\{${secret}([^}]*)\\}`, 'g'))].map(([, rest]) => rest!);
      expect(uses.length).toBeGreaterThan(0);
      expect(uses.every((rest) => rest.startsWith(':?'))).toBe(true);
    }
  });
});

describe('production mode', () => {
  const start = (entry: string, env: Record<string, string>) =>
    promisify(execFile)(process.execPath, [join(root, entry)], {
      env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...env },
      timeout: 20_000,
    }).catch((error: unknown) => error as { code: number; stderr: string });
  const given = { DATABASE_URL: underTest.databaseUrl, TEMPORAL_ADDRESS: underTest.temporalAddress };
  const provided = { ...given, SEALING_KEYS: underTest.env['SEALING_KEYS']!, TOSS_URL: 'https://x', TOSS_WINDOW_URL: 'https://x' };
  test.each([
    ['SEALING_KEYS', given],
    ['TOSS_URL', { ...given, SEALING_KEYS: underTest.env['SEALING_KEYS']! }],
    ['TOSS_SECRET_KEY', { ...given, SEALING_KEYS: underTest.env['SEALING_KEYS']!, TOSS_URL: 'https://x', TOSS_WINDOW_URL: 'https://x' }],
    [
      'OIDC_ISSUER',
      {
        ...given,
        SEALING_KEYS: underTest.env['SEALING_KEYS']!,
        TOSS_URL: 'https://x',
        TOSS_WINDOW_URL: 'https://x',
        TOSS_SECRET_KEY: 'live_sk_x',
        TOSS_CLIENT_KEY: 'live_ck_x',
      },
    ],
    ['TOSS_CLIENT_KEY must be of the kind of TOSS_SECRET_KEY', { ...provided, TOSS_SECRET_KEY: 'live_sk_x', TOSS_CLIENT_KEY: 'test_ck_x' }],
    [
      'TOSS_CLIENT_KEY must be of the kind of TOSS_SECRET_KEY',
      { ...provided, TOSS_SECRET_KEY: 'live_sk_x', TOSS_CLIENT_KEY: 'live_gck_x' },
    ],
    ['TOSS_SECRET_KEY must begin with', { ...provided, TOSS_SECRET_KEY: 'sk_x', TOSS_CLIENT_KEY: 'live_ck_x' }],
    ['ALLOW_LOOPBACK_WEBHOOKS', { ...given, ALLOW_LOOPBACK_WEBHOOKS: 'true' }],
  ])('does not start without its own %s', async (name, env) => {
    for (const entry of ['api/main.ts', 'worker/main.ts']) {
      const { stderr } = await start(entry, env);
      expect(stderr).toContain(name);
    }
  });
  test('migrates by the command of the job', async () => {
    expect((await start('bin/migrate.ts', given)).stderr).toContain('The database is up to date.');
  });
});
