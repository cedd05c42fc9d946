export const isLiquid = (value: unknown): value is string =>
  typeof value === 'string' && /\{[{%]/.test(value)
