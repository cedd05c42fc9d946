import type { Definition } from './flow.ts'

interface Warning {
  reason: string
  path: string
  message: string
}

/** Warns about a valid definition that hardly does what its author means. */
export function warningsOf({ trigger, settings }: Definition): Warning[] {
  if (trigger.type !== 'schedule' || settings.allowReentry) return []
  return [
    {
      reason: 'starts_once',
      path: 'settings.allowReentry',
      message:
        'is not set, so the schedule starts each contact only once. Set it to true to start contacts each time',
    },
  ]
}
