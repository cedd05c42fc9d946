import { useQuery, useQueryClient } from '@tanstack/react-query'
import { PlanUsage } from '../overview/usage.tsx'
import { counted, number } from '../lib/format.ts'
import { SESSION_KEY } from '../lib/queries.ts'
import { useClient, useMay, useOrganizationId } from '../lib/session.tsx'
import { Copy } from '../ui/copy.tsx'
import { Field, Form, TextArea } from '../ui/form.tsx'
import { Card } from '../ui/page.tsx'
import { Shown } from '../ui/states.tsx'

export function OrganizationSettings() {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  const mayChange = useMay('full')
  const answer = useQuery({
    queryKey: [org, 'organization'],
    queryFn: () => client.get('/v1/organization'),
  })
  const save = async ({ name = '', postalAddress = '' }: Record<string, string>): Promise<void> => {
    // Browsers send line breaks of forms as CRLF.
    const lines = postalAddress.replaceAll('\r\n', '\n').trim()
    await client.patch('/v1/organization', {
      body: { name, branding: { postalAddress: lines === '' ? null : lines } },
    })
    await Promise.all([
      cache.invalidateQueries({ queryKey: [org, 'organization'] }),
      cache.invalidateQueries({ queryKey: SESSION_KEY }),
    ])
  }
  return (
    <Shown answer={answer}>
      {(organization) => (
        <div className="settings-columns">
          <Card title="Organization">
            {mayChange ? (
              <Form name="organization" action="Save" done="Saved" submit={save}>
                <Field
                  label="Name"
                  name="name"
                  hint="Stands on the pages where people unsubscribe and confirm."
                  defaultValue={organization.name}
                  required
                  maxLength={200}
                />
                <TextArea
                  label="Postal address"
                  name="postalAddress"
                  hint="Stands at the end of every marketing mail. Most countries ask for one."
                  defaultValue={organization.branding.postalAddress ?? ''}
                  isOptional
                  rows={4}
                  maxLength={300}
                />
              </Form>
            ) : (
              <dl className="facts">
                <dt>Name</dt>
                <dd>{organization.name}</dd>
                <dt>Postal address</dt>
                <dd>{organization.branding.postalAddress ?? '–'}</dd>
              </dl>
            )}
          </Card>
          <div className="stack">
            <Card title="Plan and usage">
              <PlanUsage organization={organization} />
            </Card>
            <Card title="Limits of programs">
              <div className="stack close">
                <p>
                  API keys of this organization may make{' '}
                  {counted(organization.limits.requestsPerMinute, 'request')} a minute and{' '}
                  {number(organization.limits.requestsPerDay)} a day, together. People who use this
                  console have limits of their own.
                </p>
                <p className="soft row">
                  Id of the organization <Copy text={organization.id} />
                </p>
              </div>
            </Card>
          </div>
        </div>
      )}
    </Shown>
  )
}
