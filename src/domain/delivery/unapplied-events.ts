/**
 * What is kept, for each connection and day, of delivery events that are not applied, and of events
 * about other programs' mail. Beyond either limit they are only counted. An event about a mail of
 * ours is never limited.
 */
export const UNAPPLIED_EVENTS_A_DAY = { rows: 10_000, bytes: 5 * 1024 * 1024 }
