import { FUNCTIONS, VARIABLES } from '../../domain/flows/expressions/language.ts';
import { EXECUTION_TYPES, INPUT_TYPES, NODE_TYPES, platformActionDocs } from '../../domain/flows/form/nodeTypes.ts';
import { PLATFORM_FIELDS } from '../../domain/orders/platform.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, oneOf, Type } from '../declare/schema.ts';

const JsonSchema = Type.Object({}, { description: 'A JSON Schema (2020-12)' });
const Typed = closed({ type: Type.String(), label: Type.String(), schema: JsonSchema });

export const nodeTypes = endpoint({
  id: 'flows.nodeTypes',
  route: 'GET /v1/flow-node-types',
  summary: 'What a graph is made of: nodes, executions and input fields as JSON Schema, built-in actions, functions and variables',
  access: 'store',
  scopes: ['flow:r'],
  change: 'none',
  data: closed(
    {
      nodeTypes: Type.Array(Typed),
      executionTypes: Type.Array(Typed),
      inputTypes: Type.Array(closed({ type: Type.String(), schema: JsonSchema })),
      platformActions: Type.Array(
        closed({ key: Type.String(), by: oneOf(['seller', 'buyer']), label: Type.String(), input: Type.Array(Type.Object({})) }),
      ),
      functions: Type.Array(closed({ name: Type.String(), signature: Type.String(), description: Type.String() })),
      variables: Type.Array(closed({ name: Type.String(), type: Type.String(), description: Type.String() })),
    },
    { title: 'FlowNodeTypes' },
  ),
}).handle(async () => ({
  nodeTypes: [...NODE_TYPES],
  executionTypes: [...EXECUTION_TYPES],
  inputTypes: [...INPUT_TYPES],
  platformActions: platformActionDocs(PLATFORM_FIELDS).map((action) => ({ ...action, input: [...action.input] })),
  functions: [...FUNCTIONS],
  variables: [...VARIABLES],
}));
