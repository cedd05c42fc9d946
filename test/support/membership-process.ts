import { startMembershipKeeper } from '../../src/loops/membership-keeper.ts'
import { connectAs } from './logins.ts'

/**
 * A worker's membership loop that is killed, as by kill -9, during a turn: it has taken marks and
 * written some of the results, but not committed. Its arguments are the database and the
 * approximate number of such statements that it survives.
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
