import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createResolver, type DnsResolver } from '../../src/net/resolver.ts'

/** Numbers of the record types (RFC 1035, 3.2.2). */
const TYPES = { CNAME: 5, MX: 15, TXT: 16 }
const NO_SUCH_NAME = 3
const REFUSED = 5

let server: Socket
let resolver: DnsResolver
/** What is answered to `<type> <name>`: data of records, an error, or nothing at all. */
const zone = new Map<string, Buffer[] | number | 'silence'>()
let questions: string[]

const name = (text: string): Buffer =>
  Buffer.concat([
    ...text.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ])
const mx = (preference: number, host: string): Buffer =>
  Buffer.concat([Buffer.from([0, preference]), name(host)])
const txt = (...parts: string[]): Buffer =>
  Buffer.concat(parts.map((part) => Buffer.from([part.length, ...Buffer.from(part)])))

/** A name server of one zone, in as much of the protocol as a resolver asks for. */
function answer(message: Buffer): Buffer | undefined {
  const labels: string[] = []
  let at = 12
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.subarray(at + 1, at + 1 + length).toString())
    at += 1 + length
  }
  const type = Object.entries(TYPES).find(([, number]) => number === message.readUInt16BE(at + 1))
  const question = `${type?.[0]} ${labels.join('.')}`
  questions.push(question)
  const found = zone.get(question) ?? NO_SUCH_NAME
  if (found === 'silence') return undefined
  const records = typeof found === 'number' ? [] : found
  const head = Buffer.alloc(12)
  message.copy(head, 0, 0, 2)
  head.writeUInt16BE(0x8180 | (typeof found === 'number' ? found : 0), 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(records.length, 6)
  const asked = message.subarray(12, at + 5)
  return Buffer.concat([
    head,
    asked,
    ...records.map((data) => {
      const fixed = Buffer.from([0xc0, 12, 0, type?.[1] ?? 0, 0, 1, 0, 0, 0, 60, 0, 0])
      fixed.writeUInt16BE(data.length, 10)
      return Buffer.concat([fixed, data])
    }),
  ])
}

beforeAll(async () => {
  server = createSocket('udp4')
  server.on('message', (message, { port, address }) => {
    const said = answer(message)
    if (said) server.send(said, port, address)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  resolver = createResolver({ servers: [`127.0.0.1:${server.address().port}`] })
})
beforeEach(() => {
  zone.clear()
  questions = []
})
afterAll(() => server.close())

const soon = () => AbortSignal.timeout(5_000)

test('answers the records of a name, texts put together and MX with its preference', async () => {
  zone.set('CNAME a.example.com', [name('b.example.net')])
  zone.set('MX a.example.com', [mx(10, 'mail.example.net')])
  zone.set('TXT a.example.com', [txt('v=spf1 ', '~all'), txt('other')])
  expect(await resolver.resolve('a.example.com', 'CNAME', soon())).toEqual(['b.example.net'])
  expect(await resolver.resolve('a.example.com', 'MX', soon())).toEqual(['10 mail.example.net'])
  expect(await resolver.resolve('a.example.com', 'TXT', soon())).toEqual(['v=spf1 ~all', 'other'])
})

test('tells a name without records from a server that does not say', async () => {
  zone.set('TXT empty.example.com', [])
  zone.set('TXT refused.example.com', REFUSED)
  expect(await resolver.resolve('empty.example.com', 'TXT', soon())).toEqual([])
  expect(await resolver.resolve('nowhere.example.com', 'TXT', soon())).toEqual([])
  expect(await resolver.resolve('refused.example.com', 'TXT', soon())).toBe('unknown')
})

test('gives up when it is told to, and does not ask any more then', async () => {
  zone.set('TXT silent.example.com', 'silence')
  const signal = AbortSignal.timeout(200)
  expect(await resolver.resolve('silent.example.com', 'TXT', signal)).toBe('unknown')
  // By itself it asks again after a second.
  expect(questions).toHaveLength(1)
  questions = []
  expect(await resolver.resolve('silent.example.com', 'TXT', signal)).toBe('unknown')
  expect(questions).toEqual([])
})

test('looks at no more than a bounded answer', async () => {
  zone.set(
    'TXT many.example.com',
    Array.from({ length: 30 }, (_, n) => txt(`${n}`)),
  )
  zone.set('TXT long.example.com', [txt(...Array.from({ length: 5 }, () => 'x'.repeat(250)))])
  const many = await resolver.resolve('many.example.com', 'TXT', soon())
  expect(many).toHaveLength(20)
  const [long] = await resolver.resolve('long.example.com', 'TXT', soon())
  expect(long).toHaveLength(1_000)
})

test('asks nobody about names that are no domains or not public', async () => {
  for (const each of [
    'localhost',
    'a b.example',
    'db.internal',
    '1.0.0.127.in-addr.arpa',
    'x.local',
  ])
    expect([each, await resolver.resolve(each, 'TXT', soon())]).toEqual([each, 'unknown'])
  expect(questions).toEqual([])
})
