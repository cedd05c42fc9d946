import { fork } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SinkAnswer, SinkCount, SinkQuestion, SinkSettings } from './sink-messages.ts'

export interface Sink {
  url: string
  set: (settings: Partial<SinkSettings>) => Promise<void>
  /** Begins to count anew. */
  forget: () => Promise<void>
  count: () => Promise<SinkCount>
  /** Body of a mail that it has accepted. */
  sample: () => Promise<string>
  stop: () => Promise<void>
}

/** Starts the light sink in a process of its own. It ends with us. */
export async function startSink(): Promise<Sink> {
  const file = `./light-sink${extname(import.meta.url)}`
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), [])
  const next = async (): Promise<SinkAnswer> => {
    const [answer] = (await once(child, 'message')) as [SinkAnswer]
    return answer
  }
  const ask = async (question: SinkQuestion) => {
    const answer = next()
    child.send(question)
    const found = await answer
    if (!('count' in found)) throw new Error('the sink gave no answer')
    return found
  }
  const started = await next()
  if (!('port' in started)) throw new Error('the sink did not start')
  return {
    url: `http://127.0.0.1:${started.port}`,
    set: async (settings) => void (await ask({ kind: 'set', settings })),
    forget: async () => void (await ask({ kind: 'forget' })),
    count: async () => (await ask({ kind: 'count' })).count,
    sample: async () => (await ask({ kind: 'count' })).sample,
    stop: async () => {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}
