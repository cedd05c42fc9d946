import type { IncomingMessage, ServerResponse } from 'node:http'
import { Type } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { accountUpdate } from './accounts.ts'
import type { Deps } from './deps.ts'
import { faultsUpdate } from './faults.ts'
import { sendJson } from './http.ts'
import { clearMails, countMails, findMail, listMails } from './mails.ts'
import { mailIdOf } from './message-id.ts'
import { settingsUpdate } from './settings.ts'
import { inboundText, receiveText } from './sms/inbound.ts'

export const CONTROL_PREFIX = '/_sandbox/'

interface Control {
  deps: Deps
  query: URLSearchParams
  body: Buffer
  /** The path after the collection. */
  id: string
}

type Handler = (control: Control) => Promise<Answer> | Answer
interface Answer {
  status: number
  value: unknown
}

const queueMessages = Compile(Type.Object({ bodies: Type.Array(Type.String()) }))

const ok = (value: unknown): Answer => ({ status: 200, value })
const missing = (what: string): Answer => ({ status: 404, value: { message: `${what} not found` } })

const ROUTES: Record<string, Handler> = {
  'GET accounts': ({ deps }) => ok({ accounts: deps.accounts.all() }),
  'GET accounts/*': ({ deps, id, query }) => {
    const region = query.get('region')
    const found = deps.accounts.all(id).find((each) => region === null || each.region === region)
    return found ? ok(found) : missing('Account')
  },
  'PUT accounts/*': async ({ deps, id, body }) => {
    if (!/^\d{12}$/.test(id)) return invalid('an account number has 12 digits')
    const update = read(accountUpdate, body)
    return 'problem' in update
      ? invalid(update.problem)
      : ok(await deps.accounts.put(id, update.value))
  },

  'GET faults': ({ deps, query }) => ok(deps.faults.of(query.get('account') ?? undefined)),
  'PUT faults': ({ deps, query, body }) => {
    const update = read(faultsUpdate, body)
    if ('problem' in update) return invalid(update.problem)
    const account = query.get('account') ?? undefined
    deps.faults.set(update.value, account)
    return ok(deps.faults.of(account))
  },
  'DELETE faults': ({ deps, query }) => {
    const account = query.get('account') ?? undefined
    deps.faults.reset(account)
    return ok(deps.faults.of(account))
  },

  'GET calls/*': ({ deps, id }) => ok(deps.calls.of(id)),

  'GET settings': ({ deps }) => ok(deps.settings),
  'PUT settings': ({ deps, body }) => {
    const update = read(settingsUpdate, body)
    if ('problem' in update) return invalid(update.problem)
    return ok(Object.assign(deps.settings, update.value))
  },

  'GET queues/*': async ({ deps, id, query }) => ok(await deps.queues.count(queueOf(id, query))),
  'PUT queues/*': async ({ deps, id, query, body }) => {
    const given = read(queueMessages, body)
    if ('problem' in given) return invalid(given.problem)
    await deps.queues.put(queueOf(id, query), given.value.bodies)
    return ok({ success: true })
  },

  'GET counts': async ({ deps, query }) => ok(await countMails(deps.sql, filterOf(query))),
  'GET events/stats': async ({ deps }) => ok(await deps.pump.stats()),

  'DELETE events/*': async ({ deps, id }) => {
    const mailId = mailIdOf(id)
    return mailId === undefined ? missing('Mail') : ok({ lost: await deps.pump.lose(mailId) })
  },

  'GET mails': async ({ deps, query }) =>
    ok(
      await listMails(deps.sql, {
        ...filterOf(query),
        search: query.get('search') ?? undefined,
        limit: Number(query.get('limit')) || undefined,
        cursor: query.get('cursor') ?? undefined,
      }),
    ),
  'GET mails/*': async ({ deps, id }) => {
    const mail = await findMail(deps.sql, id)
    return mail ? ok({ ...mail, raw: mail.raw?.toString('base64') ?? null }) : missing('Mail')
  },
  'GET texts': async ({ deps, query }) =>
    ok({
      texts: await deps.sms.texts.list({
        account: query.get('account') ?? undefined,
        destination: query.get('destination') ?? undefined,
      }),
    }),
  'DELETE texts': async ({ deps }) => {
    await deps.sms.texts.clear()
    return ok({ success: true })
  },
  'POST inbound-texts/*': async ({ deps, id, query, body }) => {
    const given = read(inboundText, body)
    if ('problem' in given) return invalid(given.problem)
    const account = deps.accounts.get(id, query.get('region') ?? '')
    const outcome = await receiveText(deps.sms.texts, account, given.value)
    return outcome === undefined ? missing('Sender') : ok(outcome)
  },

  'DELETE mails': async ({ deps }) => {
    await deps.ledger.exclusive(async () => {
      await deps.pump.exclusive(() => clearMails(deps.sql))
      deps.limiter.reset()
    })
    return ok({ success: true })
  },
}

const queueOf = (account: string, query: URLSearchParams) => ({
  account,
  region: query.get('region') ?? '',
  name: query.get('name') ?? '',
})

const filterOf = (query: URLSearchParams) => ({
  account: query.get('account') ?? undefined,
  batch: query.get('batch') ?? undefined,
})

const invalid = (message: string): Answer => ({ status: 400, value: { message } })

const NAMED = /^(accounts|calls|events|inbound-texts|mails|queues)\/([^/]+)$/

/** Routes by which tests, the demo and `dev` control the sandbox. */
export async function handleControl(
  deps: Deps,
  { path, query, body }: { path: string; query: URLSearchParams; body: Buffer },
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): Promise<void> {
  const method = request.method ?? 'GET'
  const type = request.headers['content-type'] ?? ''
  // A page of another site can send forms and plain text without asking; JSON it cannot.
  if (method !== 'GET' && body.length > 0 && !/^application\/json\b/.test(type)) {
    sendJson(response, 415, { message: 'send application/json' })
    return
  }
  const rest = path.slice(CONTROL_PREFIX.length)
  const [, collection, id] = NAMED.exec(rest) ?? []
  const key = collection === undefined ? rest : `${collection}/*`
  const run = ROUTES[`${method} ${rest}`] ?? ROUTES[`${method} ${key}`]
  const answer = run
    ? await run({ deps, query, body, id: id === undefined ? '' : decodeURIComponent(id) })
    : missing('Route')
  sendJson(response, answer.status, answer.value)
}

type Read<T> = { value: T } | { problem: string }

function read<T>(
  validator: { Check: (value: unknown) => value is T; Errors: Validator['Errors'] },
  body: Buffer,
): Read<T> {
  const value = parse(body)
  if (validator.Check(value)) return { value }
  const [problem] = validator.Errors(value)
  return { problem: `${problem?.instancePath || 'the body'} ${problem?.message ?? 'is no JSON'}` }
}

function parse(body: Buffer): unknown {
  try {
    return body.length === 0 ? {} : JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}
