// Packs what others install, after a build: the server with its command, and the client, which needs
// none of the server's dependencies. Prints the paths of both files.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const packages = 'dist/packages'
const client = join(packages, 'client')
rmSync(packages, { recursive: true, force: true })
mkdirSync(client, { recursive: true })
cpSync('src/client/package.json', join(client, 'package.json'))
for (const name of readdirSync('dist/src/client')) {
  if (/\.(?:js|d\.ts)$/.test(name)) cpSync(join('dist/src/client', name), join(client, name))
}
for (const folder of ['.', `./${client}`]) {
  const args = ['pack', folder, '--ignore-scripts', '--json', '--pack-destination', packages]
  const [{ filename }] = JSON.parse(execFileSync('npm', args, { encoding: 'utf8' }))
  process.stdout.write(`${join(packages, filename)}\n`)
}
