import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../../src/store/db/sql.ts'
import type { Account } from './accounts.ts'
import { createColumn, numberArray, textArray } from './columns.ts'
import type { FaultSwitches } from './faults.ts'
import { contentId, createFolder, type Folded } from './fold.ts'
import { findLink } from './links.ts'
import { mailIds, messageId } from './message-id.ts'
import { type Outcome, planEvents } from './plan.ts'

export type Pair = [name: string, value: string]

export interface NewMail {
  account: Account
  sender: string
  recipients: { address: string; outcome: Outcome }[]
  subject: string
  batch: string | null
  messageTag: string | null
  body: Body
  /** Everything else, for viewing and for events. */
  detail: Detail
}

export type Body =
  | { kind: 'whole'; html: string | null; text: string | null }
  /** Rendered on demand. */
  | { kind: 'template'; html: string | null; text: string | null; data: Record<string, unknown> }
  | { kind: 'raw'; base64: string }

interface Detail {
  operation: 'SendEmail' | 'SendBulkEmail'
  /** The calling role or user. */
  role: string
  to: string[]
  cc: string[]
  bcc: string[]
  replyTo: string[]
  headers: Pair[]
  tags: Pair[]
  configurationSet: string | null
}

/** `detail` of a row, with the stored form of the body. */
export interface StoredDetail extends Partial<Detail> {
  html?: Folded
  text?: Folded
  data?: Record<string, unknown>
}

interface Waiting {
  mails: NewMail[]
  resolve: (messageIds: string[]) => void
  reject: (error: unknown) => void
}

interface EventRows {
  mailId: string[]
  position: number[]
  account: string[]
  target: number[]
  kind: string[]
  link: (string | null)[]
  occursAt: string[]
  dueAt: string[]
}

/** Two, so that one is computed while the other waits for the disk. */
const MAX_WRITERS = 2
const MAX_ROWS = 4_000
const MAX_SAVED = 50_000

interface Deps {
  sql: Sql
  faults: FaultSwitches
  /** Called after a commit with events. */
  onEvents: () => void
}

/**
 * Writes accepted mail. Calls that arrive while a statement runs share the next one, and each is
 * answered after its commit, so that answers survive a crash. A mail's time is that of the
 * statement, so that no mail is older than reports about its predecessors.
 */
export function createLedger({ sql, faults, onEvents }: Deps) {
  const queue: Waiting[] = []
  const unsaved = new Map<string, string>()
  const saved = new Set<string>()
  let writers = 0
  let scheduled = false
  let closed: Promise<void> | undefined

  const isClosed = (): boolean => closed !== undefined
  const isWriting = (): boolean => writers > 0

  const keep = (id: string, text: string): void => {
    if (!saved.has(id)) unsaved.set(id, text.replaceAll('\u0000', ''))
  }
  const folder = createFolder(keep)

  const schedule = (): void => {
    if (scheduled || writers >= MAX_WRITERS || closed || queue.length === 0) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      void write()
      schedule()
    })
  }

  const write = async (): Promise<void> => {
    if (closed || writers >= MAX_WRITERS) return
    const batch = nextBatch()
    if (batch.length === 0) return
    writers++
    try {
      const mails = batch.flatMap((each) => each.mails)
      const ids = mailIds(mails.length)
      const contents = await insert(mails, ids)
      for (const id of contents) {
        unsaved.delete(id)
        saved.add(id)
      }
      if (saved.size > MAX_SAVED) saved.clear()
      let at = 0
      for (const { mails: own, resolve } of batch) {
        const first = at
        at += own.length
        resolve(own.map(({ account }, n) => messageId(account.region, ids[first + n] ?? '')))
      }
    } catch (error) {
      // Whether it was committed is not known; neither will the callers know.
      for (const { reject } of batch) reject(error)
    } finally {
      writers--
      schedule()
    }
  }

  const nextBatch = (): Waiting[] => {
    let rows = 0
    let count = 0
    for (const { mails } of queue) {
      rows += mails.length
      if (count > 0 && rows > MAX_ROWS) break
      count++
    }
    return queue.splice(0, count)
  }

  /** Runs one statement and commit. Returns the ids of the contents it wrote. */
  const insert = async (mails: NewMail[], ids: string[]): Promise<string[]> => {
    const acceptedAt = Date.now()
    const { rows, events } = rowsOf(mails, ids, acceptedAt)
    const contents = [...unsaved]
    await sql`
      with content as (
        insert into sandbox.contents (id, body)
        select *
        from unnest(${textArray(contents.map(([id]) => id))}::uuid[],
          ${textArray(contents.map(([, body]) => body))}::text[])
        on conflict (id) do nothing
      ), event as (
        insert into sandbox.events (id, mail_id, position, account, target, kind, link, occurs_at,
          due_at, arrived_at)
        select e.*, e.due_at
        from unnest(${textArray(mailIds(events.kind.length))}::uuid[],
          ${textArray(events.mailId)}::uuid[], ${numberArray(events.position)}::smallint[],
          ${textArray(events.account)}::text[], ${numberArray(events.target)}::smallint[],
          ${textArray(events.kind)}::text[], ${textArray(events.link)}::text[],
          ${textArray(events.occursAt)}::timestamptz[], ${textArray(events.dueAt)}::timestamptz[])
          as e(id, mail_id, position, account, target, kind, link, occurs_at, due_at)
      )
      insert into sandbox.mails (accepted_at, id, position, account, region, sender, recipient,
        subject, batch, message_tag, outcome, html, text, raw, detail)
      select ${new Date(acceptedAt).toISOString()}::timestamptz, m.*
      from unnest(${rows.id.array()}::uuid[], ${rows.position.array()}::smallint[],
        ${rows.account.array()}::text[], ${rows.region.array()}::text[],
        ${rows.sender.array()}::text[], ${rows.recipient.array()}::text[],
        ${rows.subject.array()}::text[], ${rows.batch.array()}::text[],
        ${rows.messageTag.array()}::text[], ${rows.outcome.array()}::text[],
        ${rows.html.array()}::uuid[], ${rows.text.array()}::uuid[],
        ${rows.raw.array()}::uuid[], ${rows.detail.array()}::text[]) as m`
    if (events.kind.length > 0) onEvents()
    return contents.map(([id]) => id)
  }

  const rowsOf = (mails: NewMail[], ids: string[], acceptedAt: number) => {
    const rows = emptyRows()
    const events = emptyEvents()
    for (const [n, mail] of mails.entries()) {
      const id = ids[n] ?? ''
      const storedBody = store(mail)
      for (const [position, { address, outcome }] of mail.recipients.entries()) {
        rows.id.add(id)
        rows.position.add(String(position))
        rows.account.add(mail.account.accountNumber)
        rows.region.add(mail.account.region)
        rows.sender.add(mail.sender)
        rows.recipient.add(address)
        rows.subject.add(mail.subject)
        rows.batch.add(mail.batch)
        rows.messageTag.add(mail.messageTag)
        rows.outcome.add(outcome)
        rows.html.add(storedBody.html)
        rows.text.add(storedBody.text)
        rows.raw.add(storedBody.raw)
        rows.detail.add(storedBody.detail)
        if (hasEvents(mail, address)) addEvents(events, mail, { id, position, acceptedAt })
      }
    }
    return { rows, events }
  }

  const hasEvents = ({ account, detail }: NewMail, address: string): boolean =>
    account.webhooks.length > 0 &&
    (detail.configurationSet !== null || !account.eventsNeedConfigurationSet) &&
    !faults.of(account.accountNumber).eventsOff &&
    !account.lostRecipients.includes(address.toLowerCase())

  const addEvents = (
    events: EventRows,
    mail: NewMail,
    { id, position, acceptedAt }: { id: string; position: number; acceptedAt: number },
  ): void => {
    const { account } = mail
    const outcome = mail.recipients[position]?.outcome ?? 'delivered'
    const planned = planEvents(
      { id, acceptedAt, outcome, isFirst: position === 0 },
      account,
      faults.of(account.accountNumber),
    )
    for (const [target, { region }] of account.webhooks.entries()) {
      if (region !== undefined && region !== account.region) continue
      for (const { kind, occursAt, dueAt } of planned) {
        const link = kind === 'Click' ? findLink(mail.body) : null
        // A mail without a link cannot be clicked.
        if (kind === 'Click' && link === null) continue
        events.mailId.push(id)
        events.position.push(position)
        events.account.push(account.accountNumber)
        events.target.push(target)
        events.kind.push(kind)
        events.link.push(link)
        events.occursAt.push(new Date(occursAt).toISOString())
        events.dueAt.push(new Date(dueAt).toISOString())
      }
    }
  }

  const store = (mail: NewMail) => {
    const { account, sender, batch, body } = mail
    const scope = `${account.accountNumber} ${batch ?? sender}`
    const detail = lean(mail)
    switch (body.kind) {
      case 'raw': {
        const raw = contentId(body.base64)
        keep(raw, body.base64)
        return { html: null, text: null, raw, detail: JSON.stringify(detail) }
      }
      case 'template': {
        detail.data = body.data
        return {
          html: storeWhole(body.html),
          text: storeWhole(body.text),
          raw: null,
          detail: JSON.stringify(detail),
        }
      }
      case 'whole': {
        if (body.html !== null) detail.html = folder.fold(scope, body.html, '<')
        if (body.text !== null) detail.text = folder.fold(scope, body.text, '\n')
        return {
          html: detail.html?.content ?? null,
          text: detail.text?.content ?? null,
          raw: null,
          detail: JSON.stringify(detail),
        }
      }
    }
  }

  /** Hashes of templates, which come again with every call of a batch. */
  const templates = new Map<string, string>()
  const storeWhole = (text: string | null): string | null => {
    if (text === null) return null
    const id = templates.get(text) ?? contentId(text)
    if (templates.size > 200) templates.clear()
    templates.set(text, id)
    keep(id, text)
    return id
  }

  return {
    /** Stores the mails of one call. Resolves to their message ids in order, after the commit. */
    accept: (mails: NewMail[]): Promise<string[]> =>
      mails.length === 0
        ? Promise.resolve([])
        : new Promise((resolve, reject) => {
            queue.push({ mails, resolve, reject })
            schedule()
          }),

    /** Runs `work` while nothing is written, and forgets the stored contents. */
    exclusive: async (work: () => Promise<unknown>): Promise<void> => {
      let reopen = (): void => {}
      while (isClosed()) await closed
      closed = new Promise((resolve) => {
        reopen = resolve
      })
      try {
        while (isWriting()) await sleep(2)
        await work()
        saved.clear()
        unsaved.clear()
        folder.forget()
      } finally {
        closed = undefined
        reopen()
        schedule()
      }
    },
  }
}
export type Ledger = ReturnType<typeof createLedger>

const emptyRows = () => ({
  id: createColumn(),
  position: createColumn(),
  account: createColumn(),
  region: createColumn(),
  sender: createColumn(),
  recipient: createColumn(),
  subject: createColumn(),
  batch: createColumn(),
  messageTag: createColumn(),
  outcome: createColumn(),
  html: createColumn(),
  text: createColumn(),
  raw: createColumn(),
  detail: createColumn(),
})

/** Drops fields that are empty or stored elsewhere, since there are millions of rows. */
const lean = ({ detail, recipients }: NewMail): StoredDetail => {
  const { to, cc, bcc, replyTo, headers, tags, configurationSet } = detail
  const isPlain = to.length === 1 && recipients.length === 1 && to[0] === recipients[0]?.address
  return {
    operation: detail.operation,
    role: detail.role,
    ...(isPlain ? {} : { to }),
    ...(cc.length > 0 && { cc }),
    ...(bcc.length > 0 && { bcc }),
    ...(replyTo.length > 0 && { replyTo }),
    ...(headers.length > 0 && { headers }),
    ...(tags.length > 0 && { tags }),
    ...(configurationSet !== null && { configurationSet }),
  }
}

const emptyEvents = (): EventRows => ({
  mailId: [],
  position: [],
  account: [],
  target: [],
  kind: [],
  link: [],
  occursAt: [],
  dueAt: [],
})
