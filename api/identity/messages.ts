/** What the consent page says, in Korean and English. */
import type { SCOPES } from '../../domain/identity/rules.ts';
import type { Locale } from '../web/page.ts';

type Area = (typeof SCOPES)[number] extends infer S ? (S extends `${infer R}:${string}` ? R : never) : never;

export interface Messages {
  readonly title: string;
  readonly intro: string;
  readonly client: string;
  readonly store: string;
  readonly person: string;
  readonly returnsTo: string;
  readonly scopes: string;
  readonly reads: (area: string) => string;
  readonly writes: (area: string) => string;
  readonly delegates: string;
  readonly staysLoggedIn: string;
  readonly limits: string;
  readonly warning: string;
  readonly allow: string;
  readonly deny: string;
  readonly stuck: string;
  readonly stuckHelp: string;
  readonly areas: Readonly<Record<Area, string>>;
}

export const messages: Readonly<Record<Locale, Messages>> = {
  ko: {
    title: '앱의 접근을 허용할까요?',
    intro: '아래 앱이 내 계정으로 상점을 이용하려고 합니다.',
    client: '앱',
    store: '상점',
    person: '내 계정',
    returnsTo: '이동할 주소',
    scopes: '앱이 요청한 권한',
    reads: (area) => `${area} 보기`,
    writes: (area) => `${area} 보기와 변경`,
    delegates: '구매자를 대신해 상점 이용',
    staysLoggedIn: '다시 로그인하지 않아도 계속 접근합니다.',
    limits: '앱은 이 상점에서, 내 역할에 있는 권한까지만 쓸 수 있습니다.',
    warning: '앱 이름은 앱을 등록한 사람이 정합니다. 이동할 주소가 낯설면 거부해 주세요.',
    allow: '허용',
    deny: '거부',
    stuck: '로그인을 계속할 수 없습니다',
    stuckHelp: '앱으로 돌아가 다시 로그인해 주세요. 시간이 지났거나 이미 처리된 요청일 수 있습니다.',
    areas: {
      product: '상품',
      category: '카테고리',
      order: '주문',
      claim: '취소·반품·교환',
      inquiry: '문의',
      review: '리뷰',
      settlement: '정산',
      analytics: '통계',
      webhook: '웹훅',
      store: '상점 설정',
      customer: '고객',
      promotion: '쿠폰과 프로모션',
      flow: '주문 흐름',
      storefront: '스토어프론트',
      member: '구성원',
      audit: '감사 기록',
    },
  },
  en: {
    title: 'Allow this app?',
    intro: 'The app below wants to use a store with your account.',
    client: 'App',
    store: 'Store',
    person: 'Your account',
    returnsTo: 'Leads to',
    scopes: 'What the app asks for',
    reads: (area) => `See ${area}`,
    writes: (area) => `See and change ${area}`,
    delegates: 'Act for buyers',
    staysLoggedIn: 'It keeps this access without asking you to log in again.',
    limits: 'The app can use this store only, and no more of it than your role allows.',
    warning: 'The name was chosen by whoever registered the app. If you do not know the address it leads to, deny.',
    allow: 'Allow',
    deny: 'Deny',
    stuck: 'This login cannot go on',
    stuckHelp: 'Please go back to the app and log in again. It may have taken too long, or was answered already.',
    areas: {
      product: 'products',
      category: 'categories',
      order: 'orders',
      claim: 'cancels, returns and exchanges',
      inquiry: 'inquiries',
      review: 'reviews',
      settlement: 'settlements',
      analytics: 'statistics',
      webhook: 'webhooks',
      store: 'store settings',
      customer: 'customers',
      promotion: 'coupons and promotions',
      flow: 'order flows',
      storefront: 'storefronts',
      member: 'members',
      audit: 'the audit log',
    },
  },
};
