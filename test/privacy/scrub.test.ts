import { describe, expect, test } from 'vitest'
import { scrub, scrubText } from '../../src/domain/privacy/scrub.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import {
  newApiKey,
  newKeyringText,
  newWebhookSecret,
  parseKeyring,
  signUnsubscribe,
} from '../../src/keys/tokens.ts'

const token = signUnsubscribe(parseKeyring(newKeyringText()), {
  organizationId: uuidv7(),
  contactId: uuidv7(),
  addressHash: Buffer.alloc(16, 7),
})
const { key } = newApiKey()
const secret = newWebhookSecret(parseKeyring(newKeyringText()), '123456789012')
const keyring = newKeyringText()

describe('a text is kept but for what opens a door or names a person', () => {
  test.each([
    ['an API key', `key ${key} refused`, key.slice(6)],
    ['an API key that was cut off', 'loom_0123456', '0123456'],
    ['a session', 'session loomses_AbC-123_x ended', 'AbC-123_x'],
    ['a signing secret', 'whsec_MfKQ9r8GKYqrTwjU', 'MfKQ9r8GKYqrTwjU'],
    ['a bearer', 'authorization: Bearer abcdefgh12345678', 'abcdefgh'],
    ['a password of a proxy', 'Basic YWxhZGRpbjpvcGVu', 'YWxhZGRpbjpvcGVu'],
    ['an access key of AWS', 'signed by AKIAIOSFODNN7EXAMPLE', 'IOSFODNN7EXAMPLE'],
    ['a temporary one', 'ASIAIOSFODNN7EXAMPLE', 'IOSFODNN7EXAMPLE'],
    ['a keyring', `LETTERLOOM_KEYS=${keyring}`, keyring.slice(4)],
    ['a keyring without its name', `bad: ${keyring}`, keyring.slice(4)],
    ['a webhook secret', `got ${secret} instead`, secret],
    ['one without a digit', `got ${'AbcDefGhi'.repeat(6)} instead`, 'AbcDef'],
    ['a link token', `no ${token} here`, token],
    ['a link', `GET /unsubscribe/${token.slice(0, 20)}`, token.slice(0, 20)],
    ['a password in an address', 'postgres://ada:hunter2@db/x', 'hunter2'],
    ['a query', 'GET /v1/contacts?search=lovelace failed', 'lovelace'],
    ['a query of an address', 'https://hooks.example.com/a?sig=xyz', 'xyz'],
    ['an email address', 'no mail to ada@example.com', 'ada@example'],
    ['one in brackets', 'to "Ada" <ada.l+x@mail.example.co.uk>', 'ada.l'],
    ['one with an umlaut', 'jörg@müller.example', 'jörg'],
    ['one after a line break', 'to:\nada@example.com', 'ada'],
    ['a password by its name', 'password=hunter2 is wrong', 'hunter2'],
    ['a token in JSON', '{"accessToken":"hunter2"}', 'hunter2'],
    ['an access key by its name', 'AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7', 'wJalrXUt'],
    ['one in JSON', '{"accessKey": "hunter2"}', 'hunter2'],
    ['a telephone number', 'no call to +4915112345678', '15112345678'],
    ['one as people write it', 'no call to "+49 (151) 123-456 78".', '123-456'],
  ])('%s', (_name, text, hidden) => {
    expect(text).toContain(hidden)
    expect(scrubText(text)).not.toContain(hidden)
    expect(scrubText(text)).toContain('[redacted]')
  })

  test.each([
    'sending 5 of 10 mails',
    `batch/${uuidv7()}/1 of ${uuidv7()}`,
    'connect ECONNREFUSED 127.0.0.1:5432',
    'in aFunctionWhoseNameIsLongerThanAnyoneWouldLike',
    'duplicate key value violates unique constraint "contacts_organization_id_email_key"',
    'at keep (/app/node_modules/@temporalio/core-bridge/lib/index.js:12:3)',
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'outbox message failed: start_batch, in schema_migrations',
    'is it there? yes',
    '2026-11-21T10:56:09.120Z',
    '2026-11-21T10:56:09.120+01:00',
    '2026-11-21 10:56:09+0100, 1795258569120 ms, +12 of 12345678',
    'aGVsbG8+12345678901/x+12345678901',
    'version 1.2.3+20261121',
  ])('%s', (text) => {
    expect(scrubText(text)).toBe(text)
  })

  test('a long text is cut, and read in time that grows with its length', () => {
    expect(scrubText('@'.repeat(100_000)).length).toBeLessThan(10_000)
    expect(scrubText('a'.repeat(100_000)).length).toBeLessThan(10_000)
  })
})

describe('fields with a secret name are not shown, at whatever depth and whatever they hold', () => {
  test.each([
    'password',
    'Authorization',
    'api_key',
    'apiKey',
    'passwordHash',
    'x-api-key',
    'x-webhook-secret',
    'webhookSecret',
    'secretAccessKey',
    'accessKeyId',
    'sessionToken',
    'token',
    'email',
    'fromEmail',
    'recipient',
    'recipients',
    'phone',
    'html',
    'htmlContent',
    'body',
    'subject',
    'keys',
    'parameters',
    'detail',
    'where',
    'headers',
    'cookie',
    'credentials',
    'firstName',
    'properties',
  ])('%s', (name) => {
    const shown = (value: unknown) =>
      JSON.stringify(scrub({ a: [{ b: { c: { [name]: value } } }] }))
    for (const value of ['hunter2', ['hunter2'], { inner: 'hunter2' }, 24_680]) {
      expect(shown(value)).not.toMatch(/hunter2|24680/)
    }
    expect(shown('x')).toContain(name)
  })

  test('what an operator looks for stays', () => {
    const fields = {
      method: 'GET',
      route: '/v1/contacts/:id',
      status: 200,
      ms: 3,
      reqId: 'a-1',
      batchId: 'b',
      organizationId: uuidv7(),
      workflowId: 'batch/b/1',
      address: '127.0.0.1:7233',
      kind: 'start_batch',
      queues: ['control'],
      kid: 'k1',
      monkey: 'see',
      context: 'x',
    }
    expect(scrub(fields)).toEqual(fields)
  })

  test('names are texts too', () => {
    expect(JSON.stringify(scrub({ 'ada@example.com': 1 }))).not.toContain('ada@')
  })

  test('what has no end ends', () => {
    const round: Record<string, unknown> = {}
    round['round'] = round
    expect(JSON.stringify(scrub(round)).length).toBeLessThan(300)
    expect(scrub(Array.from({ length: 1_000 }, () => 1))).toHaveLength(50)
  })
})

describe('errors', () => {
  test('keep type, code, words and stack, scrubbed, with all of their causes', () => {
    const cause = Object.assign(new TypeError('bad address ada@example.com'), {
      cause: new Error(`key ${key}`),
    })
    const error = Object.assign(new Error('failed for eve@example.com', { cause }), { code: 'E1' })
    const shown = scrub(error)
    expect(shown).toMatchObject({
      type: 'Error',
      code: 'E1',
      message: 'failed for [redacted]',
      stack: expect.stringContaining('scrub.test.ts'),
      cause: { type: 'TypeError', message: 'bad address [redacted]', cause: { type: 'Error' } },
    })
    expect(JSON.stringify(shown)).not.toMatch(/ada@|eve@|loom_[^[]/)
  })

  test("of Postgres lose the values they quote, and keep the constraint's name", () => {
    const refused = (message: string, code: string) =>
      scrub(
        Object.assign(new Error(message), {
          code,
          detail: 'Key (email)=(lovelace) already exists.',
          where: "unnamed portal parameter $2 = 'lovelace'",
          parameters: ['lovelace'],
          constraint_name: 'contacts_email_key',
        }),
      )
    const duplicate = refused(
      'duplicate key value violates unique constraint "contacts_email_key"',
      '23505',
    )
    expect(duplicate).toMatchObject({
      message: expect.stringContaining('"contacts_email_key"'),
      constraint_name: 'contacts_email_key',
    })
    const value = refused('invalid input syntax for type uuid: "lovelace"', '22P02')
    expect(JSON.stringify([duplicate, value])).not.toContain('lovelace')
    expect(value).toMatchObject({ message: 'invalid input syntax for type uuid: "[redacted]"' })
  })

  test('several in one are all shown, all scrubbed', () => {
    const error = new AggregateError([new Error('a@example.com'), new Error('second')], 'both')
    expect(scrub(error)).toMatchObject({
      errors: [{ message: '[redacted]' }, { message: 'second' }],
    })
  })
})
