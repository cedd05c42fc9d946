import { checkDraft, type Draft } from '../../src/domain/flows/flow-check.ts'
import type { Settings, Step, Transition } from '../../src/domain/flows/flow.ts'

export const SETTINGS: Settings = {
  allowReentry: false,
  reentryDelaySeconds: 0,
  maxConcurrentExecutions: null,
  contactCooldownSeconds: 0,
  exitOn: { events: [] },
}
export const CONDITION = {
  logic: 'AND' as const,
  groups: [{ filters: [{ field: 'firstName', operator: 'exists' as const }] }],
}
export const DAY = { amount: 1, unit: 'days' as const }

export const mail = (id: string): Step => ({
  id,
  type: 'send_email',
  name: `Mail ${id}`,
  config: { from: 'a@example.com', subject: 'S', html: '<p>x</p>' },
})
export const delay = (id: string): Step => ({ id, type: 'delay', name: `Wait ${id}`, config: DAY })
export const exit = (id: string): Step => ({
  id,
  type: 'exit',
  name: `End ${id}`,
  config: { outcome: 'completed' },
})
export const condition = (id: string): Step => ({
  id,
  type: 'condition',
  name: `If ${id}`,
  config: { condition: CONDITION },
})
export const waiting = (id: string): Step => ({
  id,
  type: 'wait_for_event',
  name: `Event ${id}`,
  config: { eventName: 'bought', timeout: DAY },
})
export const engagement = (id: string, stepId: string): Step => ({
  id,
  type: 'wait_for_email_engagement',
  name: `Engaged ${id}`,
  config: { stepId, events: ['opened', 'clicked'], timeout: DAY },
})
export const webhook = (id: string, config: object = {}): Step => ({
  id,
  type: 'webhook',
  name: `Call ${id}`,
  config: { url: 'https://example.com/hook', method: 'POST', ...config },
})
export const update = (config: object): Step => ({
  id: 'u',
  type: 'update_contact',
  name: 'Update',
  config,
})

/** `a>b`, `a>b:branch`. */
export const ways = (...texts: string[]): Transition[] =>
  texts.map((text) => {
    const [, from = '', to = '', branch] = /^(.+)>([^:]+)(?::(.+))?$/.exec(text) ?? []
    return { from, to, ...(branch === undefined ? {} : { branch }) }
  })

export const draft = (
  steps: Step[],
  transitions: Transition[],
  changes: Partial<Draft> = {},
): Draft => ({
  trigger: { type: 'api' },
  steps,
  transitions,
  settings: SETTINGS,
  ...changes,
})
export const told = (given: Draft) =>
  checkDraft(given).problems.map(({ path, message }) => `${path} | ${message}`)
