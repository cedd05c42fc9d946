import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIP } from 'node:net'

/** Answer to one question: addresses of that kind, an error, or nothing. */
export type Said = readonly string[] | 'no such name' | 'refused' | 'silence'

/** Numbers of record types (RFC 1035, 3.2.2; RFC 3596) and errors (RFC 1035, 4.1.1). */
const TYPES: Record<number, 'A' | 'AAAA'> = { 1: 'A', 28: 'AAAA' }
const ERRORS = { 'no such name': 3, refused: 5 }

export interface NameServer {
  /** `127.0.0.1:5353` */
  address: string
  /** `A one.example`, as asked. */
  questions: string[]
  close: () => void
}

/** A name server on loopback that decides each answer anew. */
export async function startNameServer(
  answer: (name: string, type: 'A' | 'AAAA') => Said,
): Promise<NameServer> {
  const questions: string[] = []
  const server = createSocket('udp4')
  server.on('message', (message, { port, address }) => {
    const { name, number, end } = questionOf(message)
    const type = TYPES[number] ?? 'A'
    questions.push(`${type} ${name}`)
    const answerToName = answer(name, type)
    if (answerToName === 'silence') return
    const records = typeof answerToName === 'string' ? [] : answerToName
    const head = Buffer.alloc(12)
    message.copy(head, 0, 0, 2)
    head.writeUInt16BE(0x8180 | (typeof answerToName === 'string' ? ERRORS[answerToName] : 0), 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(records.length, 6)
    const parts = records.map((record) => recordOf(number, bytesOf(record)))
    server.send(Buffer.concat([head, message.subarray(12, end), ...parts]), port, address)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `127.0.0.1:${server.address().port}`,
    questions,
    close: () => server.close(),
  }
}

function questionOf(message: Buffer): { name: string; number: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.subarray(at + 1, at + 1 + length).toString())
    at += 1 + length
  }
  return { name: labels.join('.'), number: message.readUInt16BE(at + 1), end: at + 5 }
}

/** A record for the queried name with a lifetime of zero. */
function recordOf(number: number, data: Buffer): Buffer {
  const fixed = Buffer.from([0xc0, 12, 0, number, 0, 1, 0, 0, 0, 0, 0, data.length])
  return Buffer.concat([fixed, data])
}

/** An address in a record's form. IPv6 addresses have every group written, or end in IPv4. */
function bytesOf(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number))
  const [left = '', right] = address.split('::')
  const groups = (text: string): number[] =>
    text
      .split(':')
      .filter((each) => each !== '')
      .flatMap((each) => (each.includes('.') ? pairs(each) : [Number.parseInt(each, 16)]))
  const [first, last] = [groups(left), groups(right ?? '')]
  const filled = [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last]
  return Buffer.from(filled.flatMap((group) => [group >> 8, group & 0xff]))
}

function pairs(ipv4: string): number[] {
  const [a = 0, b = 0, c = 0, d = 0] = ipv4.split('.').map(Number)
  return [a * 256 + b, c * 256 + d]
}
