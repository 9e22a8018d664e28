/** A provider's payment window as a plain form: a test card number, one button to pay and one to cancel. */
import { DEFAULT_CARD } from './cards.ts';

const escape = (text: string) => text.replaceAll(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

/** `query`: the SDK's arguments, which the form sends on to `action`. */
export function windowPage(query: URLSearchParams, action: string, amount: string | null): string {
  const hidden = [...query]
    .filter(([name]) => name !== 'card' && name !== 'outcome')
    .map(([name, value]) => `<input type="hidden" name="${escape(name)}" value="${escape(value)}">`)
    .join('\n');
  return `<!doctype html><html lang="ko"><head><meta charset="utf-8"><title>결제 창 (시뮬레이터)</title></head><body><main>
<h1>${escape(query.get('orderName') ?? '')}</h1><p>${escape(amount ?? '')}원</p>
<form id="window" method="get" action="${action}">
${hidden}
<p><label>카드 번호 <input name="card" value="${DEFAULT_CARD}" inputmode="numeric"></label></p>
<button type="submit" name="outcome" value="pay">결제</button>
<button type="submit" name="outcome" value="cancel">취소</button>
</form></main></body></html>`;
}

/** An address with more in its query; what is undefined is left out. */
export function withQuery(address: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}
