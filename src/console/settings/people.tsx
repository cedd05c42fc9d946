import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Schemas } from '../../client/index.ts'
import { mayManage, ROLES, type Role } from '../../domain/access/access.ts'
import { configQuery } from '../lib/config.ts'
import { ago, day } from '../lib/format.ts'
import { useClient, useMay, useOrganizationId, useSession } from '../lib/session.tsx'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Field, Form, Select } from '../ui/form.tsx'
import { Card } from '../ui/page.tsx'
import { Note, Shown } from '../ui/states.tsx'
import { Table } from '../ui/table.tsx'
import { useToast } from '../ui/toast.tsx'

const ROLE_WORDS: Record<Role, string> = {
  viewer: 'Viewer: sees everything, changes nothing',
  member: 'Member: contacts, templates, sending, workflows',
  admin: 'Admin: everything, also AWS accounts, keys and people',
  owner: 'Owner: everything, also other owners',
}

const asRole = (text: string | undefined): Role => ROLES.find((role) => role === text) ?? 'viewer'

export function People() {
  const mayInvite = useMay('members')
  return (
    <div className="stack">
      <Members />
      {mayInvite ? <Invite /> : null}
      <Invitations />
    </div>
  )
}

function Members() {
  const client = useClient()
  const org = useOrganizationId()
  const answer = useQuery({
    queryKey: [org, 'members'],
    queryFn: () => client.get('/v1/members', { params: { query: { limit: 100 } } }),
  })
  return (
    <Card title="People" isFlush>
      <Shown answer={answer}>
        {({ data }) => (
          <Table
            caption="People of this organization"
            rows={data}
            keyOf={({ id }) => id}
            columns={[
              { title: 'Name', cell: (member) => <MemberName member={member} /> },
              { title: 'Address', cell: ({ email }) => email },
              { title: 'Role', cell: (member) => <MemberRole member={member} /> },
              { title: 'Since', cell: ({ createdAt }) => day(createdAt), isExtra: true },
              {
                title: 'Actions',
                cell: (member) => <RemoveMember member={member} />,
                isUntitled: true,
              },
            ]}
          />
        )}
      </Shown>
    </Card>
  )
}

type Member = Schemas['Member']

function MemberName({ member }: { member: Member }) {
  const { user } = useSession()
  return (
    <>
      {member.name}
      {member.id === user.id ? <span className="soft"> (you)</span> : null}
    </>
  )
}

function useManages(member: Member): boolean {
  const { role, user } = useSession()
  return member.id !== user.id && mayManage(role, member.role)
}

function MemberRole({ member }: { member: Member }) {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  const toast = useToast()
  const { role } = useSession()
  const manages = useManages(member)
  if (!manages) return <span className="plan">{member.role}</span>
  const change = async (chosen: Role): Promise<void> => {
    const params = { path: { id: member.id } }
    try {
      await client.patch('/v1/members/{id}', { params, body: { role: chosen } })
      toast(
        `${member.name} is ${chosen === 'admin' || chosen === 'owner' ? 'an' : 'a'} ${chosen} now`,
      )
    } finally {
      await cache.invalidateQueries({ queryKey: [org, 'members'] })
    }
  }
  return (
    <select
      className="input"
      aria-label={`Role of ${member.name}`}
      value={member.role}
      onChange={(event) => void change(asRole(event.currentTarget.value))}
    >
      {ROLES.filter((each) => each === member.role || mayManage(role, each)).map((each) => (
        <option key={each}>{each}</option>
      ))}
    </select>
  )
}

function RemoveMember({ member }: { member: Member }) {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  if (!useManages(member)) return null
  return (
    <Confirm
      label="Remove"
      action={`Remove ${member.name}`}
      title={`Remove ${member.name}?`}
      look="quiet"
      done={`${member.name} is not a member any more`}
      run={async () => {
        await client.delete('/v1/members/{id}', { params: { path: { id: member.id } } })
        await cache.invalidateQueries({ queryKey: [org, 'members'] })
      }}
    >
      <p>
        {member.name} can do nothing here any more, within a second. What they made stays. You can
        invite them again.
      </p>
    </Confirm>
  )
}

function Invite() {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  const { role } = useSession()
  const { data: config } = useQuery(configQuery)
  return (
    <Card title="Invite somebody">
      {config?.sendsNotices === false ? (
        <Note tone="careful">
          <p>
            This server cannot send mail of its own yet (NOTICE_FROM), so nobody can be invited from
            here. Whoever runs it can: <code>letterloom user invite &lt;address&gt; {org}</code>
          </p>
        </Note>
      ) : (
        <Form
          name="invite"
          action="Send the invitation"
          done="The invitation is on its way"
          isCleared
          submit={async ({ email = '', role: chosen, name = '' }) => {
            await client.post('/v1/members', {
              body: { email, role: asRole(chosen), ...(name.trim() === '' ? {} : { name }) },
            })
            await cache.invalidateQueries({ queryKey: [org, 'invitations'] })
          }}
        >
          <Field label="Email address" name="email" type="email" required />
          <Field label="Name" name="name" isOptional />
          <Select label="Role" name="role" defaultValue="member">
            {ROLES.filter((each) => mayManage(role, each)).map((each) => (
              <option key={each} value={each}>
                {ROLE_WORDS[each]}
              </option>
            ))}
          </Select>
        </Form>
      )}
    </Card>
  )
}

function Invitations() {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  const toast = useToast()
  const mayInvite = useMay('members')
  const answer = useQuery({
    queryKey: [org, 'invitations'],
    queryFn: () => client.get('/v1/invitations', { params: { query: { limit: 100 } } }),
    enabled: mayInvite,
  })
  if (!mayInvite || answer.data?.data.length === 0) return null
  const refresh = () => cache.invalidateQueries({ queryKey: [org, 'invitations'] })
  const resend = async (id: string, email: string): Promise<void> => {
    await client.post('/v1/invitations/{id}/resend', { params: { path: { id } } })
    toast(`${email} gets a new link`)
    await refresh()
  }
  return (
    <Card title="Open invitations" isFlush>
      <Shown answer={answer} rows={2}>
        {({ data }) => (
          <Table
            caption="Invitations that nobody has accepted yet"
            rows={data}
            keyOf={({ id }) => id}
            columns={[
              { title: 'Address', cell: ({ email }) => email },
              { title: 'Role', cell: ({ role }) => <span className="plan">{role}</span> },
              {
                title: 'Link works until',
                cell: ({ expiresAt }) => ago(expiresAt),
                isExtra: true,
              },
              {
                title: 'Actions',
                isUntitled: true,
                cell: ({ id, email }) => (
                  <div className="row">
                    <Button look="quiet" onClick={() => void resend(id, email)}>
                      Send again
                    </Button>
                    <Confirm
                      label="Revoke"
                      action="Revoke the invitation"
                      title={`Revoke the invitation of ${email}?`}
                      look="quiet"
                      done="The invitation is revoked"
                      run={async () => {
                        await client.delete('/v1/invitations/{id}', { params: { path: { id } } })
                        await refresh()
                      }}
                    >
                      <p>Its link stops working at once. You can invite them again.</p>
                    </Confirm>
                  </div>
                ),
              },
            ]}
          />
        )}
      </Shown>
    </Card>
  )
}
