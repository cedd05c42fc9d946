/** Whether a value is a text that has an output or a tag of Liquid. */
export const isLiquid = (value: unknown): value is string =>
  typeof value === 'string' && /\{[{%]/.test(value)
