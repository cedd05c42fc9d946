// Makes the namespace and registers the search attributes, unless they are there; run at each start.
import { setTimeout as sleep } from 'node:timers/promises'
import { Connection } from '@temporalio/client'
import { readConfig } from '../../dist/src/config.js'
import { temporalConnection } from '../../dist/src/main/programs/required.js'
import { registerSearchAttributes } from '../../dist/src/main/programs/search-attributes.js'
import { SEARCH_ATTRIBUTES } from '../../dist/workflows/contract.js'

/** Days for which closed workflows are kept. */
const RETENTION_DAYS = 30
const READY_MS = 60_000
const PASS_MS = 500
/** gRPC status codes. */
const NOT_FOUND = 5
const ALREADY_EXISTS = 6

const config = readConfig()
const { address, namespace } = config.temporal
if (address === undefined) throw new Error('TEMPORAL_ADDRESS is not set')

const connection = await Connection.connect({
  ...temporalConnection(config),
  connectTimeout: READY_MS,
})
await createNamespace()
await register()
await connection.close()

/** An existing namespace keeps its retention, which an operator may have chosen. */
async function createNamespace() {
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: { seconds: RETENTION_DAYS * 86_400 },
    })
    print(`Made the namespace ${namespace}, retention ${RETENTION_DAYS} days`)
  } catch (error) {
    if (error.code !== ALREADY_EXISTS) throw error
    print(`The namespace ${namespace} is there`)
  }
}

/** A new namespace takes some seconds to be known to the whole server. */
async function register() {
  const end = Date.now() + READY_MS
  for (;;) {
    try {
      await registerSearchAttributes(connection, namespace, SEARCH_ATTRIBUTES)
      print(`Search attributes: ${Object.keys(SEARCH_ATTRIBUTES).join(', ')}`)
      return
    } catch (error) {
      if (error.code !== NOT_FOUND || Date.now() > end) throw error
      await sleep(PASS_MS)
    }
  }
}

function print(text) {
  process.stdout.write(`${text}\n`)
}
