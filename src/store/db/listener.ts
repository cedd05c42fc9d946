import { openSession, type Session } from './session.ts'

interface Listener {
  /** Name in pg_stat_activity. */
  name: string
  channel: string
  onNotice: (payload: string) => void
  /** Called when notices are received, for the first time or again. */
  onListening: () => void
}

const RETRY_MS = 1_000
/** Interval of checks. An idle connection whose server is gone reports nothing. */
const ASK_EVERY_MS = 10_000
const MOST_MS = 5_000

/**
 * Listens to a channel of Postgres on its own connection, which is opened again when it is lost.
 */
export function listen(
  url: string,
  { name, channel, onNotice, onListening }: Listener,
): { isListening: () => boolean; close: () => Promise<void> } {
  let session: Session | undefined
  let isListening = false
  let isClosed = false
  let retry: NodeJS.Timeout | undefined
  // The driver calls `onnotify`, its types do not know it.
  const own: object = { onnotify: (_: string, payload: string) => onNotice(payload) }
  const options = Object.assign(own, {
    connect_timeout: MOST_MS / 1_000,
    onnotice: () => {},
    connection: { application_name: name },
    fetch_types: false,
  })
  const ask = (text: string) => session?.ask({ text, values: [], isPrepared: false })

  const openListener = async (): Promise<void> => {
    session = openSession(
      url,
      options,
      { settings: { statement_timeout: MOST_MS }, mostMs: MOST_MS },
      lose,
    )
    try {
      await ask(`listen ${channel}`)
      isListening = true
      onListening()
    } catch {
      if (!session.isLost) await session.close()
    }
  }
  const lose = (): void => {
    isListening = false
    if (!isClosed) retry = setTimeout(() => void openListener(), RETRY_MS)
  }
  const looking = setInterval(() => session?.look(), RETRY_MS)
  const asking = setInterval(() => {
    if (isListening) ask('select 1')?.catch(() => {})
  }, ASK_EVERY_MS)
  void openListener()
  return {
    isListening: () => isListening,
    close: async () => {
      isClosed = true
      isListening = false
      clearInterval(looking)
      clearInterval(asking)
      clearTimeout(retry)
      if (session?.isLost === false) await session.close()
    },
  }
}
