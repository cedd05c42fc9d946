import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { endWithUs } from './end-with-us.ts'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const READY_MS = 120_000

/** Keys that are no letters. */
const KEYS: Record<string, { code: string; number: number; text?: string }> = {
  Tab: { code: 'Tab', number: 9 },
  Enter: { code: 'Enter', number: 13, text: '\r' },
  Escape: { code: 'Escape', number: 27 },
  ' ': { code: 'Space', number: 32, text: ' ' },
  ArrowDown: { code: 'ArrowDown', number: 40 },
  ArrowUp: { code: 'ArrowUp', number: 38 },
  ArrowLeft: { code: 'ArrowLeft', number: 37 },
  ArrowRight: { code: 'ArrowRight', number: 39 },
  '?': { code: 'Slash', number: 191, text: '?' },
}
const SHIFT = 8
const CONTROL = 2

/** The Chromium of this machine, if it has one. */
export const chromium = (process.env['PATH'] ?? '')
  .split(delimiter)
  .flatMap((folder) => NAMES.map((name) => join(folder, name)))
  .find((file) => existsSync(file))

export interface Page {
  /** Every requested address, loaded or not. */
  requested: string[]
  /** Messages of the console and the security policy. */
  complaints: string[]
  /** Runs JavaScript in the page and resolves to its result. */
  evaluate<T>(code: string): Promise<T>
  /** Waits until the code is true in the page. */
  until(code: string): Promise<void>
  /** Follows a link. Resolves when the new page is loaded. */
  go(url: string): Promise<void>
  /** CSS pixels and the preferred colour scheme. */
  look(as: { width: number; dark?: boolean }): Promise<void>
  /** Types into what has the focus, as a paste does. */
  type(text: string): Promise<void>
  /** Presses a key: `Tab`, `Enter`, `Escape`, `ArrowDown`, ` `, or a letter. */
  press(key: string, modifiers?: { shift?: boolean; control?: boolean }): Promise<void>
  /** PNG of the whole page. */
  screenshot(): Promise<Buffer>
  close(): Promise<void>
}

/** Characters of a page in an error. */
const SHOWN = 1_500

interface Message {
  id?: number
  method?: string
  result?: object
  error?: { message: string }
  params?: object
}

/** A page in a headless browser, over the DevTools protocol. */
export async function openPage(file: string, url: string): Promise<Page> {
  const profile = await mkdtemp(join(tmpdir(), 'letterloom-browser-'))
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage']
  const child = endWithUs(
    spawn(
      file,
      [...flags, '--remote-debugging-pipe', `--user-data-dir=${profile}`, 'about:blank'],
      { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], detached: true },
    ),
  )
  const call = protocol(child, (message) => note(message))
  const requested: string[] = []
  const complaints: string[] = []

  function note({ method, params }: Message): void {
    const { request, entry, exceptionDetails, type, args } = params as {
      request?: { url: string }
      entry?: { text: string }
      exceptionDetails?: { text: string; exception?: { description?: string } }
      type?: string
      args?: { value?: unknown; description?: string }[]
    }
    if (method === 'Network.requestWillBeSent' && request) requested.push(request.url)
    if (method === 'Log.entryAdded' && entry) complaints.push(entry.text)
    if (method === 'Runtime.exceptionThrown' && exceptionDetails) {
      complaints.push(exceptionDetails.exception?.description ?? exceptionDetails.text)
    }
    if (method === 'Runtime.consoleAPICalled' && (type === 'error' || type === 'warning')) {
      complaints.push(
        (args ?? []).map((each) => each.description ?? JSON.stringify(each.value)).join(' '),
      )
    }
  }

  async function close(): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) {
      const gone = once(child, 'exit')
      // All of its processes: they are a group of their own.
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      await gone
    }
    await rm(profile, { recursive: true, force: true, maxRetries: 5 })
  }

  try {
    const { targetId } = await call<{ targetId: string }>('Target.createTarget', {
      url: 'about:blank',
    })
    const { sessionId } = await call<{ sessionId: string }>('Target.attachToTarget', {
      targetId,
      flatten: true,
    })
    for (const domain of ['Network', 'Log', 'Page', 'Runtime'])
      await call(`${domain}.enable`, {}, sessionId)
    await call('Page.navigate', { url }, sessionId)

    const evaluate = async <T>(expression: string): Promise<T> => {
      const options = { expression, awaitPromise: true, returnByValue: true }
      const { result, exceptionDetails } = await call<{
        result: { value: T }
        exceptionDetails?: { exception?: { description?: string } }
      }>('Runtime.evaluate', options, sessionId)
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description)
      return result.value
    }
    const until = async (code: string): Promise<void> => {
      const end = Date.now() + READY_MS
      // A page that is left while it is asked answers nothing: the next one is.
      const isSo = () =>
        evaluate<boolean>(`Boolean(${code})`).catch((error: unknown) => {
          if (String(error).includes('navigated or closed')) return false
          throw error
        })
      while (!(await isSo())) {
        if (Date.now() > end) {
          const shown = await evaluate<string>('document.body.innerText')
          throw new Error(`never true in the page: ${code}; it says: ${shown.slice(0, SHOWN)}`)
        }
        await sleep(50)
      }
    }
    const go = async (to: string): Promise<void> => {
      await evaluate('window.before = true')
      await call('Page.navigate', { url: to }, sessionId)
      await until('window.before === undefined && document.readyState === "complete"')
    }
    const look = async ({ width, dark = false }: { width: number; dark?: boolean }) => {
      const metrics = { width, height: 800, deviceScaleFactor: 1, mobile: width < 600 }
      const features = [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }]
      await call('Emulation.setDeviceMetricsOverride', metrics, sessionId)
      await call('Emulation.setEmulatedMedia', { features }, sessionId)
    }
    const type = async (text: string): Promise<void> => {
      await call('Input.insertText', { text }, sessionId)
    }
    const press = async (key: string, { shift = false, control = false } = {}): Promise<void> => {
      const known = KEYS[key]
      const event = {
        key,
        code: known?.code ?? `Key${key.toUpperCase()}`,
        windowsVirtualKeyCode: known?.number ?? key.toUpperCase().charCodeAt(0),
        modifiers: (shift ? SHIFT : 0) + (control ? CONTROL : 0),
      }
      const text = control ? undefined : known ? known.text : key
      const down = text === undefined ? { type: 'rawKeyDown' } : { type: 'keyDown', text }
      await call('Input.dispatchKeyEvent', { ...event, ...down }, sessionId)
      await call('Input.dispatchKeyEvent', { ...event, type: 'keyUp' }, sessionId)
    }
    const screenshot = async () => {
      const options = { format: 'png', captureBeyondViewport: true }
      const { data } = await call<{ data: string }>('Page.captureScreenshot', options, sessionId)
      return Buffer.from(data, 'base64')
    }
    return { requested, complaints, evaluate, until, go, look, type, press, screenshot, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Calls over a pipe: JSON, each followed by NUL. */
function protocol(child: ChildProcess, onEvent: (message: Message) => void) {
  const input = child.stdio[3] as Writable
  const output = child.stdio[4] as Readable
  const waiting = new Map<number, (message: Message) => void>()
  let rest = ''
  let last = 0
  output.setEncoding('utf8').on('data', (chunk: string) => {
    const messages = `${rest}${chunk}`.split('\0')
    rest = messages.pop() ?? ''
    for (const text of messages) {
      const message = JSON.parse(text) as Message
      if (message.id === undefined) onEvent(message)
      else waiting.get(message.id)?.(message)
    }
  })
  return async <T = object>(method: string, params: object, sessionId?: string): Promise<T> => {
    const id = ++last
    const answer = new Promise<Message>((resolve) => waiting.set(id, resolve))
    input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
    const { result, error } = await answer
    waiting.delete(id)
    if (error) throw new Error(`${method}: ${error.message}`)
    return result as T
  }
}
