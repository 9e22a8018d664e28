/** The text of an invitation mail, in Korean and English. */
import type { InvitationMail } from '../../db/invitations/mail.ts';
import { escape } from './html.ts';

const ROLES = { OWNER: ['소유자', 'owner'], ADMIN: ['관리자', 'administrator'], STAFF: ['직원', 'staff member'] } as const;

export function invitationMail({ storeName, inviterName, role, token }: InvitationMail, consoleUrl: string) {
  const link = new URL('/invitations/accept', consoleUrl);
  link.searchParams.set('token', token);
  const [korean, english] = ROLES[role];
  const words = [
    `${inviterName} 님이 ${storeName}의 ${korean}(으)로 초대했습니다. 링크는 7일 동안 유효합니다.`,
    `${inviterName} invites you to the store ${storeName} as ${english}. The link works for seven days.`,
  ];
  return {
    subject: `${storeName} 초대 · Invitation to ${storeName}`,
    text: `${words.join('\n')}\n\n${link.href}\n`,
    html: `${words.map((line) => `<p>${escape(line)}</p>`).join('')}<p><a href="${escape(link.href)}">${escape(link.href)}</a></p>`,
  };
}
