/** Sources of single mail: all mail to contacts outside of batches. */
export type SingleMailSource = 'transactional' | 'confirmation' | 'workflow'

/**
 * Priorities of a connection's single mail, the lowest number first. Stored in the mail queue. Mail
 * of batches is in no queue and uses what these leave of the account's rate.
 */
export const PRIORITIES: Readonly<Record<SingleMailSource, number>> = {
  transactional: 1,
  confirmation: 2,
  workflow: 3,
}

/** Lanes of permits. Mail of a higher lane goes before all of a lower one. */
export type Lane = SingleMailSource | 'batch'

export function laneOf(priority: number): Lane {
  const { transactional, confirmation } = PRIORITIES
  if (priority === transactional) return 'transactional'
  return priority === confirmation ? 'confirmation' : 'workflow'
}

/** All lanes, the highest first. */
export const LANES: readonly Lane[] = ['transactional', 'confirmation', 'workflow', 'batch']
