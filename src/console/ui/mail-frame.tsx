import { useEffect, useRef, useState } from 'react'
import './mail-frame.css'

const WIDTHS = [
  { px: 600, name: 'Desktop' },
  { px: 375, name: 'Phone' },
] as const

interface MailFrameProps {
  html: string
  /** What the frame is called, for who cannot see it. */
  title: string
  /** Was sent already: loading its pictures tells its sender that it was opened. */
  isSent?: boolean
  /** Offers to show it as a dark mail program does. */
  hasDark?: boolean
}

/**
 * A mail as its readers see it, in a frame without an origin: nothing in it can run, leave or reach
 * the console.
 */
export function MailFrame({ html, title, isSent = false, hasDark = false }: MailFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [isReady, setReady] = useState(false)
  const [hasPictures, setPictures] = useState(!isSent)
  const [width, setWidth] = useState<number>(WIDTHS[0].px)
  const [isDark, setDark] = useState(false)
  useEffect(() => {
    const hear = ({ data, source }: MessageEvent): void => {
      if (source === frame.current?.contentWindow && data === 'ready') setReady(true)
    }
    addEventListener('message', hear)
    return () => removeEventListener('message', hear)
  }, [])
  useEffect(() => {
    // It has no origin to name.
    if (isReady) frame.current?.contentWindow?.postMessage({ html }, '*')
  }, [isReady, html])
  return (
    <div className="mail">
      <fieldset className="row">
        <legend className="read-aloud">Width</legend>
        {WIDTHS.map(({ px, name }) => (
          <button
            key={px}
            type="button"
            className="button quiet"
            aria-pressed={px === width}
            onClick={() => setWidth(px)}
          >
            {name}
          </button>
        ))}
        {hasDark ? (
          <button
            type="button"
            className="button quiet"
            aria-pressed={isDark}
            onClick={() => setDark(!isDark)}
          >
            Dark
          </button>
        ) : null}
        {hasPictures ? null : (
          <button
            type="button"
            className="button quiet"
            onClick={() => {
              setReady(false)
              setPictures(true)
            }}
          >
            Load pictures
          </button>
        )}
      </fieldset>
      <iframe
        key={String(hasPictures)}
        ref={frame}
        title={title}
        src={`/console/frame.html${hasPictures ? '' : '?pictures=embedded'}`}
        sandbox="allow-scripts"
        className={['mail-frame', width === 375 ? 'phone' : '', isDark ? 'dark' : ''].join(' ')}
      />
    </div>
  )
}
