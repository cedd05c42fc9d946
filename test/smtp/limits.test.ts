import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as openTls } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readCertificate, watchCertificate } from '../../src/main/commands/certificate.ts'
import { type Api, connectAccount, startApi } from '../support/api.ts'
import { otherCertificate, testCertificate } from '../support/certificates.ts'
import { isFull, sized } from '../support/size.ts'
import {
  beginMail,
  dataOf,
  type Dialogue,
  openDialogue,
  openSubmission,
  plainLogin,
  plainPort,
  type Submission,
} from '../support/smtp.ts'

/** Strangers and broken programs: nothing is relayed, nothing crashes, nothing is held. */

let api: Api
let key: string
const opened: Submission[] = []
beforeAll(async () => {
  api = await startApi()
  await connectAccount(api.alice)
  key = (await api.client(api.alice.organizationId, ['send'])).key
})
afterAll(async () => {
  await Promise.all(opened.map((each) => each.close()))
  await api.close()
})

const open = (...changes: Parameters<typeof openSubmission>[1][]): Submission => {
  const submission = openSubmission(api, ...changes)
  opened.push(submission)
  return submission
}
const countMails = async (): Promise<number> => {
  const [row] = await api.sql<{ count: number }[]>`select count(*)::int as count from messages`
  return row?.count ?? 0
}
const mail = (...body: string[]) => dataOf('From: shop@example.com', 'Subject: S', '', ...body)

describe('limits', () => {
  test('of size, of recipients and of both together', async () => {
    const port = await plainPort(open({ messageBytes: 1_000, recipients: 3, storedBytes: 1_500 }))
    const dialogue = await beginMail(port, key, ['a@example.com', 'b@example.com', 'c@example.com'])
    expect(await dialogue.say('RCPT TO:<d@example.com>')).toBe(
      '452 4.5.3 Error: too many recipients',
    )
    await dialogue.say('DATA')
    expect(await dialogue.send(mail('x'.repeat(600)))).toMatch(
      /^554 5\.6\.0 to must not be more than 2 with a message of 6\d\d bytes$/,
    )
    expect(await dialogue.say('MAIL FROM:<a@example.com> SIZE=1001')).toMatch(/^552 5\.3\.4 /)
    await dialogue.say('MAIL FROM:<a@example.com>')
    await dialogue.say('RCPT TO:<a@example.com>')
    await dialogue.say('DATA')
    // A line of 10 MB, and much more than it may be.
    dialogue.write(Buffer.alloc(10_000_000, 'x'))
    expect(await dialogue.send('\r\n.\r\n')).toMatch(/^552 5\.3\.4 .* 1000$/)
    expect(await dialogue.say('NOOP')).toMatch(/^250 /)
    dialogue.close()
  })

  test('of what a process holds: another message has to come again', async () => {
    const port = await plainPort(open({ heldBytes: 3_000 }))
    const [first, second] = [await beginMail(port, key), await beginMail(port, key)]
    const offer = async (length: number): Promise<string> => {
      await second.say('RSET')
      await second.say('MAIL FROM:<a@example.com>')
      await second.say('RCPT TO:<a@example.com>')
      await second.say('DATA')
      return second.send(mail('y'.repeat(length)))
    }
    await first.say('DATA')
    first.write(`From: a@example.com\r\nSubject: S\r\n\r\n${'x'.repeat(2_500)}\r\n`)
    await expect
      .poll(() => offer(1_000))
      .toBe('451 4.3.0 Too many messages at the moment. Try again')
    expect(await first.send('.\r\n')).toMatch(/^250 /)
    // What was held is free again, also where the connection breaks off.
    expect(await offer(1_000)).toMatch(/^250 /)
    await first.say('MAIL FROM:<a@example.com>')
    await first.say('RCPT TO:<a@example.com>')
    await first.say('DATA')
    first.write('x'.repeat(2_900))
    await expect.poll(() => offer(1_000)).toMatch(/^451 /)
    first.close()
    await expect.poll(() => offer(2_500)).toMatch(/^250 /)
    second.close()
  })

  test('of connections, of an address and of all', async () => {
    const port = await plainPort(open({ connectionsOfAddress: 2 }))
    const kept = [await openDialogue(port), await openDialogue(port)]
    const refused = await openDialogue(port, false)
    expect(await refused.reply()).toBe('421 Too many connections from your address')
    kept[0]?.close()
    await expect
      .poll(async () => {
        const dialogue = await openDialogue(port, false)
        kept.push(dialogue)
        return dialogue.reply()
      })
      .toMatch(/^220 /)
    for (const each of kept) each.close()
    const full = await plainPort(open({ connections: 1 }))
    const only = await openDialogue(full)
    const other = await openDialogue(full, false)
    expect(await other.reply()).toMatch(/^421 .* Too many connected clients/)
    only.close()
  })

  test('of time: a byte now and then holds no connection', async () => {
    const port = await plainPort(open({ loginMs: 300, stepMs: 300, messageMs: 300 }))
    const before = await countMails()
    const begun = ['EHLO client.example', plainLogin(key), 'MAIL FROM:<a@example.com>']
    const dialogues: [lines: string[], drip: string][] = [
      [[], 'N'],
      [begun, 'NOOP\r\n'],
      [[...begun, 'RCPT TO:<a@example.com>', 'DATA'], 'x'],
    ]
    const lastReplies = dialogues.map(async ([lines, drip]) => {
      const dialogue = await openDialogue(port)
      for (const line of lines) dialogue.write(`${line}\r\n`)
      const timer = setInterval(() => dialogue.write(drip), 50)
      let last = ''
      for (let reply = await dialogue.reply(); reply !== ''; reply = await dialogue.reply()) {
        last = reply
      }
      clearInterval(timer)
      return last
    })
    const slow = '421 4.4.2 Too slow: connect again'
    expect(await Promise.all(lastReplies)).toEqual([slow, slow, slow])
    expect(await countMails()).toBe(before)
  })
})

describe('the end of a message', () => {
  test.each([
    ['\n.\n'],
    ['\n.\r\n'],
    ['\r\n.\n'],
    ['\r.\r'],
    ['\r.\r\n'],
    ['\r\n.\r'],
    ['\r\n.\n\r'],
  ])('is a dot between proper line ends, not %j: what follows is no command', async (end) => {
    const port = await plainPort(open())
    const before = await countMails()
    const dialogue = await beginMail(port, key)
    await dialogue.say('DATA')
    const smuggled = `MAIL FROM:<a@example.com>\r\nRCPT TO:<victim@example.com>\r\nDATA\r\n${mail('smuggled')}`
    const reply = await dialogue.send(
      `From: shop@example.com\r\nSubject: S\r\n\r\nfirst${end}${smuggled}`,
    )
    expect(reply).toBe(
      '554 5.6.0 body has a line of one dot between bare line feeds or carriage returns',
    )
    // The refusal was the only answer.
    expect(await dialogue.say('NOOP')).toBe('250 2.0.0 OK')
    expect(await countMails()).toBe(before)
    dialogue.close()
  })

  test('may be anywhere in what arrives, and dots at the beginning of lines are lines', async () => {
    const port = await plainPort(open())
    const dialogue = await beginMail(port, key)
    await dialogue.say('DATA')
    dialogue.write('From: shop@example.com\r\nSubject: S\r\n\r\n..\r\n...two\r')
    dialogue.write('\n')
    expect(await dialogue.send('.\r\n')).toMatch(/^250 /)
    dialogue.close()
  })
})

test('BDAT is refused, and what comes with it is no command', async () => {
  const port = await plainPort(open())
  const dialogue = await beginMail(port, key)
  const chunk = 'RSET\r\nMAIL FROM:<a@example.com>\r\nRCPT TO:<victim@example.com>\r\nDATA\r\n'
  const before = await countMails()
  expect(await dialogue.send(`BDAT ${chunk.length} LAST\r\n${chunk}${mail('smuggled')}`)).toBe(
    '502 5.5.1 BDAT is not offered: send DATA',
  )
  expect(await dialogue.reply()).toBe('')
  expect(await countMails()).toBe(before)
})

test('a certificate that is changed is used, and one that cannot be used is not', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'letterloom-tls-'))
  const files = { certificatePath: join(folder, 'cert.pem'), keyPath: join(folder, 'key.pem') }
  const write = async ({ cert, key: pem }: { cert: string; key: string }) => {
    await writeFile(files.certificatePath, cert)
    await writeFile(files.keyPath, pem)
  }
  await write(testCertificate)
  const submission = open()
  const certificate = await readCertificate(files)
  const ports = [
    await submission.listen({ tls: 'implicit', certificate }),
    await submission.listen({ tls: 'starttls', certificate }),
  ]
  const shown = (port: number): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = openTls({ host: '127.0.0.1', port, rejectUnauthorized: false })
      socket.once('secureConnect', () => {
        resolve(String(socket.getPeerCertificate().subject.CN))
        socket.destroy()
      })
      socket.once('error', reject)
    })
  expect(await shown(ports[0]!)).toBe('receiver.example')
  const problems: unknown[] = []
  const unwatch = watchCertificate(files, certificate, {
    onChange: submission.useCertificate,
    log: { info: () => {}, warn: () => {}, error: (about: object) => problems.push(about) },
    everyMs: 20,
  })
  await writeFile(files.certificatePath, 'half')
  await expect.poll(() => problems.length).toBe(1)
  expect(await shown(ports[0]!)).toBe('receiver.example')
  await write(otherCertificate)
  await expect.poll(() => shown(ports[0]!)).toBe('other.example')
  const dialogue = await openDialogue(ports[1]!)
  await dialogue.say('EHLO client.example')
  await dialogue.say('STARTTLS')
  await expect(dialogue.startTls()).rejects.toThrow('certificate')
  unwatch()
  await rm(folder, { recursive: true })
})

test('whatever strangers say, nothing is relayed, and the server goes on', async () => {
  const submission = open({ loginMs: 5_000 })
  const port = await plainPort(submission)
  const before = await countMails()
  const chance = randomly(17)
  const memory: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        const dialogue = await openDialogue(port, chance() < 0.9)
        await babble(dialogue, chance)
        dialogue.close()
      }),
    )
    memory.push(process.memoryUsage().rss)
  }
  expect(await countMails()).toBe(before)
  const connections = async () => (await submission.metrics.connections.get()).values[0]?.value
  await expect.poll(connections).toBe(0)
  // What was there in the middle is enough to the end.
  const growth = (memory.at(-1) ?? 0) - (memory[Math.floor(ROUNDS / 2)] ?? 0)
  expect(growth).toBeLessThan(isFull ? 64 * 1024 * 1024 : Number.POSITIVE_INFINITY)
  const dialogue = await beginMail(port, key)
  await dialogue.say('DATA')
  expect(await dialogue.send(mail('x'))).toMatch(/^250 /)
  dialogue.close()
})

test('none of it was a mistake of ours', () => {
  expect(opened.flatMap(({ failures }) => failures)).toEqual([])
})

/** Dialogues with strangers. */
const ROUNDS = sized(6, 400)
const AT_ONCE = 25

/** The same numbers in each run (mulberry32). */
function randomly(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

const WORDS = [
  'EHLO client.example',
  'HELO x',
  'MAIL FROM:<a@example.com>',
  'RCPT TO:<victim@example.com>',
  'DATA',
  'From: a@example.com\r\nSubject: S\r\n\r\nx\r\n.',
  '.',
  'AUTH PLAIN',
  'AUTH PLAIN AGxldHRlcmxvb20AbG9vbV94',
  'AUTH LOGIN bGV0dGVybG9vbQ==',
  'AUTH CRAM-MD5',
  'AUTH XOAUTH2 x',
  plainLogin('loom_nonsense', 'letterloom\0letterloom'),
  '*',
  'BDAT 5 LAST\r\nhello',
  'STARTTLS',
  'XCLIENT ADDR=127.0.0.1 LOGIN=letterloom',
  'XFORWARD ADDR=127.0.0.1',
  'WIZ please',
  'SHELL',
  'KILL',
  'VRFY victim@example.com',
  'EXPN list',
  'RSET',
  'NOOP',
  'HELP',
  'GET / HTTP/1.1',
  'MAIL FROM:<a@example.com> SIZE=99999999999',
  'MAIL FROM:<a@example.com> AUTH=<>',
  'MAIL FROM:<@a,@b:c@example.com>',
  'RCPT TO:<victim%example.org@example.com>',
  'RCPT TO:<"a b"@[127.0.0.1]>',
  '\0\xff\xfe\r\r\r',
  'x'.repeat(5_000),
  'MAIL FROM:<a@example.com>\n.\nRCPT TO:<b@example.com>\n.\nDATA\n',
  'QUIT',
]

/** Says some of the words, in whatever order and pieces. */
async function babble(dialogue: Dialogue, chance: () => number): Promise<void> {
  const count = 1 + Math.floor(chance() * 12)
  for (let n = 0; n < count && !dialogue.isClosed(); n++) {
    const line = `${WORDS[Math.floor(chance() * WORDS.length)]}${chance() < 0.9 ? '\r\n' : '\n'}`
    const cut = chance() < 0.3 ? Math.floor(chance() * line.length) : line.length
    dialogue.write(Buffer.from(line.slice(0, cut), 'latin1'))
    dialogue.write(Buffer.from(line.slice(cut), 'latin1'))
    if (chance() < 0.5)
      await Promise.race([dialogue.reply(), new Promise((resolve) => setTimeout(resolve, 20))])
  }
}
