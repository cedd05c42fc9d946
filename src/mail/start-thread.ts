import { Worker, type WorkerOptions } from 'node:worker_threads'

/**
 * Starts a thread of this folder by the name of its file. From sources it needs tsx to strip the
 * types, which takes half a second of processor time.
 */
export function startThread(name: string, options: WorkerOptions): Worker {
  const bare = { env: {}, execArgv: [], ...options }
  if (!import.meta.url.endsWith('.ts')) {
    return new Worker(new URL(`./${name}.js`, import.meta.url), bare)
  }
  const [loader, source] = ['tsx/esm/api', new URL(`./${name}.ts`, import.meta.url).href].map(
    (each) => JSON.stringify(each),
  )
  const code = `import(${loader}).then(({ register }) => { register(); return import(${source}) })`
  return new Worker(code, { ...bare, eval: true })
}
