/**
 * An array for Postgres as it writes arrays itself. The driver's own takes several times longer, which
 * shows with a dozen columns and tens of thousands of rows a second.
 */
export function textArray(values: readonly (string | null)[]): string {
  const parts: string[] = []
  for (const value of values) {
    if (value === null) parts.push('NULL')
    else if (value.includes('"') || value.includes('\\')) {
      parts.push(`"${value.replaceAll(/["\\]/g, '\\$&')}"`)
    } else parts.push(`"${value}"`)
  }
  return `{${parts.join(',')}}`
}

export const numberArray = (values: readonly number[]): string => `{${values.join(',')}}`
