import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
} from '@tanstack/react-router'
import { isSuppressionReason } from './consent/suppression-reasons.ts'
import { isTemplateStatus } from './content/template-words.ts'
import { isSource } from './logs/log-words.ts'
import { isFlag } from './lib/parts.ts'
import { isGrouping, isRange } from './metrics/metrics-query.ts'
import {
  isBatchStatus,
  isDeliveryState,
  isEmailStatus,
  isExecutionStatus,
  isLogStatus,
  isRecipientStatus,
} from './lib/statuses.ts'
import { useSession } from './lib/session.tsx'
import { NotFound } from './shell/not-found.tsx'
import { Shell } from './shell/shell.tsx'

const root = createRootRoute({ notFoundComponent: NotFound })

/** `/console` alone is the overview of the organization that the session works in. */
const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: function Start() {
    return <Navigate to="/$org" params={{ org: useSession().organization.id }} replace />
  },
})

/** Which organization a page is of is part of its address: a link means the same to everybody. */
const organization = createRoute({
  getParentRoute: () => root,
  path: '/$org',
  component: Shell,
  notFoundComponent: NotFound,
})

const overview = createRoute({
  getParentRoute: () => organization,
  path: '/',
  component: lazyRouteComponent(() => import('./overview/overview.tsx'), 'Overview'),
})

const templates = createRoute({
  getParentRoute: () => organization,
  path: '/templates',
  validateSearch: ({ cursor, status, search }: Record<string, unknown>) => ({
    ...cursorIn(cursor),
    ...(isTemplateStatus(status) ? { status } : {}),
    ...textIn('search', search),
  }),
  component: lazyRouteComponent(() => import('./content/templates.tsx'), 'Templates'),
})
const template = createRoute({
  getParentRoute: () => organization,
  path: '/templates/$id',
  component: lazyRouteComponent(() => import('./content/template.tsx'), 'TemplatePage'),
})

const batches = createRoute({
  getParentRoute: () => organization,
  path: '/batches',
  validateSearch: ({ cursor, status, search }: Record<string, unknown>) => ({
    ...cursorIn(cursor),
    ...(isBatchStatus(status) ? { status } : {}),
    ...textIn('search', search),
  }),
  component: lazyRouteComponent(() => import('./sending/batches.tsx'), 'Batches'),
})
const newBatch = createRoute({
  getParentRoute: () => organization,
  path: '/batches/new',
  validateSearch: ({ draft }: Record<string, unknown>) => textIn('draft', draft),
  component: lazyRouteComponent(() => import('./sending/composer.tsx'), 'Composer'),
})
const batch = createRoute({
  getParentRoute: () => organization,
  path: '/batches/$id',
  validateSearch: ({ cursor, status, reason }: Record<string, unknown>) => ({
    ...cursorIn(cursor),
    ...(isRecipientStatus(status) ? { status } : {}),
    ...textIn('reason', reason),
  }),
  component: lazyRouteComponent(() => import('./sending/batch.tsx'), 'BatchPage'),
})

const contacts = createRoute({
  getParentRoute: () => organization,
  path: '/contacts',
  validateSearch: (given: Record<string, unknown>) => ({
    ...cursorIn(given['cursor']),
    ...textIn('search', given['search']),
    ...(isEmailStatus(given['emailStatus']) ? { emailStatus: given['emailStatus'] } : {}),
    ...textIn('topicId', given['topicId']),
    ...textIn('segmentId', given['segmentId']),
  }),
  component: lazyRouteComponent(() => import('./contacts/contacts.tsx'), 'Contacts'),
})
const contact = createRoute({
  getParentRoute: () => organization,
  path: '/contacts/$id',
  component: lazyRouteComponent(() => import('./contacts/contact.tsx'), 'ContactPage'),
})
const imports = createRoute({
  getParentRoute: () => organization,
  path: '/imports',
  component: lazyRouteComponent(() => import('./contacts/imports.tsx'), 'Imports'),
})

const segments = createRoute({
  getParentRoute: () => organization,
  path: '/segments',
  validateSearch: ({ cursor, search }: Record<string, unknown>) => ({
    // A place in the list: segments are not listed by cursor.
    ...(/^\d{1,7}$/.test(String(cursor)) ? { cursor: String(cursor) } : {}),
    ...textIn('search', search),
  }),
  component: lazyRouteComponent(() => import('./audience/segments.tsx'), 'Segments'),
})
const newSegment = createRoute({
  getParentRoute: () => organization,
  path: '/segments/new',
  component: lazyRouteComponent(() => import('./audience/segment.tsx'), 'NewSegment'),
})
const segment = createRoute({
  getParentRoute: () => organization,
  path: '/segments/$id',
  validateSearch: ({ cursor }: Record<string, unknown>) => cursorIn(cursor),
  component: lazyRouteComponent(() => import('./audience/segment.tsx'), 'SegmentPage'),
})

const topics = createRoute({
  getParentRoute: () => organization,
  path: '/topics',
  validateSearch: ({ cursor }: Record<string, unknown>) => cursorIn(cursor),
  component: lazyRouteComponent(() => import('./consent/topics.tsx'), 'Topics'),
})
const topic = createRoute({
  getParentRoute: () => organization,
  path: '/topics/$id',
  component: lazyRouteComponent(() => import('./consent/topic.tsx'), 'TopicPage'),
})
const suppressions = createRoute({
  getParentRoute: () => organization,
  path: '/suppressions',
  validateSearch: ({ cursor, email, reason }: Record<string, unknown>) => ({
    ...cursorIn(cursor),
    ...textIn('email', email),
    ...(isSuppressionReason(reason) ? { reason } : {}),
  }),
  component: lazyRouteComponent(() => import('./consent/suppressions.tsx'), 'Suppressions'),
})

const workflows = createRoute({
  getParentRoute: () => organization,
  path: '/workflows',
  validateSearch: ({ cursor, search, enabled }: Record<string, unknown>) => {
    const state: string = String(enabled)
    return {
      ...cursorIn(cursor),
      ...textIn('search', search),
      ...(isFlag(state) ? { enabled: state } : {}),
    }
  },
  component: lazyRouteComponent(() => import('./flows/workflows.tsx'), 'Workflows'),
})
const newWorkflow = createRoute({
  getParentRoute: () => organization,
  path: '/workflows/new',
  component: lazyRouteComponent(() => import('./flows/edit-workflow.tsx'), 'NewWorkflow'),
})
const workflow = createRoute({
  getParentRoute: () => organization,
  path: '/workflows/$id',
  validateSearch: ({ cursor, status }: Record<string, unknown>) => ({
    ...cursorIn(cursor),
    ...(isExecutionStatus(status) ? { status } : {}),
  }),
  component: lazyRouteComponent(() => import('./flows/workflow.tsx'), 'WorkflowPage'),
})
const editWorkflow = createRoute({
  getParentRoute: () => organization,
  path: '/workflows/$id/edit',
  component: lazyRouteComponent(() => import('./flows/edit-workflow.tsx'), 'EditWorkflow'),
})
const execution = createRoute({
  getParentRoute: () => organization,
  path: '/executions/$id',
  component: lazyRouteComponent(() => import('./flows/execution.tsx'), 'ExecutionPage'),
})

const logs = createRoute({
  getParentRoute: () => organization,
  path: '/logs',
  validateSearch: ({ cursor, recipient, status, sourceType }: Record<string, unknown>) => ({
    ...cursorIn(cursor),
    ...textIn('recipient', recipient),
    ...(isLogStatus(status) ? { status } : {}),
    ...(isSource(sourceType) ? { sourceType } : {}),
  }),
  component: lazyRouteComponent(() => import('./logs/logs.tsx'), 'Logs'),
})
const log = createRoute({
  getParentRoute: () => organization,
  path: '/logs/$id',
  component: lazyRouteComponent(() => import('./logs/log.tsx'), 'LogPage'),
})

const metrics = createRoute({
  getParentRoute: () => organization,
  path: '/metrics',
  validateSearch: ({ range, by, zone }: Record<string, unknown>) => {
    // The router reads a number where the address has one.
    const days = String(range)
    return {
      ...(isRange(days) ? { range: days } : {}),
      ...(isGrouping(by) ? { by } : {}),
      ...(zone === 'utc' ? { zone: 'utc' as const } : {}),
    }
  },
  component: lazyRouteComponent(() => import('./metrics/metrics.tsx'), 'Metrics'),
})

const accounts = createRoute({
  getParentRoute: () => organization,
  path: '/accounts',
  component: lazyRouteComponent(() => import('./accounts/accounts.tsx'), 'Accounts'),
})
const connect = createRoute({
  getParentRoute: () => organization,
  path: '/accounts/connect',
  component: lazyRouteComponent(() => import('./accounts/connect.tsx'), 'Connect'),
})
const account = createRoute({
  getParentRoute: () => organization,
  path: '/accounts/$id',
  component: lazyRouteComponent(() => import('./accounts/account.tsx'), 'Account'),
})

const webhook = createRoute({
  getParentRoute: () => organization,
  path: '/webhooks/$id',
  validateSearch: ({ cursor, state }: Record<string, unknown>) => ({
    ...cursorIn(cursor),
    ...(isDeliveryState(state) ? { state } : {}),
  }),
  component: lazyRouteComponent(() => import('./hooks/webhook.tsx'), 'WebhookPage'),
})

const settings = createRoute({
  getParentRoute: () => organization,
  path: '/settings',
  component: lazyRouteComponent(() => import('./settings/settings.tsx'), 'Settings'),
})
const settingsParts = [
  createRoute({
    getParentRoute: () => settings,
    path: '/',
    component: lazyRouteComponent(
      () => import('./settings/organization.tsx'),
      'OrganizationSettings',
    ),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: '/people',
    component: lazyRouteComponent(() => import('./settings/people.tsx'), 'People'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: '/keys',
    component: lazyRouteComponent(() => import('./settings/keys.tsx'), 'Keys'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: '/webhooks',
    component: lazyRouteComponent(() => import('./hooks/webhooks.tsx'), 'Webhooks'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: '/me',
    component: lazyRouteComponent(() => import('./settings/me.tsx'), 'Me'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: '/audit',
    validateSearch: ({ cursor }: Record<string, unknown>) => cursorIn(cursor),
    component: lazyRouteComponent(() => import('./settings/audit.tsx'), 'Audit'),
  }),
] as const

/** A text of a page's address; a number there is one, too. */
function textIn<Name extends string>(name: Name, value: unknown): { [Key in Name]?: string } {
  if (typeof value !== 'string' && typeof value !== 'number') return {}
  const found: { [Key in Name]?: string } = {}
  found[name] = String(value)
  return found
}

/** A cursor of a list, in the address of its page. */
function cursorIn(cursor: unknown): { cursor?: string } {
  return typeof cursor === 'string' ? { cursor } : {}
}

const tree = root.addChildren([
  start,
  organization.addChildren([
    overview,
    contacts,
    contact,
    imports,
    segments,
    newSegment,
    segment,
    topics,
    topic,
    suppressions,
    batches,
    newBatch,
    batch,
    templates,
    template,
    workflows,
    newWorkflow,
    workflow,
    editWorkflow,
    execution,
    logs,
    log,
    metrics,
    accounts,
    connect,
    account,
    webhook,
    settings.addChildren(settingsParts),
  ]),
])

export const router = createRouter({
  routeTree: tree,
  basepath: '/console',
  defaultPreload: 'intent',
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
