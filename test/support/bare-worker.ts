import { fileURLToPath } from 'node:url'
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'

/**
 * A program of its own whose worker runs workflows that are next to nothing, with the settings of
 * the product's: what benchmarks compare with. Its arguments: Temporal's address, a queue, how many
 * workflows it keeps in memory.
 */
const [address = '', taskQueue = '', cached = '0'] = process.argv.slice(2)
Runtime.install({ logger: new DefaultLogger('ERROR') })
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue,
  workflowsPath: fileURLToPath(new URL('./workflows/bare.ts', import.meta.url)),
  maxCachedWorkflows: Number(cached),
  workflowThreadPoolSize: 1,
})
await worker.run()
