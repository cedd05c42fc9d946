/** A setting that this program cannot do without. */
export function required(value: string | undefined, name: string): string {
  if (value === undefined) throw new Error(`${name} is not set; see the README, "Run"`)
  return value
}
