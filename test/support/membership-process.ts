import { startMembershipKeeper } from '../../src/loops/membership-keeper.ts'
import { connectAs } from './logins.ts'

/**
 * A worker's loop about membership that is killed, as by kill -9, in the middle of a turn: it has
 * taken marks and written some of what follows from them, and has not committed. Its arguments are
 * the database and how many such statements it lives through, about.
 */
const [databaseUrl = '', statements = '0'] = process.argv.slice(2)
const quiet = { info: () => {}, warn: () => {}, error: () => {} }
const WRITES =
  /^\s*(?:insert into|update|delete from) (?:segment_members|executions|kept_segments|outbox)\b/
let isTold = false
const sql = connectAs(databaseUrl, {
  name: 'membership',
  role: 'letterloom_worker',
  max: 2,
  onQuery: (query) => {
    if (!isTold) process.send?.('begun')
    isTold = true
    if (WRITES.test(query) && Math.random() * Number(statements) < 1)
      process.kill(process.pid, 'SIGKILL')
  },
})
startMembershipKeeper({ sql, log: quiet })
