import { useQuery, useQueryClient } from '@tanstack/react-query'
import { SHORTEST_PASSWORD } from '../../domain/access/login.ts'
import { ago, day } from '../lib/format.ts'
import { useClient, useOrganizationId, useSession } from '../lib/session.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Field, Form } from '../ui/form.tsx'
import { Card } from '../ui/page.tsx'
import { Shown } from '../ui/states.tsx'
import { Mark } from '../ui/status.tsx'
import { Table } from '../ui/table.tsx'

export function Me() {
  return (
    <div className="stack">
      <Password />
      <Sessions />
    </div>
  )
}

function Password() {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  const { user } = useSession()
  return (
    <Card title="Password">
      <Form
        name="password"
        action="Change the password"
        done="Your password is changed. You are signed out everywhere else."
        isCleared
        submit={async ({ currentPassword = '', newPassword = '' }) => {
          await client.post('/auth/password', { body: { currentPassword, newPassword } })
          await cache.invalidateQueries({ queryKey: [org, 'sessions'] })
        }}
      >
        <p className="soft">
          You sign in as {user.email}. A new password ends your other sessions.
        </p>
        {/* Password managers learn whose password it is. */}
        <input type="email" hidden autoComplete="username" readOnly value={user.email} />
        <Field
          label="Password that you have now"
          name="currentPassword"
          type="password"
          autoComplete="current-password"
          required
        />
        <Field
          label="New password"
          name="newPassword"
          type="password"
          autoComplete="new-password"
          hint={`At least ${SHORTEST_PASSWORD} characters. A few words are easier to keep than signs.`}
          minLength={SHORTEST_PASSWORD}
          required
        />
      </Form>
    </Card>
  )
}

function Sessions() {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  const answer = useQuery({
    queryKey: [org, 'sessions'],
    queryFn: () => client.get('/auth/sessions', { params: { query: { limit: 100 } } }),
  })
  const refresh = () => cache.invalidateQueries({ queryKey: [org, 'sessions'] })
  const others = (answer.data?.data ?? []).filter(({ current }) => !current).length
  return (
    <Card
      title="Where you are signed in"
      isFlush
      actions={
        others === 0 ? undefined : (
          <Confirm
            action="Sign out everywhere else"
            title="Sign out everywhere else?"
            done="You are signed out everywhere else"
            run={async () => {
              await client.delete('/auth/sessions')
              await refresh()
            }}
          >
            <p>
              {others === 1 ? 'One other session ends' : `${others} other sessions end`}, within a
              second, in all your organizations. This one stays.
            </p>
          </Confirm>
        )
      }
    >
      <Shown answer={answer}>
        {({ data }) => (
          <Table
            caption="Your sessions"
            rows={data}
            keyOf={({ id }) => id}
            columns={[
              { title: 'Organization', cell: ({ organizationName }) => organizationName },
              {
                title: 'Last used',
                cell: ({ current, lastSeenAt }) =>
                  current ? <Mark tone="good">This session</Mark> : ago(lastSeenAt),
              },
              { title: 'Signed in', cell: ({ createdAt }) => ago(createdAt) },
              { title: 'Ends', cell: ({ expiresAt }) => day(expiresAt), isExtra: true },
              {
                title: 'Actions',
                isUntitled: true,
                cell: ({ id, current, organizationName }) =>
                  current ? null : (
                    <Confirm
                      label="End"
                      action="End the session"
                      title="End this session?"
                      look="quiet"
                      done="The session has ended"
                      run={async () => {
                        await client.delete('/auth/sessions/{id}', { params: { path: { id } } })
                        await refresh()
                      }}
                    >
                      <p>Whoever uses it has to sign in to {organizationName} again.</p>
                    </Confirm>
                  ),
              },
            ]}
          />
        )}
      </Shown>
    </Card>
  )
}
