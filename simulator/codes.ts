/** TossPayments' error codes, which are PortOne's `pgCode` where its channel is TossPayments, and their messages for the merchant. */
const MESSAGES: Readonly<Record<string, string>> = {
  REJECT_CARD_PAYMENT: '한도초과 혹은 잔액부족으로 결제에 실패했습니다.',
  INVALID_STOPPED_CARD: '정지된 카드 입니다.',
  FDS_ERROR: '위험거래가 감지되어 결제가 제한됩니다.',
  REJECT_CARD_COMPANY: '결제 승인이 거절되었습니다.',
  UNAUTHORIZED_KEY: '인증되지 않은 시크릿 키 혹은 클라이언트 키 입니다.',
  NOT_CANCELABLE_PAYMENT: '취소 할 수 없는 결제 입니다.',
  FORBIDDEN_CONSECUTIVE_REQUEST: '반복적인 요청은 허용되지 않습니다. 잠시 후 다시 시도해주세요.',
  PAY_PROCESS_CANCELED: '사용자가 결제를 취소하였습니다.',
  NOT_SUPPORTED_METHOD: '지원되지 않는 결제 수단입니다.',
};
export const messageOf = (code: string): string => MESSAGES[code] ?? code;
export const failureOf = (code: string): { code: string; message: string } => ({ code, message: messageOf(code) });
