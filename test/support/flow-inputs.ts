import type { Uuid } from '../../src/runtime/ids.ts'
import type { Client } from './api.ts'

/** A flow that mails somebody and waits for their reaction. Each call may change parts of it. */
export const flowInput = (changes: object = {}) => ({
  name: 'Welcome',
  triggerType: 'event',
  triggerConfig: { eventName: 'signed_up' },
  steps: [
    {
      id: 'welcome',
      type: 'send_email',
      name: 'Welcome mail',
      config: {
        from: 'hello@example.com',
        subject: 'Hello {{ contact.firstName | default: "there" }}',
        html: '<p>Good to have you, because of {{ trigger.data.plan | default: "x" }}.</p>',
      },
    },
    {
      id: 'wait',
      type: 'wait_for_event',
      name: 'First order?',
      config: { eventName: 'order_placed', timeout: { amount: 3, unit: 'days' } },
    },
    { id: 'bought', type: 'exit', name: 'Bought', config: { outcome: 'completed' } },
    { id: 'call', type: 'webhook', name: 'Tell sales', config: webhookConfig },
  ],
  transitions: [
    { from: 'trigger', to: 'welcome' },
    { from: 'welcome', to: 'wait' },
    { from: 'wait', to: 'bought', branch: 'yes' },
    { from: 'wait', to: 'call', branch: 'timeout' },
  ],
  ...changes,
})

export const webhookConfig = {
  url: 'https://sales.example.com/hook',
  method: 'POST',
  headers: { authorization: 'Bearer s3cret' },
  body: '{"contact": {{ contact.id | json }}, "plan": {{ trigger.data.plan | json }}}',
}

/** A flow of one step that starts by the API. */
export const smallFlow = (changes: object = {}) => ({
  name: 'Small',
  triggerType: 'api',
  steps: [{ id: 'end', type: 'exit', name: 'End', config: { outcome: 'completed' } }],
  ...changes,
})

export async function createFlow(
  client: Client,
  input: object = smallFlow(),
): Promise<{ id: Uuid }> {
  const { status, body } = await client.post('/v1/workflows', input)
  if (status !== 201) throw new Error(`${status}: ${JSON.stringify(body)}`)
  return body
}
