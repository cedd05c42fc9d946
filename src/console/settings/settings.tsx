import { Link, Outlet } from '@tanstack/react-router'
import { useMay, useOrganizationId, useSession } from '../lib/session.tsx'
import { Page } from '../ui/page.tsx'
import { Note } from '../ui/states.tsx'
import './settings.css'

const PARTS = [
  { to: '/$org/settings', name: 'Organization' },
  { to: '/$org/settings/people', name: 'People' },
  { to: '/$org/settings/keys', name: 'API keys', isForManagers: true },
  { to: '/$org/settings/webhooks', name: 'Webhooks', isForManagers: true },
  { to: '/$org/settings/audit', name: 'Audit', isForManagers: true },
  { to: '/$org/settings/me', name: 'My account' },
] as const

export function Settings() {
  const org = useOrganizationId()
  const { role } = useSession()
  const isManager = useMay('full')
  return (
    <Page title="Settings" about="Your organization, who works in it, and what programs may do.">
      {isManager ? null : (
        <Note>
          <p>You are a {role} here: you see the settings. Owners and admins change them.</p>
        </Note>
      )}
      <nav aria-label="Parts of the settings" className="parts">
        {PARTS.filter((part) => isManager || !('isForManagers' in part)).map(({ to, name }) => (
          <Link
            key={to}
            to={to}
            params={{ org }}
            className="part"
            activeOptions={{ exact: true, includeSearch: false }}
          >
            {name}
          </Link>
        ))}
      </nav>
      <Outlet />
    </Page>
  )
}
