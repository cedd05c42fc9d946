import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const MODULE = new URL('../../dist/activities/aws/endpoint.js', import.meta.url).href
const execute = promisify(execFile)

/**
 * Where our own transport sends, asked in a process with this environment: the SDK reads it once.
 */
async function endpointWith(env: Record<string, string>): Promise<string> {
  const script = `import('${MODULE}').then(async (m) => console.log((await m.createSendEndpoints()('eu-west-1')).href))`
  const { stdout } = await execute(process.execPath, ['-e', script], {
    env: {
      ...process.env,
      AWS_CONFIG_FILE: '/dev/null',
      ...env,
    },
  })
  return stdout.trim()
}

const PATH = '/v2/email/outbound-emails'

it.each([
  [{}, `https://email.eu-west-1.amazonaws.com${PATH}`],
  [{ AWS_ENDPOINT_URL: 'http://127.0.0.1:4579' }, `http://127.0.0.1:4579${PATH}`],
  [
    { AWS_ENDPOINT_URL: 'http://127.0.0.1:1', AWS_ENDPOINT_URL_SESV2: 'http://127.0.0.1:2/ses' },
    `http://127.0.0.1:2/ses${PATH}`,
  ],
  [
    { AWS_ENDPOINT_URL: 'http://127.0.0.1:1', AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' },
    `https://email.eu-west-1.amazonaws.com${PATH}`,
  ],
])('our transport sends where the SDK would: %j', async (env, address) => {
  expect(await endpointWith(env)).toBe(address)
})

it('the shared configuration file counts too', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'letterloom-aws-'))
  const file = join(folder, 'config')
  await writeFile(file, '[default]\nendpoint_url = http://127.0.0.1:3\n')
  try {
    expect(await endpointWith({ AWS_CONFIG_FILE: file })).toBe(`http://127.0.0.1:3${PATH}`)
  } finally {
    await rm(folder, { recursive: true })
  }
})
