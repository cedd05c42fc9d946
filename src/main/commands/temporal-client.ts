import { Client, type Connection, type WorkflowClientInterceptor } from '@temporalio/client'
import type { Config } from '../../config.ts'

/**
 * Creates a client of our namespace. Starts name the organization as their fairness key: tasks of
 * each organization wait in a separate line. Starts name the organization as their key of fairness:
 * tasks of one organization wait in a line of their own. Temporal Cloud charges for fairness, so an
 * operator may turn it off, and then no start names a key.
 */
export function createTemporalClient({ temporal }: Config, connection: Connection): Client {
  const { namespace, isFair } = temporal
  return new Client({
    connection,
    namespace,
    ...(isFair ? {} : { interceptors: { workflow: [withoutFairness] } }),
  })
}

const withoutFairness: WorkflowClientInterceptor = {
  start: (input, next) => next({ ...input, options: withoutKey(input.options) }),
  signalWithStart: (input, next) => next({ ...input, options: withoutKey(input.options) }),
}

/** Removes the fairness key. The priority stays, since Temporal charges nothing for it. */
function withoutKey<Options extends { priority?: { priorityKey?: number } }>(
  options: Options,
): Options {
  const priorityKey = options.priority?.priorityKey
  return { ...options, priority: priorityKey === undefined ? {} : { priorityKey } }
}
