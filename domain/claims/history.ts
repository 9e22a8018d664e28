/** The history of a claim in words, as sellers and buyers read it. */
import type { ClaimCommandName } from './machine.ts';
import type { ClaimType } from './rules.ts';

const TYPES: Readonly<Record<ClaimType, string>> = { CANCEL: '취소', RETURN: '반품', EXCHANGE: '교환' };
const LINES: Readonly<Record<'request' | ClaimCommandName, string>> = {
  request: '신청',
  approve: '승인 및 환불',
  reject: '거부',
  collect: '수거 접수',
  completeCollection: '수거 완료',
  redeliver: '상품 발송',
  completeExchange: '완료',
  hold: '보류',
  release: '보류 해제',
  withdraw: '신청 철회',
};

/** `반품 신청 2개`, `보류 해제 (자동)`. */
export function historyLine(
  { type, quantity }: { readonly type: ClaimType; readonly quantity: number },
  name: 'request' | ClaimCommandName,
  by: 'BUYER' | 'SELLER' | 'SYSTEM',
): string {
  const line = `${TYPES[type]} ${LINES[name]}`;
  if (name === 'request') return `${line} ${quantity}개`;
  return by === 'SYSTEM' ? `${line} (자동)` : line;
}
