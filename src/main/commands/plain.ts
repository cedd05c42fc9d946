/** What a terminal acts on instead of showing it: C0, DEL and C1; and what turns or hides text. */
const ACTED_ON = /(?![\t\n])[\p{Cc}\p{Cf}]/gu

/**
 * A text that others wrote, for a terminal: what is not shown as it is becomes `\u001b` and the
 * like, so that JSON says the same as before. Tabs and line feeds stay.
 */
export const plain = (text: string): string => text.replace(ACTED_ON, escaped)

const escaped = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
