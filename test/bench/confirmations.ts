/**
 * An import whose people have to confirm: how long until every confirmation mail was decided, and
 * until the provider took it, once each.
 *
 *   npm run build && npx tsx test/bench/confirmations.ts [people] [rate]
 *
 * The whole system runs for it, compiled, and is thrown away afterwards.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../src/config.ts'
import { startSystem } from '../../src/main/system.ts'
import { allMailed, connectSender, importPeople } from '../support/cohorts.ts'

const [people = 20_000, rate = 500] = process.argv.slice(2).map(Number)
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const folder = await mkdtemp(join(tmpdir(), 'letterloom-confirmations-'))
// As root, Postgres runs under another user, who must be able to come in.
await chmod(folder, 0o755)
const system = { ...(await startSystem(readConfig(), folder, say)), folder }
try {
  const sender = await connectSender(system, rate)
  const startedAt = performance.now()
  const imported = importPeople(system, sender, people).then(() => performance.now() - startedAt)
  const figures = await allMailed(system, sender, people)
  const seconds = (ms: number): string => (ms / 1000).toFixed(1)
  say(`${people} people uploaded in ${seconds(await imported)} s`)
  say(
    `all mails decided after ${seconds(figures.decidedMs)} s, sent after ${seconds(figures.sentMs)} s`,
  )
  say(`${Math.round(people / (figures.sentMs / 1000))} mails/s, the account allows ${rate}`)
  say(
    `accepted ${figures.accepted}, different people ${figures.unique}, mailed twice ${figures.duplicates}; in the ledger ${figures.mails} mails to ${figures.people}`,
  )
  const { accepted, unique, mails } = figures
  const isRight = [accepted, unique, mails, figures.people].every((count) => count === people)
  say(isRight ? 'every confirmation was sent once' : 'WRONG')
  if (!isRight) process.exitCode = 1
} finally {
  await system.stop()
  await rm(folder, { recursive: true, force: true })
}
