import { startMembershipKeeper } from '../../src/loops/membership-keeper.ts'
import { connect } from '../../src/store/db/sql.ts'

/**
 * A worker's loop about membership that is killed, as by kill -9, before one of so many statements:
 * its arguments are the database and that number.
 */
const [databaseUrl = '', statements = '0'] = process.argv.slice(2)
const quiet = { info: () => {}, warn: () => {}, error: () => {} }
let isTold = false
const sql = connect(databaseUrl, {
  name: 'membership',
  role: 'letterloom_worker',
  max: 2,
  onQuery: () => {
    if (!isTold) process.send?.('begun')
    isTold = true
    if (Math.random() * Number(statements) < 1) process.kill(process.pid, 'SIGKILL')
  },
})
startMembershipKeeper({ sql, log: quiet })
