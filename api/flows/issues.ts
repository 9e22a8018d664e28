import { closed, nullable, Type } from '../declare/schema.ts';

const Text = nullable(Type.String());
const Issue = closed(
  {
    code: Type.String(),
    message: Type.String(),
    nodeId: Text,
    edgeId: Text,
    actionKey: Text,
    field: nullable(Type.String({ description: 'Such as permissions.buyerCancel.deduct' })),
    range: nullable(closed({ start: Type.Integer(), end: Type.Integer() }, { description: 'Of an expression: offsets in its text' })),
  },
  { title: 'FlowIssue' },
);
export const Check = closed(
  {
    publishable: Type.Boolean(),
    blocking: Type.Array(Issue, { description: 'The first 200' }),
    warnings: Type.Array(Issue, { description: 'They block nothing' }),
  },
  { title: 'FlowCheck' },
);
