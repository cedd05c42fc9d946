/** Escapes `%`, `_` and `\`, so that the pattern matches what contains the text. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`
