/** Characters that control a terminal (C0, DEL, C1), and characters that reverse or hide text. */
const ACTED_ON = /(?![\t\n])[\p{Cc}\p{Cf}]/gu

/**
 * Escapes a foreign text for a terminal: control characters become `\u001b` and the like, so that
 * JSON keeps its meaning. Tabs and line feeds stay.
 */
export const plain = (text: string): string => text.replace(ACTED_ON, escaped)

const escaped = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
