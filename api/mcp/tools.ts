/** The tools of `/mcp`, the same for both generations of the protocol (G34). */
import { ErrorCode as RpcCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { Fault } from '../../domain/kernel/errors.ts';
import { newId } from '../../db/kernel/clock.ts';
import type { ApiDeps } from '../declare/deps.ts';
import { createDispatcher, type Dispatcher, type Observed } from '../pipeline/dispatch.ts';
import type { Endpoint } from '../declare/endpoint.ts';
import { asFault, failureOf, refusal } from '../web/envelope.ts';
import { closed, oneOf, Type } from '../declare/schema.ts';
import { createValidator } from '../validation/validate.ts';
import { approvalTools } from './approvals.ts';
import type { InputRequired } from './form.ts';
import { createSearch } from './search.ts';
import { CHANGES, READS, resultOf, resultOfEnvelope, type Tool, tool, type ToolContext, type ToolHints, type ToolResult } from './tool.ts';

const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);
const apiTools = (endpoints: readonly Endpoint[], dispatch: Dispatcher): readonly Tool[] => {
  const search = createSearch(endpoints);
  return [
    tool({
      name: 'api_search',
      description:
        'Finds operations of the store management API by words of their ids, paths and summaries. agentPolicy: direct, approval (a person has to approve it), conditional, denied.',
      input: closed({ query: Type.String({ maxLength: 200 }) }),
      hints: READS,
      run: ({ query }) => resultOf(search(query)),
    }),
    tool({
      name: 'api_call',
      description:
        'Calls an operation of the store management API as an agent, and answers its envelope. dryRun shows what a change would do and whether it needs an approval. A repeat with the same idempotencyKey repeats nothing.',
      input: closed({
        method: oneOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
        path: Type.String({ maxLength: 2000, description: 'With its ids: /v1/orders/ord_0352lziJk6tAaaiYATVmyK' }),
        query: Type.Optional(Type.Record(Type.String(), Type.Union([Scalar, Type.Array(Scalar)]))),
        body: Type.Optional(Type.Unknown()),
        idempotencyKey: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
        dryRun: Type.Optional(Type.Boolean()),
      }),
      hints: CHANGES,
      run: async ({ method, path, query, body, idempotencyKey, dryRun }, sender) => {
        const headers = {
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
          ...(dryRun && { 'x-svc-dry-run': '1' }),
        };
        return resultOfEnvelope(await dispatch({ method, path, query, body, headers }, sender));
      },
    }),
  ];
};

/** A tool as clients see it. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object' };
  readonly annotations: ToolHints;
}
export interface Tools {
  readonly listed: readonly ListedTool[];
  /** Refusals are results; an unknown tool and a form that is used or expired are JSON-RPC errors. */
  readonly call: (name: string, input: unknown, context: ToolContext) => Promise<ToolResult | InputRequired>;
}

export function createTools(all: readonly Endpoint[], deps: ApiDeps, observe: (observed: Observed) => void): Tools {
  const endpoints = all.filter(({ image }) => image === undefined);
  const dispatch = createDispatcher(endpoints, deps, observe);
  const tools = [...apiTools(endpoints, dispatch), ...approvalTools(dispatch, deps)].map((one) => ({
    ...one,
    validate: createValidator(one.input, 'json'),
  }));
  return {
    listed: tools.map(({ name, description, input, hints }) => ({
      name,
      description,
      inputSchema: JSON.parse(JSON.stringify(input)) as ListedTool['inputSchema'],
      annotations: hints,
    })),
    async call(name, input, context) {
      const found = tools.find((one) => one.name === name);
      if (!found) throw new McpError(RpcCode.InvalidParams, 'There is no such tool');
      try {
        const { value, fieldErrors } = found.validate(input ?? {});
        if (fieldErrors.length > 0) throw new Fault('VALIDATION_FAILED', { fieldErrors });
        return await found.run(value, context);
      } catch (error) {
        if (error instanceof McpError) throw error;
        const requestId = newId('req', deps.clock.now());
        return resultOfEnvelope(failureOf(refusal(asFault(error, deps.log, requestId)), requestId));
      }
    },
  };
}
