/**
 * Daily limits of a connection's stored events that are not applied, or concern other programs'
 * mail. Above either limit they are only counted. Events of our mail are never limited.
 */
export const UNAPPLIED_EVENTS_A_DAY = { rows: 10_000, bytes: 5 * 1024 * 1024 }
