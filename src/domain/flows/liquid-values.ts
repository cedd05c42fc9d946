import { DEEPEST_PROPERTIES } from '../contacts/properties.ts'
import { isLiquid } from '../liquid.ts'
import type { StepOf, StepType } from './flow.ts'
import { rulesOf } from './steps/index.ts'

export const MOST_LIQUID_TEXTS = 100

export interface LiquidText {
  path: string
  text: string
}

/** Returns the Liquid texts of a step's values, in the order of `withTexts`. */
export function liquidTextsOf(step: StepOf<StepType>): LiquidText[] {
  const texts: LiquidText[] = []
  withTexts(step, (text, path) => {
    texts.push({ path, text })
    return text
  })
  return texts
}

export function withTexts<Type extends StepType>(
  step: StepOf<Type>,
  change: (text: string, path: string) => unknown,
): StepOf<Type> {
  const { mapValues } = rulesOf(step)
  if (!mapValues) return step
  const config = mapValues(step.config, (value, path) =>
    mapTexts(value, path, DEEPEST_PROPERTIES, change),
  )
  return { ...step, config }
}

/** Leaves values unchanged that are nested deeper than a contact's values may be. */
function mapTexts(
  value: unknown,
  path: string,
  levels: number,
  change: (text: string, path: string) => unknown,
): unknown {
  if (isLiquid(value)) return change(value, path)
  if (typeof value !== 'object' || value === null || levels === 0) return value
  const within = (each: unknown, name: string) => mapTexts(each, name, levels - 1, change)
  if (Array.isArray(value)) return value.map((each, index) => within(each, `${path}[${index}]`))
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, within(each, `${path}.${key}`)]),
  )
}
