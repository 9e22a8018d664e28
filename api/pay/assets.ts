/** Scripts of the payment screen. They stand in the page itself, under its nonce: nothing is fetched. */

/** Counts the time that is left and looks again when it is over. Without script the deadline stands there all the same. */
export const COUNTDOWN = `
const left = document.getElementById('left');
const end = performance.now() + Number(left.dataset.ms);
const tick = () => {
  const seconds = Math.max(0, Math.ceil((end - performance.now()) / 1000));
  left.textContent = '(' + Math.floor(seconds / 60) + ':' + String(seconds % 60).padStart(2, '0') + ')';
  if (seconds === 0) location.reload();
  else setTimeout(tick, 1000);
};
tick();
`;

/** Tells the window that opened this one how the payment ended, and closes. */
export const SIGNAL = `
const signal = JSON.parse(document.getElementById('signal').textContent);
window.opener?.postMessage(signal.message, signal.targetOrigin);
window.close();
`;
