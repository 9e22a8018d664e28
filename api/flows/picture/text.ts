/** Text of pictures: escaped, measured without a font, cut to a width. */

/** Fonts that have Korean letters, on the systems that people have. */
export const FONTS = "'Apple SD Gothic Neo','Malgun Gothic','Noto Sans KR','Noto Sans CJK KR',sans-serif";

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
// oxlint-disable-next-line no-control-regex -- XML has no way to write these
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
/** For texts and attributes of XML, whatever was typed. */
export const escape = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(NOT_XML, '\ufffd')
    .replaceAll(/[&<>"']/g, (one) => ENTITIES[one]!);

const WIDE = /[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f000}-\u{3fffd}]/u;
const NARROW = /[ijltfrI.,:;'|!()[\]{}]/;
/** Of a letter, in parts of the font size; no letter of the fonts above is much wider. */
function widthOfLetter(letter: string): number {
  if (WIDE.test(letter)) return 1;
  if (NARROW.test(letter)) return 0.38;
  return /[A-Z@%mwMW]/.test(letter) ? 0.74 : 0.58;
}
export const widthOf = (text: string, size: number): number =>
  Array.from(text).reduce((sum, letter) => sum + widthOfLetter(letter) * size, 0);

/** At most so wide, on one line; what is longer ends in `…`. */
export function cut(text: string, size: number, width: number): string {
  const letters = Array.from(text.replaceAll(/\s+/g, ' ').slice(0, 400));
  let used = 0;
  for (const [i, letter] of letters.entries()) {
    used += widthOfLetter(letter) * size;
    if (used > width) return `${letters.slice(0, Math.max(1, i - 1)).join('')}…`;
  }
  return letters.join('');
}
