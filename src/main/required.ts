import type { Config } from '../config.ts'

/** A setting that this program cannot do without. */
export function required(value: string | undefined, name: string): string {
  if (value === undefined) throw new Error(`${name} is not set; see the README, "Run"`)
  return value
}

/** Where Temporal is when nothing is said: its dev server's usual place. */
export const temporalAddress = ({ temporal }: Config): string =>
  temporal.address ?? '127.0.0.1:7233'
