/** Returns a pattern that matches texts with this part. Escapes `%`, `_` and `\`. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`
