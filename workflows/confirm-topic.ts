import { defineSignal, setHandler } from '@temporalio/workflow'
import { askForConfirmations } from './confirmation.ts'
import { type ConfirmTopicInput, END_CONFIRMATION_SIGNAL } from './contract.ts'

/**
 * A double opt-in: a contact, a topic, a generation. The run ends by a signal when the confirmation
 * is no longer awaited, so that it need not sleep until its next timer, or after thirty days.
 */
export async function confirmTopic(input: ConfirmTopicInput): Promise<void> {
  let isEnded = false
  setHandler(defineSignal(END_CONFIRMATION_SIGNAL), () => {
    isEnded = true
  })
  const { organizationId, contactId, topicId, generation } = input
  await askForConfirmations(
    { organizationId, which: { contactId, topicId, generation } },
    () => isEnded,
  )
}
