/** The deployment files, as far as they can be judged without a container engine. */
import { describe, expect, test } from '@jest/globals';
import { Ajv2019 } from 'ajv/dist/2019.js';
import addFormats from 'ajv-formats';
import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { memory } from '../../../bin/kernel/memory.ts';
import { root } from '../../../bin/kernel/paths.ts';
import { readConfig, readWorkerConfig } from '../../../db/kernel/config.ts';
import { underTest } from '../../kernel/world.ts';

interface Service {
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly healthcheck?: object;
  readonly ports?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}
const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
const compose = parse(text, { merge: true }) as { services: Record<string, Service> };

describe('docker-compose.yml', () => {
  test('fits the compose specification', () => {
    // As compose-go 2.16.2 ships it (github.com/compose-spec/compose-go, schema/compose-spec.json).
    const schema = JSON.parse(readFileSync(join(root, 'test/system/contract/schemas/compose-spec.json'), 'utf8')) as { $schema?: string };
    delete schema.$schema;
    const ajv = new Ajv2019({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addFormat('duration', /^(\d+(us|ms|s|m|h))+$/);
    const validate = ajv.compile(schema);
    validate(compose);
    expect(validate.errors ?? []).toEqual([]);
  });
  test('has every part, started in its order', () => {
    const { services } = compose;
    expect(Object.keys(services).toSorted()).toEqual(
      [
        'api',
        'migrate',
        'postgres',
        'temporal',
        'temporal-account',
        'temporal-namespace',
        'temporal-schema',
        'temporal-ui',
        'worker',
      ].toSorted(),
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
  test('names files that exist, and no secrets', () => {
    const files = Object.values(compose.services).flatMap(({ command }) => (command ?? []).filter((part) => /^\w[\w/]*\.ts$/.test(part)));
    expect(files.length).toBeGreaterThan(1);
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
    const passwords = ['POSTGRES_PASSWORD', 'APP_DATABASE_PASSWORD', 'RELAY_DATABASE_PASSWORD', 'TEMPORAL_DATABASE_PASSWORD'];
    for (const secret of [...passwords, 'SEALING_KEYS', 'OIDC_CLIENT_SECRET']) {
      const uses = [...text.matchAll(new RegExp(`\\$\\{${secret}([^}]*)\\}`, 'g'))].map(([, rest]) => rest!);
      expect(uses.length).toBeGreaterThan(0);
      expect(uses.every((rest) => rest.startsWith(':?'))).toBe(true);
    }
  });
  test('gives each process its own login', () => {
    const { services } = compose;
    const names = ['DATABASE_URL', 'APP_DATABASE_URL', 'RELAY_DATABASE_URL'];
    const given = (service: string) => names.filter((name) => services[service]!.environment?.[name] !== undefined);
    expect({ api: given('api'), worker: given('worker'), migrate: given('migrate') }).toEqual({
      api: ['APP_DATABASE_URL'],
      worker: ['APP_DATABASE_URL', 'RELAY_DATABASE_URL'],
      migrate: names,
    });
    const knows = (secret: string) =>
      Object.keys(services)
        .filter((name) => JSON.stringify(services[name]!.environment ?? {}).includes(secret))
        .toSorted();
    expect(knows('POSTGRES_PASSWORD')).toEqual(['migrate', 'postgres', 'temporal-account']);
    expect(knows('TEMPORAL_DATABASE_PASSWORD')).toEqual(['temporal', 'temporal-account', 'temporal-schema']);
    expect([services['temporal']!.environment!['POSTGRES_USER'], services['temporal-schema']!.environment!['SQL_USER']]).toEqual([
      'temporal',
      'temporal',
    ]);
    for (const [name, role] of [
      ['APP_DATABASE_URL', 'sangjeom_app'],
      ['RELAY_DATABASE_URL', 'sangjeom_relay'],
    ] as const)
      for (const service of ['worker', 'migrate']) expect(services[service]!.environment![name]).toMatch(`postgres://${role}:`);
  });
  test('serves metrics on no published port', () => {
    const published = Object.values(compose.services).flatMap(({ ports }) => ports ?? []);
    expect(new Set(published.map((port) => port.split(':').at(-1)))).toEqual(new Set(['3000', '8080']));
  });
});

describe('the image', () => {
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
  test('bounds memory as the commands here do', () => {
    const [, command] = /^CMD (\[.+\])$/m.exec(dockerfile) ?? [];
    expect(JSON.parse(command!)).toEqual(['node', ...memory.flags, 'api/main.ts']);
    expect(compose.services['worker']).toMatchObject({
      command: ['node', ...memory.flags, 'worker/main.ts'],
      environment: memory.workerEnvironment,
    });
  });
  test('holds all that its commands import', () => {
    const folders = new Set([...dockerfile.matchAll(/^COPY (\w+) \1$/gm)].map(([, folder]) => folder!));
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { dependencies: object };
    // What is imported as a type only is gone when it runs.
    const imports = /^\s*(?:import|export)\s(?!type\s)[^'"]*?from\s+'([^']+)'|import\('([^']+)'\)/gm;
    const seen = new Set(['api/main.ts', 'worker/main.ts', 'bin/demo.ts', ...globSync('bin/ops/*.ts', { cwd: root })]);
    const missing: string[] = [];
    for (const file of seen)
      for (const [, from, dynamic] of readFileSync(join(root, file), 'utf8').matchAll(imports)) {
        const name = (from ?? dynamic)!;
        if (name.startsWith('node:')) continue;
        const [scope, rest] = name.split('/');
        const isThere = name.startsWith('.')
          ? folders.has(join(dirname(file), name).split('/')[0]!)
          : Object.hasOwn(dependencies, scope!.startsWith('@') ? `${scope}/${rest}` : scope!);
        if (!isThere) missing.push(`${file} → ${name}`);
        if (isThere && name.startsWith('.')) seen.add(join(dirname(file), name));
      }
    expect(missing).toEqual([]);
    expect(seen.size).toBeGreaterThan(200);
  });
});

describe('production mode', () => {
  const start = (entry: string, env: Record<string, string | undefined>) =>
    promisify(execFile)(process.execPath, [join(root, entry)], {
      env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...env },
      timeout: 50_000,
    }).catch((error: unknown) => error as { code: number; stderr: string });
  const logins = { APP_DATABASE_URL: underTest.env['APP_DATABASE_URL']!, RELAY_DATABASE_URL: underTest.env['RELAY_DATABASE_URL']! };
  const given: Record<string, string | undefined> = {
    ...logins,
    TEMPORAL_ADDRESS: underTest.temporalAddress,
    SEALING_KEYS: underTest.env['SEALING_KEYS']!,
    PUBLIC_URL: 'https://api.example.com',
    CONSOLE_URL: 'https://console.example.com',
    CONSOLE_CLIENT_ID: 'console',
    CONSOLE_REDIRECT_URIS: 'https://console.example.com/callback',
    OIDC_ISSUER: 'https://login.example.com',
    OIDC_CLIENT_ID: 'x',
    OIDC_CLIENT_SECRET: 'x',
    SMTP_URL: 'smtps://x',
    MAIL_FROM: 'x@example.com',
    STORAGE_DIR: '/nowhere',
  };
  const refusals = (env: Record<string, string | undefined>, read = readConfig): string[] => {
    try {
      read({ NODE_ENV: 'production', ...env });
      return [];
    } catch (error) {
      return (error as Error).message.split('\n');
    }
  };
  test('takes what is whole', () => {
    expect([refusals(given), refusals(given, readWorkerConfig)]).toEqual([[], []]);
  });
  test.each(Object.keys(given).filter((name) => name !== 'RELAY_DATABASE_URL'))('does not start without %s, and says so', (name) => {
    expect(refusals({ ...given, [name]: undefined })).toEqual([`Set ${name}: it has no default in production.`]);
    // What only development has stands in for nothing.
    const development = { SIMULATOR_URL: 'http://127.0.0.1:1', IDP_URL: 'http://127.0.0.1:1' };
    expect(refusals({ ...given, ...development, [name]: undefined })).toHaveLength(1);
  });
  test('does not start its worker without RELAY_DATABASE_URL', () => {
    const alone = { ...given, RELAY_DATABASE_URL: undefined, DATABASE_URL: underTest.databaseUrl };
    expect([refusals(alone), refusals(alone, readWorkerConfig).length]).toEqual([[], 1]);
    expect(refusals({ ...alone, APP_DATABASE_URL: undefined })[0]).toContain('APP_DATABASE_URL');
  });
  test.each(['PUBLIC_URL', 'CONSOLE_URL', 'OIDC_ISSUER'])('does not start with a %s that is not https', (name) => {
    for (const url of ['http://api.example.com', 'http://127.0.0.1:3000', 'api.example.com', 'javascript:0'])
      expect(refusals({ ...given, [name]: url })).toEqual([`${name} must be an https address in production.`]);
  });
  test.each(['TOSS_URL', 'TOSS_SDK_URL', 'PORTONE_URL', 'PORTONE_SDK_URL'])('calls a payment provider at a %s that is https', (name) => {
    expect(refusals({ ...given, [name]: 'http://127.0.0.1:1' })).toEqual([`${name} must be an https address in production.`]);
  });
  test.each(['ALLOW_LOOPBACK_WEBHOOKS', 'FAILPOINTS', 'FAILPOINTS_ARMED', 'TOSS_WINDOW_URL', 'PORTONE_WINDOW_URL'])(
    'does not start with %s',
    (name) => {
      expect(refusals({ ...given, [name]: 'true' })).toEqual([`Unset ${name}: it is refused in production.`]);
    },
  );
  test('names everything that is wrong at once', async () => {
    const wrong = { ...given, PUBLIC_URL: undefined, CONSOLE_URL: 'http://x', SEALING_KEYS: undefined };
    for (const entry of ['api/main.ts', 'worker/main.ts']) {
      const { stderr } = await start(entry, wrong);
      for (const name of ['PUBLIC_URL', 'CONSOLE_URL', 'SEALING_KEYS']) expect(stderr).toContain(name);
    }
  });
  test('migrates by the command of the job', async () => {
    expect((await start('bin/ops/migrate.ts', { DATABASE_URL: underTest.databaseUrl })).stderr).toContain('Set APP_DATABASE_URL');
    const { stderr } = await start('bin/ops/migrate.ts', { ...logins, DATABASE_URL: underTest.databaseUrl });
    expect(stderr).toContain('The database is up to date.');
  });
});
