import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker'

/** Built once, beside the compiled code: a worker that bundles by itself takes 150 MB more. */
const { code } = await bundleWorkflowCode({
  workflowsPath: fileURLToPath(new URL('../../../workflows/index.js', import.meta.url)),
  logger: new DefaultLogger('WARN'),
})
await writeFile(new URL('../../../workflow-bundle.js', import.meta.url), code)
