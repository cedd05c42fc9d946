import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { newSigningSecret, signatureHeaders } from '../../src/keys/webhook-signatures.ts'

const now = (): number => Math.floor(Date.now() / 1000)
const message = { id: 'msg_1', timestamp: now(), body: '{"name":"Zoë","n":1}' }

test('a secret has the mark and 32 bytes, and is never the same', () => {
  const secrets = Array.from({ length: 100 }, newSigningSecret)
  for (const each of secrets) expect(each).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(new Set(secrets).size).toBe(100)
})

test('the library of the standard verifies what we sign, and nothing that was changed', () => {
  const secret = newSigningSecret()
  const receiver = new Webhook(secret)
  const headers = signatureHeaders([secret], message)
  expect(receiver.verify(message.body, headers)).toEqual({ name: 'Zoë', n: 1 })
  expect(() => receiver.verify(`${message.body} `, headers)).toThrow('No matching signature')
  const renamed = { ...headers, 'webhook-id': 'msg_2' }
  expect(() => receiver.verify(message.body, renamed)).toThrow('No matching signature')
  const stranger = new Webhook(newSigningSecret())
  expect(() => stranger.verify(message.body, headers)).toThrow('No matching signature')
})

test('while a secret is replaced both verify', () => {
  const [present, previous] = [newSigningSecret(), newSigningSecret()]
  const headers = signatureHeaders([present, previous], message)
  expect(headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/)
  for (const secret of [present, previous]) {
    expect(new Webhook(secret).verify(message.body, headers)).toEqual({ name: 'Zoë', n: 1 })
  }
})

test('an old message is refused by its time', () => {
  const secret = newSigningSecret()
  const old = { ...message, timestamp: now() - 3_600 }
  const headers = signatureHeaders([secret], old)
  expect(() => new Webhook(secret).verify(old.body, headers)).toThrow('timestamp too old')
})

test('an id with a dot is refused, since it could be read as another message', () => {
  expect(() => signatureHeaders([newSigningSecret()], { ...message, id: 'a.b' })).toThrow(
    'has no dots',
  )
})
