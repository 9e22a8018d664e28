/**
 * The form of a graph: JSON types, missing and unknown fields, types of nodes, triggers, executions and fields, patterns of ids.
 * Values, references and the whole are judged by `checkGraph`, so that a draft may be saved broken. Its lists are bounded a little beyond
 * what may be published, its texts where nothing else bounds them.
 */
import { Type } from 'typebox';
import { ActionForm, EdgeForm } from './actions.ts';
import { NodeForm } from './nodes.ts';
import { checked, closed, listOf, Reference } from './parts.ts';
import type { Graph } from '../graph/graph.ts';

/** Most nodes, edges and branches of a graph, and bytes of its JSON text. */
export const MAX_NODES = 200;
export const MAX_EDGES = 600;
export const MAX_BRANCHES = 10;
export const MAX_BYTES = 128 * 1024;

const Day = Type.String({ maxLength: 20, 'x-document': { pattern: '^[0-9]{2}-[0-9]{2}$' } });
/** A row of steps or of ranges: both fields of one kind, none of the other. A table has rows of one kind. */
const Row = Type.Object(
  { days: Type.Optional(Type.Number()), value: Type.Optional(Type.Number()), from: Type.Optional(Day), to: Type.Optional(Day) },
  {
    additionalProperties: false,
    maxProperties: 2,
    dependentRequired: { days: ['value'], value: ['days'], from: ['to'], to: ['from'] },
  },
);
const TableName = Type.String({ pattern: '^[!-~]{1,100}$', 'x-document': { pattern: '^[A-Za-z][A-Za-z0-9_]{0,39}$' } });

/** A value of this form may still have any status, setting or reference: only a graph that `checkGraph` lets pass is one to run. */
export const GraphForm = Type.Unsafe<Graph>(
  closed({
    schema: Type.Literal(1),
    start: Reference,
    requires: Type.Optional(
      closed({
        progression: Type.Optional(checked(['ITEM', 'ORDER_GROUP'])),
        groupClaim: Type.Optional(checked(['PAUSE', 'CONTINUE'])),
      }),
    ),
    tables: Type.Optional(Type.Record(TableName, listOf(Row, 200), { additionalProperties: false, maxProperties: 100 })),
    states: listOf(NodeForm, 1000),
    actions: listOf(ActionForm, 500),
    edges: listOf(EdgeForm, 3000),
  }),
);
