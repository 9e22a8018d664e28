/** The providers' browser SDKs as far as a hosted page uses them: each leads to its window, which leads back. */
const OPEN = `const origin = new URL(document.currentScript.src).origin;
  const demand = (values) => {
    for (const [name, value] of Object.entries(values))
      if (value === undefined || value === '') throw Object.assign(new Error(name + ' is required'), { code: 'INVALID_PARAMETERS' });
  };
  // The page is left: the promise does not end.
  const open = (path, fields) => {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(fields))
      for (const one of [value].flat()) if (one !== undefined && one !== null) query.append(name, String(one));
    location.assign(origin + path + '?' + query);
    return new Promise(() => {});
  };`;

const toss = `(() => {
  ${OPEN}
  const requestPayment = async (clientKey, customerKey, { method, amount, orderId, orderName, successUrl, failUrl, card }) => {
    demand({ method, amount: amount?.value, orderId, orderName, successUrl, failUrl });
    const { flowMode, easyPay } = card ?? {};
    return open('/window/toss', {
      clientKey, customerKey, method, amount: amount.value, currency: amount.currency, orderId, orderName, successUrl, failUrl, flowMode, easyPay,
    });
  };
  globalThis.TossPayments = (clientKey) => {
    if (!/^(test|live)_ck_/.test(clientKey)) throw Object.assign(new Error('clientKey'), { code: 'INVALID_CLIENT_KEY' });
    return {
      payment: ({ customerKey }) => ({ requestPayment: (request) => requestPayment(clientKey, customerKey, request) }),
    };
  };
  globalThis.TossPayments.ANONYMOUS = 'ANONYMOUS';
})();
`;

const portone = `(() => {
  ${OPEN}
  globalThis.PortOne = {
    async requestPayment({ storeId, channelKey, paymentId, orderName, totalAmount, currency, payMethod, easyPay, redirectUrl, noticeUrls }) {
      demand({ storeId, channelKey, paymentId, orderName, totalAmount, currency, payMethod, redirectUrl });
      return open('/window/portone', {
        storeId, channelKey, paymentId, orderName, totalAmount, currency, payMethod, easyPayProvider: easyPay?.easyPayProvider, redirectUrl,
        noticeUrls,
      });
    },
  };
})();
`;

export const SDKS: Readonly<Record<string, string>> = { '/sdk/toss.js': toss, '/sdk/portone.js': portone };
