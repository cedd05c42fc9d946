import { useQuery } from '@tanstack/react-query'
import { configQuery } from '../lib/config.ts'
import { useClient, useOrganizationId, useSession } from '../lib/session.tsx'
import { senderAddress, useVerifiedSenders } from '../sending/senders.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Field, Form } from '../ui/form.tsx'
import { Loading } from '../ui/states.tsx'
import { useToast } from '../ui/toast.tsx'

interface TemplateTestProps {
  id: string
  isOpen: boolean
  close: () => void
}

/** Sends what is saved, published or not, to a few people who look at it. */
export function TemplateTest({ id, isOpen, close }: TemplateTestProps) {
  const client = useClient()
  const org = useOrganizationId()
  const { user } = useSession()
  const toast = useToast()
  const { data: config } = useQuery(configQuery)
  const senders = useVerifiedSenders(isOpen)
  const [first] = senders ?? []
  return (
    <Dialog
      title="Send a test"
      about={
        config?.inboxUrl === undefined
          ? 'As it is written now, with “[Test]” before its subject.'
          : 'As it is written now, with “[Test]” before its subject. It is in the inbox of this development system a moment later.'
      }
      isOpen={isOpen}
      close={close}
    >
      {/* A form that comes before its sender would be made anew while somebody types. */}
      {senders === undefined ? (
        <Loading />
      ) : (
        <Form
          name={`template-test-${org}`}
          action="Send it"
          submit={async ({ to = '', from = '' }) => {
            const { mails } = await client.post('/v1/templates/{id}/test', {
              params: { path: { id } },
              body: {
                to: to.split(/[\s,;]+/).filter((address) => address !== ''),
                from,
                ...(first === undefined ? {} : { cloudAccountId: first.cloudAccountId }),
              },
            })
            const isHeld = mails.some(({ status }) => status === 'suppressed')
            toast(isHeld ? 'One of the addresses may not be mailed' : 'The test is on its way')
            close()
          }}
        >
          <Field
            label="To"
            name="to"
            hint="Up to five addresses, with commas between them."
            defaultValue={user.email}
            required
          />
          <Field
            label="From"
            name="from"
            type="email"
            hint={
              senders?.length === 0
                ? 'No account has a verified sender yet: see Accounts.'
                : 'Of a verified sender.'
            }
            defaultValue={first === undefined ? '' : senderAddress(first.identity)}
            required
          />
        </Form>
      )}
    </Dialog>
  )
}
