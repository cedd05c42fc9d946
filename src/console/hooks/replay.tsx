import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { number } from '../lib/format.ts'
import { useClient, useOrganizationId } from '../lib/session.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Form, Select } from '../ui/form.tsx'
import { useToast } from '../ui/toast.tsx'

const HOUR_MS = 3_600_000
const PERIODS = [
  { hours: 1, words: 'the last hour' },
  { hours: 24, words: 'the last 24 hours' },
  { hours: 72, words: 'the last 3 days' },
  { hours: 336, words: 'the last 14 days' },
]

/** Sends again what failed in a period. */
export function Replay({ id }: { id: string }) {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  const toast = useToast()
  const [isOpen, setOpen] = useState(false)
  const replay = async (since: string): Promise<void> => {
    let replayed = 0
    let more = true
    while (more) {
      const answer = await client.post('/v1/webhook-endpoints/{id}/replay', {
        params: { path: { id } },
        body: { since },
      })
      replayed += answer.replayed
      more = answer.more
    }
    setOpen(false)
    toast(replayed === 0 ? 'Nothing had failed' : `${number(replayed)} are sent again`)
    await cache.invalidateQueries({ queryKey: [org, 'webhooks'] })
  }
  return (
    <>
      <Button onClick={() => setOpen(true)}>Send failed ones again</Button>
      <Dialog
        title="Send failed deliveries again"
        about="What failed for good, oldest first. Events keep their ids."
        isOpen={isOpen}
        close={() => setOpen(false)}
      >
        <Form
          name={`webhook-replay-${id}`}
          action="Send them again"
          submit={({ hours = '1' }) =>
            replay(new Date(Date.now() - Number(hours) * HOUR_MS).toISOString())
          }
        >
          <Select label="Of" name="hours" defaultValue="24">
            {PERIODS.map(({ hours, words }) => (
              <option key={hours} value={hours}>
                {words}
              </option>
            ))}
          </Select>
        </Form>
      </Dialog>
    </>
  )
}
