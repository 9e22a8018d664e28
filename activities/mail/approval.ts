/** The text of a mail about approval requests, in Korean and English: what waits, and where to decide. No link decides. */
import type { NoticeMail } from '../../db/approvals/noticeTransition.ts';
import { approvalUrl } from '../../db/approvals/views.ts';
import { escape } from './html.ts';

export function approvalMail({ storeName, requests }: Omit<NoticeMail, 'email'>, consoleUrl: string) {
  const words = [
    `${storeName}: AI 에이전트의 요청 ${requests.length}건이 승인을 기다립니다. 요청은 24시간 동안 유효합니다.`,
    `${storeName}: ${requests.length} requests of AI agents wait for an approval. Each waits for 24 hours.`,
  ];
  const lines = requests.map(({ approvalId, operationId }) => ({ operationId, link: approvalUrl(consoleUrl, approvalId) }));
  const item = ({ operationId, link }: (typeof lines)[number]) =>
    `<li>${escape(operationId)}: <a href="${escape(link)}">${escape(link)}</a></li>`;
  return {
    subject: `${storeName} 승인 요청 · Approval requests at ${storeName}`,
    text: `${words.join('\n')}\n\n${lines.map(({ operationId, link }) => `${operationId}: ${link}`).join('\n')}\n`,
    html: `${words.map((line) => `<p>${escape(line)}</p>`).join('')}<ul>${lines.map(item).join('')}</ul>`,
  };
}
