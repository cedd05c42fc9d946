import type { WorkerOptions } from '@temporalio/worker'
import type { Logger } from 'pino'
import { dailyChecks } from '../../../activities/accounts/daily-checks.ts'
import { createConsolePolicies } from '../../../activities/aws/console-policy.ts'
import { createHealthReader } from '../../../activities/aws/health.ts'
import { createIdentities } from '../../../activities/aws/identities.ts'
import { createVerifier } from '../../../activities/aws/verifier.ts'
import {
  createControlActivities,
  createHealthActivities,
  createHookActivities,
  createImportQueueActivities,
  createMailActivities,
  createTextActivities,
  createNoticeActivities,
  createProviderActivities,
  createSendActivities,
  createWebhookActivities,
} from '../../../activities/index.ts'
import {
  CONTROL_QUEUE,
  HOOK_QUEUE,
  HOOK_SHARDS,
  IMPORT_QUEUE,
  MAIL_QUEUE,
  PROVIDER_QUEUE,
  SEND_QUEUE,
  WEBHOOK_QUEUE,
} from '../../../workflows/contract.ts'
import type { Verifier } from '../../../activities/mailer.ts'
import { DRAIN_SLOTS } from '../../../activities/mails/drain-mail.ts'
import { CHUNK_SLOTS } from '../../../activities/batches/send-chunk.ts'
import type { Config } from '../../config.ts'
import type { Clock } from '../../loops/clock-keeper.ts'
import { createFetcher } from '../../net/fetch.ts'
import { createAddressFinder } from '../../net/find-addresses.ts'
import { createResolver } from '../../net/resolver.ts'
import type { WorkerResources } from './worker-resources.ts'

/**
 * Time for which a workflow's next task waits for the worker that has the workflow in its cache. A
 * lost worker holds up its workflows for so long.
 */
const STICKY_MS = 2_000

type QueueOptions = Pick<
  WorkerOptions,
  | 'activities'
  | 'maxConcurrentActivityTaskExecutions'
  | 'workflowBundle'
  | 'maxCachedWorkflows'
  | 'stickyQueueScheduleToStartTimeout'
  | 'workflowThreadPoolSize'
>

export function queueTable(
  config: Config,
  log: Logger,
  resources: WorkerResources & {
    clock: Pick<Clock, 'now'>
    onHookCall: (outcome: string, ms: number) => void
  },
): Readonly<Record<string, QueueOptions>> {
  const { sql, claimSql, renderer, roles, mailer, noticeSender, keyring, clock, onHookCall } =
    resources
  const verifier = createVerifier(roles)
  const deps = {
    sql,
    claimSql,
    mailer,
    verifier,
    timings: config.timings,
    content: { keyring, publicUrl: config.publicUrl, renderer },
    fetcher: createFetcher({
      allowed: config.netAllowPrivate,
      findAddresses: createAddressFinder({ servers: config.dnsServers }),
    }),
  }
  return {
    [CONTROL_QUEUE]: {
      workflowBundle: { codePath: bundlePath() },
      activities: createControlActivities(deps),
      maxCachedWorkflows: 300,
      stickyQueueScheduleToStartTimeout: STICKY_MS,
      // One thread holds them all; each further one is a V8 isolate of 30 MB.
      workflowThreadPoolSize: 1,
      maxConcurrentActivityTaskExecutions: 20,
    },
    [SEND_QUEUE]: {
      activities: createSendActivities(deps),
      maxConcurrentActivityTaskExecutions: CHUNK_SLOTS,
    },
    [MAIL_QUEUE]: {
      activities: {
        ...createMailActivities(resources.mailDrains),
        ...createTextActivities(resources.drainTexts),
        ...createNoticeActivities({
          ...deps,
          links: { keyring, publicUrl: config.publicUrl },
          sender: noticeSender,
          now: clock.now,
          log,
        }),
      },
      maxConcurrentActivityTaskExecutions: DRAIN_SLOTS,
    },
    [IMPORT_QUEUE]: {
      activities: createImportQueueActivities(deps),
      // Each file keeps a connection busy.
      maxConcurrentActivityTaskExecutions: 3,
    },
    [PROVIDER_QUEUE]: {
      activities: providerActivities(config, log, { sql, roles, verifier, clock }),
      // Most of each question to a provider is waiting.
      maxConcurrentActivityTaskExecutions: 50,
    },
    [WEBHOOK_QUEUE]: {
      activities: createWebhookActivities(deps),
      // Twice what one organization may have.
      maxConcurrentActivityTaskExecutions: 100,
    },
    [HOOK_QUEUE]: {
      activities: createHookActivities({ ...deps, keyring, now: clock.now, onCall: onHookCall }),
      maxConcurrentActivityTaskExecutions: HOOK_SHARDS,
    },
  }
}

function providerActivities(
  { dnsServers }: Config,
  log: Logger,
  {
    sql,
    roles,
    verifier,
    clock,
  }: Pick<WorkerResources, 'sql' | 'roles'> & {
    verifier: Verifier
    clock: Pick<Clock, 'now'>
  },
) {
  const consolePolicies = createConsolePolicies(roles)
  return {
    ...createProviderActivities({
      sql,
      identities: createIdentities(roles),
      consolePolicies,
      verifier,
      resolver: createResolver({ servers: dnsServers }),
    }),
    ...createHealthActivities({
      sql,
      health: createHealthReader(roles),
      daily: dailyChecks({ sql, verifier, consolePolicies, roles }),
      now: clock.now,
      log,
    }),
  }
}

/**
 * Returns the path of `dist/workflow-bundle.js`, built by `npm run build`, also if the worker runs
 * from sources.
 */
function bundlePath(): string {
  const here = new URL('.', import.meta.url)
  const folder = here.pathname.includes('/dist/src/main/') ? '../../../' : '../../../dist/'
  return new URL(`${folder}workflow-bundle.js`, here).pathname
}
