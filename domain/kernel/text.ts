/**
 * Text has one form (D91): NFC, and what people read has something to see, without white space around it. What joins letters or emoji
 * inside a text stays.
 */

/**
 * As parts of a character class: white space, control and format characters, fillers, the blank of Braille, and whatever else shows
 * nothing.
 */
const BLANK = String.raw`\s\u0000-\u0020\u007f-\u00a0\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb`;
const BLANK_BEYOND = String.raw`\u{110bd}\u{110cd}\u{13430}-\u{1343f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}`;
/** A pattern of one visible character, to be read with the flag `u`. */
export const VISIBLE = `[^${BLANK}${BLANK_BEYOND}]`;
/** The same for documents, whose readers may know no flags: without what lies beyond the first plane. */
export const VISIBLE_PLAIN = `[^${BLANK}]`;

const IS_VISIBLE = new RegExp(VISIBLE, 'u');
export const isVisible = (text: string): boolean => IS_VISIBLE.test(text);

const FIRST_TO_LAST = new RegExp(`${VISIBLE}(?:[^]*${VISIBLE})?`, 'u');
/** The characters from the first visible one to the last. */
export const visibleLength = (text: string): number => Array.from(FIRST_TO_LAST.exec(text)?.[0] ?? '').length;

const LONG_RUN = /\p{M}{31}/u;
const RUNS = /\P{M}*\p{M}{0,30}/gu;
/**
 * NFC. Marks beyond thirty at one letter, which no language has, are brought into this form thirty at a time: sorting them takes time that
 * grows with the square of their number (50,000 take 17 seconds).
 */
export const nfc = (text: string): string =>
  LONG_RUN.test(text)
    ? text
        .match(RUNS)!
        .map((part) => part.normalize('NFC'))
        .join('')
    : text.normalize('NFC');

/** The one form of a name. */
export const nameForm = (name: string): string => nfc(name).trim();

/** A joiner makes one emoji of two, which looks different from both. */
const JOINS_EMOJI = String.raw`(?<=\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}\ufe0f]?)\u200d(?=\p{Extended_Pictographic})`;
const BLANKS = new RegExp(`(?!\\s|${JOINS_EMOJI})[${BLANK}${BLANK_BEYOND}]`, 'gu');
/** A text as it is compared with another one: two texts are equal if nothing visible distinguishes them. */
export const seen = (text: string): string => nfc(text.replaceAll(BLANKS, '').replaceAll(/\s+/gu, ' ').trim());
