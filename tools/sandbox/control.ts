import type { Account, AccountUpdate } from './accounts.ts'
import type { Faults } from './faults.ts'
import type { Counts, MailFilter, MailSummary, MailView } from './mails.ts'
import type { EventStats } from './pump.ts'
import type { Settings } from './settings.ts'
import type { InboundOutcome, InboundText } from './sms/inbound.ts'
import type { StoredText } from './sms/texts.ts'

/** Controls a running sandbox, for tests, the demo and `dev`. */
export function sandboxControl(url: string) {
  const call = async <T>(
    method: string,
    path: string,
    { query = {}, body }: { query?: object; body?: object } = {},
  ): Promise<T> => {
    const target = new URL(`/_sandbox/${path}`, url)
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) target.searchParams.set(name, String(value))
    }
    const response = await fetch(target, {
      method,
      ...(body
        ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
        : {}),
    })
    if (!response.ok) {
      throw new Error(`${method} ${target.pathname}: ${response.status} ${await response.text()}`)
    }
    return (await response.json()) as T
  }

  return {
    putAccount: (accountNumber: string, update: AccountUpdate) =>
      call<Account>('PUT', `accounts/${accountNumber}`, { body: update }),
    account: (accountNumber: string, region?: string) =>
      call<Account>('GET', `accounts/${accountNumber}`, { query: { region } }),
    accounts: async () => (await call<{ accounts: Account[] }>('GET', 'accounts')).accounts,

    /** Without an account: those of all accounts. */
    faults: (account?: string) => call<Faults>('GET', 'faults', { query: { account } }),
    setFaults: (faults: Partial<Faults>, account?: string) =>
      call<Faults>('PUT', 'faults', { query: { account }, body: faults }),
    resetFaults: (account?: string) => call<Faults>('DELETE', 'faults', { query: { account } }),

    /** Calls of each action of an account since the start. */
    calls: (accountNumber: string) => call<Record<string, number>>('GET', `calls/${accountNumber}`),

    /** Puts messages with any content into a queue. */
    putMessages: (
      accountNumber: string,
      query: { region: string; name: string },
      bodies: string[],
    ) => call<object>('PUT', `queues/${accountNumber}`, { query, body: { bodies } }),
    /** Counts receivable messages of a queue, and received ones. */
    queue: (accountNumber: string, query: { region: string; name: string }) =>
      call<{ visible: number; hidden: number }>('GET', `queues/${accountNumber}`, { query }),

    settings: () => call<Settings>('GET', 'settings'),
    setSettings: (settings: Partial<Settings>) =>
      call<Settings>('PUT', 'settings', { body: settings }),

    /** Accepted recipients, and those who got a mail twice. */
    counts: (query: { account?: string; batch?: string } = {}) =>
      call<Counts>('GET', 'counts', { query }),
    /** Loses the pending events of a mail, by id or message id. */
    loseEvents: (mail: string) => call<{ lost: number }>('DELETE', `events/${mail}`),
    eventStats: () => call<EventStats>('GET', 'events/stats'),

    mails: (query: MailFilter = {}) =>
      call<{ mails: MailSummary[]; cursor: string | null }>('GET', 'mails', { query }),
    /** By id or message id. `raw` is base64. */
    mail: (id: string) =>
      call<Omit<MailView, 'raw'> & { raw: string | null }>('GET', `mails/${id}`),
    /** Accepted texts, newest first. */
    texts: async (query: { account?: string; destination?: string } = {}) =>
      (await call<{ texts: StoredText[] }>('GET', 'texts', { query })).texts,
    /** Deletes all texts and their events. */
    clearTexts: () => call<{ success: true }>('DELETE', 'texts'),
    /** A person writes to a number of the account. */
    writeText: (accountNumber: string, region: string, text: InboundText) =>
      call<InboundOutcome>('POST', `inbound-texts/${accountNumber}`, {
        query: { region },
        body: text,
      }),

    /** Deletes all mail, events, counts and used quota. */
    clear: () => call<{ success: true }>('DELETE', 'mails'),
  }
}
