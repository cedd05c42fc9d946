import dns2 from 'dns2'
import { freePort } from '../../src/main/dev/ports.ts'

/** Behaviour of a name server for a name and type besides its records. */
export type Trouble = 'silence' | 'SERVFAIL' | 'REFUSED' | 'garbage'

/** Values by type: of MX `10 mail.example.com`; of TXT a text, or its strings. */
export type Zone = Record<string, Partial<Record<string, readonly (string | string[])[] | Trouble>>>

export interface ZoneServer {
  /** `127.0.0.1:5353` */
  address: string
  /** `TXT example.com`, as asked, in the order of arrival. */
  questions: string[]
  /** Questions that came over TCP. */
  overTcp: string[]
  /** Adds to the zone, or replaces entries. */
  set: (zone: Zone) => void
  clear: () => void
  close: () => Promise<void>
}

interface ZoneOptions {
  /** Milliseconds before each answer. */
  delayMs?: number
}

const { Packet } = dns2
const TYPES: Record<string, number> = { A: 1, CNAME: 5, PTR: 12, MX: 15, TXT: 16, AAAA: 28 }
const NAMES = new Map(Object.entries(TYPES).map(([name, number]) => [number, name]))
const RCODES = { SERVFAIL: 2, REFUSED: 5, NXDOMAIN: 3 }
const MOST_LINKS = 8
const STRING_OCTETS = 255
const LARGE_CHARACTERS = 10_000

/** A name server on loopback, over UDP and TCP, with the records of a zone. */
export async function startZoneServer(
  zone: Zone = {},
  options: ZoneOptions = {},
): Promise<ZoneServer> {
  const records = new Map<string, Zone[string]>()
  const questions: string[] = []
  const overTcp: string[] = []
  const large = new Map<string, Buffer>()
  const set = (more: Zone): void => {
    for (const [name, types] of Object.entries(more)) {
      keepLarge(large, name.toLowerCase(), types['TXT'])
      records.set(name.toLowerCase(), { ...records.get(name.toLowerCase()), ...types })
    }
  }
  const delayed = new Set<NodeJS.Timeout>()
  set(zone)
  const server = dns2.createServer({ udp: true, tcp: true })
  server.on('request', (request, send, client) => {
    const [{ name, type: number } = { name: '', type: 0 }] = request.questions as unknown as {
      name: string
      type: number
    }[]
    const type = NAMES.get(number) ?? String(number)
    questions.push(`${type} ${name}`)
    if ('remoteAddress' in client) overTcp.push(`${type} ${name}`)
    const response = answerFrom(records, request, name.toLowerCase(), type)
    if (response === undefined) return
    const isTcp = 'remoteAddress' in client
    const ready = type === 'TXT' ? large.get(name.toLowerCase()) : undefined
    if (ready && isTcp) {
      ready.writeUInt16BE(request.header.id, 0)
      void send(ready)
      return
    }
    if (ready) {
      response.answers = []
      response.header.tc = 1
    }
    if (options.delayMs === undefined) void send(response)
    else {
      const timer = setTimeout(() => {
        delayed.delete(timer)
        void send(response)
      }, options.delayMs)
      delayed.add(timer)
    }
  })
  const port = await listen(server)
  return {
    address: `127.0.0.1:${port}`,
    questions,
    overTcp,
    set,
    clear: () => {
      records.clear()
      large.clear()
    },
    close: async () => {
      for (const timer of delayed) clearTimeout(timer)
      await server.close()
    },
  }
}

/** Encoded in advance: the package takes a second for 64 KiB on a busy machine. */
function keepLarge(
  large: Map<string, Buffer>,
  name: string,
  values: readonly (string | string[])[] | Trouble | undefined,
): void {
  large.delete(name)
  if (!Array.isArray(values) || values.flat().join('').length < LARGE_CHARACTERS) return
  const packet = new Packet()
  packet.header.qr = 1
  packet.header.ra = 1
  packet.questions = [{ name, type: TYPES['TXT'], class: 1 }] as never
  packet.answers = values.map((value) => recordOf(name, 'TXT', value)) as never
  large.set(name, packet.toBuffer())
}

/** UDP and TCP share a port. */
async function listen(server: ReturnType<typeof dns2.createServer>): Promise<number> {
  const port = await freePort()
  await server.listen({
    udp: { port, address: '127.0.0.1' },
    tcp: { port, address: '127.0.0.1' },
  })
  return port
}

type Answers = { name: string; type: number; class: number; ttl: number }[]

/** Undefined: silence. */
function answerFrom(
  records: ReadonlyMap<string, Zone[string]>,
  request: unknown,
  questionName: string,
  type: string,
) {
  const response = Packet.createResponseFromRequest(request as never)
  response.header.ra = 1
  const answers = response.answers as unknown as Answers
  let name = questionName
  for (let link = 0; link < MOST_LINKS; link++) {
    const zoneEntry = records.get(name)
    const behaviour = zoneEntry?.[type]
    if (behaviour === 'silence') return undefined
    if (behaviour === 'garbage') {
      return Buffer.concat([response.toBuffer().subarray(0, 12), Buffer.alloc(40, 0xff)]) as never
    }
    if (behaviour === 'SERVFAIL' || behaviour === 'REFUSED') {
      response.header.rcode = RCODES[behaviour]
      return response
    }
    const alias = zoneEntry?.['CNAME']
    if (!behaviour && Array.isArray(alias) && type !== 'CNAME') {
      const domain = String(alias[0]).toLowerCase()
      answers.push({ name, type: 5, class: 1, ttl: 60, domain } as never)
      name = domain
      continue
    }
    if (behaviour) answers.push(...behaviour.map((value) => recordOf(name, type, value) as never))
    else if (zoneEntry === undefined && !hasBelow(records, name))
      response.header.rcode = RCODES.NXDOMAIN
    return response
  }
  // A loop: as a recursive resolver answers it.
  answers.length = 0
  response.header.rcode = RCODES.SERVFAIL
  return response
}

/** A name with names below it exists without records (RFC 8020). */
const hasBelow = (records: ReadonlyMap<string, unknown>, name: string): boolean =>
  [...records.keys()].some((each) => each.endsWith(`.${name}`))

function recordOf(name: string, type: string, value: string | string[]): object {
  const head = { name, type: TYPES[type], class: 1, ttl: 60 }
  const text = String(value)
  switch (type) {
    case 'A':
    case 'AAAA':
      return { ...head, address: text }
    case 'MX': {
      const [priority, exchange = ''] = text.split(' ')
      return { ...head, priority: Number(priority), exchange: exchange === '.' ? '' : exchange }
    }
    case 'TXT':
      return { ...head, data: Array.isArray(value) ? value : strings(text) }
    default:
      return { ...head, domain: text }
  }
}

/** Splits a text into strings of 255 octets (RFC 1035, 3.3). */
function strings(text: string): Buffer[] {
  const octets = Buffer.from(text, 'latin1')
  return Array.from({ length: Math.max(1, Math.ceil(octets.length / STRING_OCTETS)) }, (_, index) =>
    octets.subarray(index * STRING_OCTETS, (index + 1) * STRING_OCTETS),
  )
}
