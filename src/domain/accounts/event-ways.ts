/**
 * Ways by which the setup files send delivery events: to a queue in the account, which we poll, or
 * to our webhook, which EventBridge calls.
 */
export const EVENT_WAYS = ['queue', 'webhook'] as const
export type EventWay = (typeof EVENT_WAYS)[number]
