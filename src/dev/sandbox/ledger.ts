import type { Sql } from '../../store/sql.ts'
import type { Account } from './accounts.ts'
import { numberArray, textArray } from './columns.ts'
import type { FaultSwitches } from './faults.ts'
import { contentId, createFolder, type Folded } from './fold.ts'
import { findLink } from './links.ts'
import { mailIds, messageId } from './message-id.ts'
import { type Outcome, planEvents } from './plan.ts'

export type Pair = [name: string, value: string]

/** A mail that passed every check. */
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
  /** Rendered only when somebody looks at it. */
  | { kind: 'template'; html: string | null; text: string | null; data: Record<string, unknown> }
  | { kind: 'raw'; base64: string }

export interface Detail {
  operation: 'SendEmail' | 'SendBulkEmail'
  /** The role that called, or the user. */
  role: string
  to: string[]
  cc: string[]
  bcc: string[]
  replyTo: string[]
  headers: Pair[]
  tags: Pair[]
  configurationSet: string | null
}

/** `detail` of a row: the same and how the body is kept. */
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

interface Rows {
  id: string[]
  position: number[]
  account: string[]
  region: string[]
  sender: string[]
  recipient: string[]
  subject: string[]
  batch: (string | null)[]
  messageTag: (string | null)[]
  outcome: string[]
  html: (string | null)[]
  text: (string | null)[]
  raw: (string | null)[]
  detail: string[]
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

/** Two: while one waits for the disk the other is being computed. */
const MAX_WRITERS = 2
const MAX_ROWS = 4_000
const MAX_SAVED = 50_000

interface Deps {
  sql: Sql
  faults: FaultSwitches
  /** Told after a commit that wrote events. */
  onEvents: () => void
}

/**
 * Writes accepted mail. Calls that come while a statement runs share the next one, and each is answered
 * after its commit: what was answered survives a crash. A mail's time is the statement's, so that no
 * mail is older than what was reported about its predecessors.
 */
export function createLedger({ sql, faults, onEvents }: Deps) {
  const queue: Waiting[] = []
  const unsaved = new Map<string, string>()
  const saved = new Set<string>()
  let writers = 0
  let scheduled = false
  let closed: Promise<void> | undefined

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

  /** One statement, one commit. Returns the ids of the contents it wrote. */
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
          due_at)
        select *
        from unnest(${textArray(mailIds(events.kind.length))}::uuid[],
          ${textArray(events.mailId)}::uuid[], ${numberArray(events.position)}::smallint[],
          ${textArray(events.account)}::text[], ${numberArray(events.target)}::smallint[],
          ${textArray(events.kind)}::text[], ${textArray(events.link)}::text[],
          ${textArray(events.occursAt)}::timestamptz[], ${textArray(events.dueAt)}::timestamptz[])
      )
      insert into sandbox.mails (accepted_at, id, position, account, region, sender, recipient,
        subject, batch, message_tag, outcome, html, text, raw, detail)
      select ${new Date(acceptedAt).toISOString()}::timestamptz, m.*
      from unnest(${textArray(rows.id)}::uuid[], ${numberArray(rows.position)}::smallint[],
        ${textArray(rows.account)}::text[], ${textArray(rows.region)}::text[],
        ${textArray(rows.sender)}::text[], ${textArray(rows.recipient)}::text[],
        ${textArray(rows.subject)}::text[], ${textArray(rows.batch)}::text[],
        ${textArray(rows.messageTag)}::text[], ${textArray(rows.outcome)}::text[],
        ${textArray(rows.html)}::uuid[], ${textArray(rows.text)}::uuid[],
        ${textArray(rows.raw)}::uuid[], ${textArray(rows.detail)}::text[]) as m`
    if (events.kind.length > 0) onEvents()
    return contents.map(([id]) => id)
  }

  const rowsOf = (mails: NewMail[], ids: string[], acceptedAt: number) => {
    const rows = emptyRows()
    const events = emptyEvents()
    for (const [n, mail] of mails.entries()) {
      const id = ids[n] ?? ''
      const stored = store(mail)
      for (const [position, { address, outcome }] of mail.recipients.entries()) {
        rows.id.push(id)
        rows.position.push(position)
        rows.account.push(mail.account.accountNumber)
        rows.region.push(mail.account.region)
        rows.sender.push(mail.sender)
        rows.recipient.push(address)
        rows.subject.push(mail.subject)
        rows.batch.push(mail.batch)
        rows.messageTag.push(mail.messageTag)
        rows.outcome.push(outcome)
        rows.html.push(stored.html)
        rows.text.push(stored.text)
        rows.raw.push(stored.raw)
        rows.detail.push(stored.detail)
        if (mail.account.webhooks.length > 0) addEvents(events, mail, { id, position, acceptedAt })
      }
    }
    return { rows, events }
  }

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

  const store = ({ account, sender, batch, body, detail }: NewMail) => {
    const scope = `${account.accountNumber} ${batch ?? sender}`
    switch (body.kind) {
      case 'raw': {
        const id = contentId(body.base64)
        keep(id, body.base64)
        return { html: null, text: null, raw: id, detail: JSON.stringify(detail) }
      }
      case 'template': {
        const html = whole(body.html)
        const text = whole(body.text)
        const stored: StoredDetail = { ...detail, data: body.data }
        return { html, text, raw: null, detail: JSON.stringify(stored) }
      }
      case 'whole': {
        const html = body.html === null ? undefined : folder.fold(scope, body.html, '<')
        const text = body.text === null ? undefined : folder.fold(scope, body.text, '\n')
        const stored: StoredDetail = { ...detail, ...(html && { html }), ...(text && { text }) }
        return {
          html: html?.content ?? null,
          text: text?.content ?? null,
          raw: null,
          detail: JSON.stringify(stored),
        }
      }
    }
  }

  /** Templates are few and come again with every call: their hash is computed once. */
  const templates = new Map<string, string>()
  const whole = (text: string | null): string | null => {
    if (text === null) return null
    const id = templates.get(text) ?? contentId(text)
    if (templates.size > 200) templates.clear()
    templates.set(text, id)
    keep(id, text)
    return id
  }

  return {
    /** Stores the mails of one call and returns their message ids, in order, after the commit. */
    accept: (mails: NewMail[]): Promise<string[]> =>
      mails.length === 0
        ? Promise.resolve([])
        : new Promise((resolve, reject) => {
            queue.push({ mails, resolve, reject })
            schedule()
          }),

    /** Runs `work` while nothing is written, and forgets which contents are kept. */
    exclusive: async (work: () => Promise<unknown>): Promise<void> => {
      let open = (): void => {}
      while (closed) await closed
      closed = new Promise((resolve) => {
        open = resolve
      })
      try {
        while (writers > 0) await new Promise((resolve) => setTimeout(resolve, 2))
        await work()
        saved.clear()
        unsaved.clear()
        folder.forget()
      } finally {
        closed = undefined
        open()
        schedule()
      }
    },
  }
}
export type Ledger = ReturnType<typeof createLedger>

const emptyRows = (): Rows => ({
  id: [],
  position: [],
  account: [],
  region: [],
  sender: [],
  recipient: [],
  subject: [],
  batch: [],
  messageTag: [],
  outcome: [],
  html: [],
  text: [],
  raw: [],
  detail: [],
})

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
