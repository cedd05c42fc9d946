import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { defineConfig, type Plugin } from 'vite'

const OUT = fileURLToPath(new URL('../../dist/console', import.meta.url))
/** Where a running `npm start` is, for the server that reloads while one edits. */
const API = 'http://127.0.0.1:3000'

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [compressed()],
  build: {
    outDir: OUT,
    emptyOutDir: true,
    target: 'es2022',
    // The first browsers that know light-dark().
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    manifest: true,
    // Old browsers that want it could not run the rest either.
    modulePreload: { polyfill: false },
    // A picture in a style sheet would need a policy of its own.
    assetsInlineLimit: 0,
    rolldownOptions: {
      // Every file of some packages begins with a directive for servers.
      onLog: (level, log, report) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log)
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ['/console/api', '/console/session', '/console/config.json'].map((path) => [path, API]),
    ),
  },
})

/** Puts `.br` and `.gz` beside each asset: nothing is compressed while somebody waits. */
function compressed(): Plugin {
  return {
    name: 'letterloom-compressed',
    apply: 'build',
    async writeBundle() {
      const folder = join(OUT, 'assets')
      for (const name of await readdir(folder)) {
        if (!/\.(?:js|css|svg)$/.test(name)) continue
        const file = join(folder, name)
        const bytes = await readFile(file)
        const quality = {
          params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
        }
        await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes, quality))
        await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }))
      }
    },
  }
}
