/** Style and scripts of the payment screen. They stand in the page itself, under its nonce: nothing is fetched. */

export const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, "Noto Sans CJK KR", sans-serif; }
body { margin: 0; word-break: keep-all; min-height: 100vh; display: grid; place-items: start center; background: Canvas; color: CanvasText; }
main { box-sizing: border-box; width: 100%; max-width: 26rem; padding: 1.5rem; }
@media (min-width: 40rem) { main { margin-top: 4rem; border: 1px solid color-mix(in srgb, CanvasText 20%, Canvas); border-radius: 0.75rem; padding: 2rem; } }
h1 { margin: 0 0 1rem; font-size: 1.4rem; overflow-wrap: anywhere; }
[role="note"] { padding: 0.5rem 0.75rem; border-radius: 0.5rem; background: #fff3cd; color: #533f03; }
[role="alert"] { font-weight: 600; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.5rem 1rem; margin: 1rem 0 1.5rem; }
dt { color: color-mix(in srgb, CanvasText 65%, Canvas); }
dd { margin: 0; text-align: end; overflow-wrap: anywhere; }
dd ul { margin: 0; padding: 0; list-style: none; }
strong { font-size: 1.25rem; }
button { box-sizing: border-box; width: 100%; min-height: 3rem; font: inherit; font-weight: 600; border: 0; border-radius: 0.5rem; background: #1b4fd8; color: #fff; cursor: pointer; }
button.quiet { margin-top: 0.75rem; background: transparent; color: inherit; border: 1px solid color-mix(in srgb, CanvasText 40%, Canvas); }
a { color: inherit; }
button:focus-visible, a:focus-visible { outline: 3px solid #f5a623; outline-offset: 2px; }
`;

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
