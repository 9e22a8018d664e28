/** Scripts of the payment screen. They stand in the page itself, under its nonce; only a provider's SDK is fetched. */

/** Counts the time that is left and looks again when it is over. Without script the deadline stands there all the same. */
export const COUNTDOWN = `{
const left = document.getElementById('left');
const end = performance.now() + Number(left.dataset.ms);
const tick = () => {
  const seconds = Math.max(0, Math.ceil((end - performance.now()) / 1000));
  left.textContent = '(' + Math.floor(seconds / 60) + ':' + String(seconds % 60).padStart(2, '0') + ')';
  if (seconds === 0) location.reload();
  else setTimeout(tick, 1000);
};
tick();
}`;

/**
 * Opens the provider's window with its SDK, from the click and not on load, or popup blockers refuse it. Where the SDK is not loaded within
 * ten seconds, or rejects the call, the fail address hears why (Y16): what has no code may have been paid once the window was called. An
 * answer instead of a redirect goes to the return address.
 */
export const OPEN_WINDOW = `{
const { url, call, returnUrl, failUrl } = JSON.parse(document.getElementById('sdk').textContent);
const form = document.getElementById('pay');
const button = form.querySelector('button');
const loaded = new Promise((resolve, reject) => {
  const script = document.createElement('script');
  script.onload = resolve;
  script.onerror = () => reject(new Error('the SDK was not loaded'));
  script.src = url;
  document.head.append(script);
});
loaded.catch(() => {});
const late = () => new Promise((_, reject) => setTimeout(() => reject(new Error('the SDK was not loaded in time')), 10000));
const open = () => call.pg === 'portone'
  ? PortOne.requestPayment(call.request)
  : TossPayments(call.clientKey).payment({ customerKey: call.customerKey }).requestPayment(call.request);
const leave = (address, parameters) => {
  const target = new URL(address);
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined && value !== null) target.searchParams.set(name, value);
  location.assign(target);
};
let isCalled = false;
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  button.disabled = true;
  try {
    await Promise.race([loaded, late()]);
    isCalled = true;
    const answer = await open();
    if (!answer) return;
    const { paymentId, txId, paymentToken, code, message, pgCode, pgMessage, paymentKey, orderId, amount } = answer;
    leave(returnUrl, { paymentId, txId, paymentToken, code, message, pgCode, pgMessage, paymentKey, orderId, amount: amount?.value ?? amount });
  } catch (error) {
    leave(failUrl, { rejected: '1', code: error?.code ?? (isCalled ? 'UnknownError' : 'NOT_AVAILABLE_PAYMENT') });
  }
});
// A page that the browser brings back is as it was left.
addEventListener('pageshow', () => { button.disabled = false; });
}`;

/** Reads the page again every two seconds, and shows it when it is another one: a screen reader is not interrupted meanwhile. */
export const POLL = `{
const poll = async () => {
  try {
    const response = await fetch(location.href, { redirect: 'manual', cache: 'no-store' });
    const isOver = response.type === 'opaqueredirect' || (response.ok && !(await response.text()).includes('id="processing"'));
    if (isOver) return location.reload();
  } catch {}
  setTimeout(poll, 2000);
};
setTimeout(poll, 2000);
}`;

/** Tells the window that opened this one how the payment ended, and closes. */
export const SIGNAL = `{
const signal = JSON.parse(document.getElementById('signal').textContent);
window.opener?.postMessage(signal.message, signal.targetOrigin);
window.close();
}`;
