/** Where single mail comes from: all mail to contacts that no batch sends. */
export type SingleMailSource = 'transactional' | 'confirmation' | 'workflow'

/**
 * Which single mail of a connection goes first: the lowest number. Stored in the mail queue. Mail
 * of batches is in no queue and takes what these leave of the account's rate.
 */
export const PRIORITIES: Readonly<Record<SingleMailSource, number>> = {
  transactional: 1,
  confirmation: 2,
  workflow: 3,
}

/** What permits are asked for: mail of a higher lane goes before all of a lower one. */
export type Lane = SingleMailSource | 'batch'

/** The lane of single mail of a priority. */
export function laneOf(priority: number): Lane {
  const { transactional, confirmation } = PRIORITIES
  if (priority === transactional) return 'transactional'
  return priority === confirmation ? 'confirmation' : 'workflow'
}

/** All lanes, the highest first. */
export const LANES: readonly Lane[] = ['transactional', 'confirmation', 'workflow', 'batch']
