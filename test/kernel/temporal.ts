/** Workers in the process of a suite, and namespaces of their own on the server under test. */
import { randomUUID } from 'node:crypto';
import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import { temporalClient, until } from './world.ts';

let isInstalled = false;
/** The SDK's Runtime is one for a process, and suites share processes. */
export function installRuntime(): void {
  if (isInstalled) return;
  isInstalled = true;
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR' }) } },
  });
}

/** Registers a namespace; its name. What a worker takes there and never finishes is nobody else's. */
export async function newNamespace(prefix: string): Promise<string> {
  const namespace = `${prefix}-${randomUUID()}`;
  const { workflowService } = await temporalClient();
  await workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: { seconds: 86_400 as never } });
  await until('the namespace is known', () =>
    workflowService.describeNamespace({ namespace }).then(
      () => true,
      () => false,
    ),
  );
  return namespace;
}
