import { randomBytes } from 'node:crypto'

/** Prefix of SES message ids in each region, where known. */
const REGIONS: Record<string, string> = {
  'us-east-1': '0100',
  'us-west-2': '0101',
  'eu-west-1': '0102',
  'ap-southeast-2': '0108',
  'eu-central-1': '0107',
  'ap-south-1': '0109',
}

const RANDOM_HEX = 12
let last = 0

/**
 * Ids of `count` mails accepted now: UUIDv7 whose 26 bits after the time count up, so that an index
 * grows at one end only.
 */
export function mailIds(count: number): string[] {
  const now = Math.max(Date.now(), last + 1)
  last = now
  const time = now.toString(16).padStart(12, '0')
  const random = randomBytes((count * RANDOM_HEX) / 2).toString('hex')
  return Array.from({ length: count }, (_, n) => {
    const high = (n >> 14).toString(16).padStart(3, '0')
    const low = (0x8000 | (n & 0x3fff)).toString(16)
    const tail = random.slice(n * RANDOM_HEX, (n + 1) * RANDOM_HEX)
    return `${time.slice(0, 8)}-${time.slice(8)}-7${high}-${low}-${tail}`
  })
}

/** `0102019c1a2b3c4d-<uuid>-000000` as in SES: region, time, UUID. */
export const messageId = (region: string, id: string): string =>
  `${REGIONS[region] ?? '010f'}${id.slice(0, 8)}${id.slice(9, 13)}-${id}-000000`

const MESSAGE_ID = /^[0-9a-f]{16}-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-000000$/
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The mail's id in a message id, or the id itself. */
export const mailIdOf = (text: string): string | undefined =>
  MESSAGE_ID.exec(text)?.[1] ?? (UUID.test(text) ? text : undefined)
