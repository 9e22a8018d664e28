/** What an editor of flows has to know: the types of nodes, executions and fields, and the built-in actions. */
import { EXECUTION_FORMS, fieldForm } from './actions.ts';
import { NODE_FORMS } from './nodes.ts';
import type { PlatformFields } from '../graph/forms.ts';
import { type Execution, FIELD_TYPES, type InputField, type Node, PLATFORM_ACTIONS, type PlatformAction } from '../graph/graph.ts';

type Json = Readonly<Record<string, unknown>>;
interface TypeDoc {
  readonly type: string;
  readonly label: string;
  /** A closed JSON Schema (2020-12) of the whole. */
  readonly schema: Json;
}
const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** A form with everything that documents tell of it. */
const schemaOf = (form: object): Json => ({ $schema: DIALECT, ...(documented(form) as Json) });
function documented(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(documented);
  if (typeof part !== 'object' || part === null) return part;
  const { 'x-document': more = {}, discriminator: _, ...rest } = part as Json;
  const whole = Object.entries(rest).map(([key, inner]) => [key, documented(inner)] as const);
  return { ...Object.fromEntries(whole), ...(more as Json) };
}
const typeDocs = <T extends string>(labels: Readonly<Record<T, string>>, forms: Readonly<Record<T, object>>): readonly TypeDoc[] =>
  (Object.keys(labels) as T[]).map((type) => ({ type, label: labels[type], schema: schemaOf(forms[type]) }));

const NODE_LABELS: Readonly<Record<Node['type'], string>> = {
  state: '단계',
  end: '종료',
  parallel: '병렬 시작',
  join: '병렬 합류',
  call: '하위 흐름',
  external: '외부 API 호출',
};
const EXECUTION_LABELS: Readonly<Record<Execution['type'], string>> = {
  'tracking.start': '배송 추적 시작',
  'tracking.stop': '배송 추적 중지',
  'stock.capture': '재고 차감',
  'stock.restore': '재고 복원',
  refund: '환불',
  notify: '알림',
  'fulfillment.record': '제공 기록',
  'deadline.extend': '기한 연장',
};
const ACTION_LABELS: Readonly<Record<PlatformAction, string>> = {
  confirm: '주문 확인',
  dispatch: '발송 처리',
  delivered: '배송 완료 처리',
  fulfill: '제공 완료 처리',
  decide: '구매 확정',
  extend: '구매 확정 연장',
};
/** Who acts at the endpoint that an action is. */
export const PLATFORM_BY: Readonly<Record<PlatformAction, 'seller' | 'buyer'>> = {
  confirm: 'seller',
  dispatch: 'seller',
  delivered: 'seller',
  fulfill: 'seller',
  decide: 'buyer',
  extend: 'buyer',
};

export const NODE_TYPES = typeDocs(NODE_LABELS, NODE_FORMS);
export const EXECUTION_TYPES = typeDocs(EXECUTION_LABELS, EXECUTION_FORMS);
export const INPUT_TYPES = FIELD_TYPES.map((type) => ({ type, schema: schemaOf(fieldForm(type)) }));

export interface PlatformActionDoc {
  readonly key: PlatformAction;
  readonly by: 'seller' | 'buyer';
  readonly label: string;
  readonly input: readonly InputField[];
}
/** The fields come from orders, which flows do not know. */
export const platformActionDocs = (fields: PlatformFields): readonly PlatformActionDoc[] =>
  PLATFORM_ACTIONS.map((key) => ({ key, by: PLATFORM_BY[key], label: ACTION_LABELS[key], input: fields[key] ?? [] }));
