import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
} from '@tanstack/react-router'
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

/** A cursor of a list, in the address of its page. */
function cursorIn(cursor: unknown): { cursor?: string } {
  return typeof cursor === 'string' ? { cursor } : {}
}

const tree = root.addChildren([
  start,
  organization.addChildren([overview, settings.addChildren(settingsParts)]),
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
