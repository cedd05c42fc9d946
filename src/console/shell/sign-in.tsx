import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { configQuery } from '../lib/config.ts'
import { ENDED_KEY, startSession } from '../lib/queries.ts'
import { type Session, signIn } from '../lib/session.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Check, Field, Form } from '../ui/form.tsx'
import { Logo } from './logo.tsx'
import './sign-in.css'

/** The first page of all. */
export function SignIn() {
  const { data: config } = useQuery(configQuery)
  useEffect(() => {
    document.title = 'Sign in – Letterloom'
  }, [])
  return (
    <main className="alone">
      <div className="sign-in">
        <Logo />
        <div className="stack close">
          <h1>Sign in</h1>
          <p className="soft">
            See what is being sent, send something yourself, and know who got it.
          </p>
        </div>
        <SignInForm />
        {config?.isDevelopment ? (
          <p className="soft small">
            This is a development system: the terminal that runs it shows the address and password.
          </p>
        ) : (
          <p className="soft small">
            Forgotten your password? Whoever runs this server can set a new one:{' '}
            <code>letterloom user set-password</code>
          </p>
        )}
      </div>
    </main>
  )
}

function SignInForm({ session }: { session?: Session }) {
  return (
    <Form
      name="sign-in"
      action="Sign in"
      submit={async ({ email = '', password = '', keep }) => {
        const organizationId = session?.organization.id
        startSession(
          await signIn({
            email,
            password,
            keep: keep !== undefined,
            ...(organizationId === undefined ? {} : { organizationId }),
          }),
        )
      }}
    >
      <Field
        label="Email address"
        name="email"
        type="email"
        autoComplete="username"
        defaultValue={session?.user.email}
        required
      />
      <Field
        label="Password"
        name="password"
        type="password"
        autoComplete="current-password"
        required
      />
      <Check label="Keep me signed in on this device" name="keep" value="yes" />
    </Form>
  )
}

/** Over the page when the session has ended: nothing that was typed is lost. */
export function SignInAgain({ session }: { session: Session }) {
  const { data: isEnded = false } = useQuery<boolean>({
    queryKey: ENDED_KEY,
    queryFn: () => false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  })
  return (
    <Dialog
      title="Sign in again"
      about="Your session has ended. What you typed is still here."
      isOpen={isEnded}
      isForced
      close={() => {}}
    >
      <SignInForm session={session} />
    </Dialog>
  )
}
