import { useNavigate } from '@tanstack/react-router'
import { ChevronsUpDown, Ellipsis, LogOut, UserRound } from 'lucide-react'
import { useState } from 'react'
import { endSession } from '../lib/queries.ts'
import { useSession } from '../lib/session.tsx'
import { chooseTheme, currentTheme, isTheme } from '../lib/theme.ts'
import { Button } from '../ui/button.tsx'
import { Menu, MenuChoices, MenuItem, MenuLine } from '../ui/menu.tsx'
import { PLACES } from './places.ts'
import { useSwitch } from './use-switch.ts'
import './account-menu.css'

const THEME_CHOICES = [
  { value: 'system', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]

/** Who is signed in, where, and the way out. */
export function AccountMenu() {
  const { user, organization } = useSession()
  return (
    <Menu
      side="top"
      trigger={
        <button type="button" className="account">
          <span className="account-mark" aria-hidden="true">
            {(user.name.trim()[0] ?? '?').toUpperCase()}
          </span>
          <span className="account-words">
            <span>{user.name}</span>
            <span className="soft">{organization.name}</span>
          </span>
          <ChevronsUpDown aria-hidden="true" size={16} />
        </button>
      }
    >
      <AccountItems />
    </Menu>
  )
}

function AccountItems() {
  const { organization, organizations } = useSession()
  const navigate = useNavigate()
  const goTo = useSwitch()
  const [theme, setTheme] = useState(currentTheme)
  return (
    <>
      {organizations.length > 1 ? (
        <>
          <MenuChoices
            label="Organization"
            value={organization.id}
            choose={(id) => void goTo(id)}
            choices={organizations.map(({ id, name }) => ({ value: id, label: name }))}
          />
          <MenuLine />
        </>
      ) : null}
      <MenuChoices
        label="Look"
        value={theme}
        choose={(chosen) => {
          if (!isTheme(chosen)) return
          chooseTheme(chosen)
          setTheme(chosen)
        }}
        choices={THEME_CHOICES}
      />
      <MenuLine />
      <MenuItem
        icon={<UserRound aria-hidden="true" />}
        run={() => void navigate({ to: '/$org/settings/me', params: { org: organization.id } })}
      >
        Password and sessions
      </MenuItem>
      <MenuItem icon={<LogOut aria-hidden="true" />} run={() => void endSession()}>
        Sign out
      </MenuItem>
    </>
  )
}

/** On a phone: the pages that the bar at the bottom has no room for. */
export function MoreMenu({ org }: { org: string }) {
  const navigate = useNavigate()
  return (
    <Menu
      side="top"
      align="end"
      trigger={
        <Button look="quiet" icon={<Ellipsis aria-hidden="true" />}>
          More
        </Button>
      }
    >
      {PLACES.filter(({ isMain }) => !isMain).map(({ to, name, icon: Icon }) => (
        <MenuItem
          key={to}
          icon={<Icon aria-hidden="true" />}
          run={() => void navigate({ to, params: { org } })}
        >
          {name}
        </MenuItem>
      ))}
      <MenuLine />
      <AccountItems />
    </Menu>
  )
}
