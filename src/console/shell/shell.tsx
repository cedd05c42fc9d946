import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useParams } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { configQuery } from '../lib/config.ts'
import { useSession } from '../lib/session.tsx'
import { Loading } from '../ui/states.tsx'
import { OutsideLinks } from './outside-links.tsx'
import { LiveSwitch } from './live-switch.tsx'
import { Logo } from './logo.tsx'
import { PLACES, type Place } from './places.ts'
import { Shortcuts } from './shortcuts.tsx'
import { SignInAgain } from './sign-in.tsx'
import { WrongOrganization } from './wrong-organization.tsx'
import './shell.css'

// Menus are a fifth of all code, and nobody opens one before the page is there.
const AccountMenu = lazy(async () => ({
  default: (await import('./account-menu.tsx')).AccountMenu,
}))
const MoreMenu = lazy(async () => ({ default: (await import('./account-menu.tsx')).MoreMenu }))

/** What stands around every page of an organization. */
export function Shell() {
  const session = useSession()
  const { org = '' } = useParams({ strict: false })
  const { data: config } = useQuery(configQuery)
  if (org.toLowerCase() !== session.organization.id) return <WrongOrganization asked={org} />
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to the page
      </a>
      <nav className="rail" aria-label="Console">
        <Link to="/$org" params={{ org }} className="rail-logo" aria-label="Letterloom, overview">
          <Logo />
        </Link>
        <Rail org={org} />
        <div className="rail-end">
          <OutsideLinks config={config} />
          <Suspense fallback={<span className="account" />}>
            <AccountMenu />
          </Suspense>
        </div>
      </nav>
      <div className="shell-main">
        <header className="heads">
          {config?.isDevelopment ? <DevelopmentBanner inboxUrl={config.inboxUrl} /> : null}
          <div className="top">
            <span className="top-organization">{session.organization.name}</span>
            <LiveSwitch />
          </div>
        </header>
        <main id="main">
          <Suspense
            fallback={
              <div className="page">
                <Loading />
              </div>
            }
          >
            <Outlet />
          </Suspense>
        </main>
      </div>
      <BottomBar org={org} />
      <Shortcuts org={org} />
      <SignInAgain session={session} />
    </div>
  )
}

function DevelopmentBanner({ inboxUrl }: { inboxUrl: string | undefined }) {
  return (
    <p className="banner">
      Development: no mail leaves this machine
      {inboxUrl === undefined ? null : (
        <>
          ; it is in the <a href={inboxUrl}>inbox</a>
        </>
      )}
      .
    </p>
  )
}

function Rail({ org }: { org: string }) {
  const groups = [...new Set(PLACES.map(({ group }) => group))]
  return groups.map((group) => (
    <div key={group} className="rail-group">
      {group === '' ? null : (
        <p className="rail-title" id={`rail-${group}`}>
          {group}
        </p>
      )}
      <ul aria-labelledby={group === '' ? undefined : `rail-${group}`}>
        {PLACES.filter((place) => place.group === group).map((place) => (
          <li key={place.to}>
            <PlaceLink place={place} org={org} className="rail-link" />
          </li>
        ))}
      </ul>
    </div>
  ))
}

function PlaceLink({ place, org, className }: { place: Place; org: string; className: string }) {
  const { to, name, icon: Icon } = place
  return (
    <Link to={to} params={{ org }} className={className} activeOptions={{ exact: to === '/$org' }}>
      <Icon aria-hidden="true" size={18} strokeWidth={1.75} />
      {name}
    </Link>
  )
}

/** On a phone. */
function BottomBar({ org }: { org: string }) {
  return (
    <nav className="bottom-bar" aria-label="Main pages">
      {PLACES.filter(({ isMain }) => isMain).map((place) => (
        <PlaceLink key={place.to} place={place} org={org} className="bottom-link" />
      ))}
      <Suspense fallback={<span className="bottom-link" />}>
        <MoreMenu org={org} />
      </Suspense>
    </nav>
  )
}
