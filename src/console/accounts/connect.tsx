import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { Schemas } from '../../client/index.ts'
import { useClient, useOrganizationId } from '../lib/session.tsx'
import { Field, Form, Select } from '../ui/form.tsx'
import { Card, Page } from '../ui/page.tsx'

type Region = Extract<Schemas['ConnectionInput'], { region: unknown }>['region']

/** The regions that most people use come first; the API knows all. */
const REGIONS: readonly Region[] = [
  'eu-central-1',
  'eu-west-1',
  'us-east-1',
  'us-east-2',
  'us-west-2',
  'eu-west-2',
  'eu-west-3',
  'eu-north-1',
  'eu-south-1',
  'eu-central-2',
  'ap-northeast-1',
  'ap-northeast-2',
  'ap-northeast-3',
  'ap-south-1',
  'ap-south-2',
  'ap-southeast-1',
  'ap-southeast-2',
  'ap-southeast-3',
  'ap-southeast-5',
  'ca-central-1',
  'ca-west-1',
  'sa-east-1',
  'us-west-1',
  'af-south-1',
  'il-central-1',
  'me-central-1',
  'me-south-1',
  'us-gov-east-1',
  'us-gov-west-1',
]

const asRegion = (text: string): Region =>
  REGIONS.find((region) => region === text) ?? 'eu-central-1'

export function Connect() {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  const navigate = useNavigate()
  return (
    <Page
      title="Connect an account"
      about="Mail leaves through an AWS account of yours. You stay its owner: we get a role that may send mail and read figures, nothing else."
      above={
        <Link to="/$org/accounts" params={{ org }}>
          Accounts
        </Link>
      }
      isNarrow
    >
      <Card>
        <Form
          name="connect"
          action="Continue to the setup file"
          submit={async ({ accountId = '', region = '', name = '' }) => {
            const { connectionId } = await client.post('/v1/connections', {
              body: {
                accountId: accountId.replaceAll(/[\s-]/g, ''),
                region: asRegion(region),
                ...(name.trim() === '' ? {} : { name }),
              },
            })
            await cache.invalidateQueries({ queryKey: [org, 'connections'] })
            await navigate({ to: '/$org/accounts/$id', params: { org, id: connectionId } })
          }}
        >
          <Field
            label="Account number"
            name="accountId"
            hint="Twelve digits: in the AWS console they are in the menu with your name, at the top right."
            inputMode="numeric"
            autoComplete="off"
            required
          />
          <Select
            label="Region"
            name="region"
            defaultValue="eu-central-1"
            hint="Where SES sends for you. Each region has senders, quota and reputation of its own."
          >
            {REGIONS.map((region) => (
              <option key={region}>{region}</option>
            ))}
          </Select>
          <Field
            label="Name"
            name="name"
            hint="What you call it here."
            isOptional
            maxLength={200}
          />
        </Form>
      </Card>
    </Page>
  )
}
