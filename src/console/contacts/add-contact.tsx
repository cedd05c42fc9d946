import { useQueryClient } from '@tanstack/react-query'
import { useClient, useOrganizationId } from '../lib/session.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field, Form } from '../ui/form.tsx'

export function AddContact({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  return (
    <Dialog
      title="Add a contact"
      about="Add people who asked for your mail. To add many, import a file."
      isOpen={isOpen}
      close={close}
    >
      <Form
        name="contact"
        action="Add the contact"
        done="The contact is added"
        submit={async ({ email = '', firstName = '', lastName = '', company = '' }) => {
          const given = Object.entries({ firstName, lastName, company }).filter(
            ([, text]) => text.trim() !== '',
          )
          await client.post('/v1/contacts', { body: { email, ...Object.fromEntries(given) } })
          await cache.invalidateQueries({ queryKey: [org, 'contacts'] })
          close()
        }}
      >
        <Field label="Email address" name="email" type="email" autoComplete="off" required />
        <Field label="First name" name="firstName" autoComplete="off" isOptional />
        <Field label="Last name" name="lastName" autoComplete="off" isOptional />
        <Field label="Company" name="company" autoComplete="off" isOptional />
      </Form>
    </Dialog>
  )
}
