import { useSession } from '../lib/session.tsx'
import { Button, ButtonLink } from '../ui/button.tsx'
import { useSwitch } from './use-switch.ts'
import { Logo } from './logo.tsx'

/** The address is of another organization than the session works in. */
export function WrongOrganization({ asked }: { asked: string }) {
  const { organization, organizations } = useSession()
  const goTo = useSwitch()
  const other = organizations.find(({ id }) => id === asked.toLowerCase())
  return (
    <main className="alone">
      <div className="sign-in">
        <Logo />
        {other ? (
          <>
            <div className="stack close">
              <h1>This page is of {other.name}</h1>
              <p className="soft">
                You work in {organization.name} now, in all tabs. Pages of {other.name} show nothing
                until you switch.
              </p>
            </div>
            <div className="row">
              <Button look="primary" onClick={() => void goTo(other.id)}>
                Switch to {other.name}
              </Button>
              <ButtonLink to="/$org" params={{ org: organization.id }}>
                Stay in {organization.name}
              </ButtonLink>
            </div>
          </>
        ) : (
          <>
            <div className="stack close">
              <h1>There is no such page</h1>
              <p className="soft">
                It is gone, is of an organization that you do not belong to, or the address is
                mistyped.
              </p>
            </div>
            <div className="row">
              <ButtonLink look="primary" to="/$org" params={{ org: organization.id }}>
                Go to the overview
              </ButtonLink>
            </div>
          </>
        )}
      </div>
    </main>
  )
}
