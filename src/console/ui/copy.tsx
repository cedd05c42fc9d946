import { Check, Copy as CopyIcon } from 'lucide-react'
import { useState } from 'react'
import './copy.css'

const SHOWN_MS = 2_000

/** A text to be copied whole: an id, a record, a command. */
export function Copy({ text, isBlock = false }: { text: string; isBlock?: boolean }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), SHOWN_MS)
  }
  const Icon = isCopied ? Check : CopyIcon
  return (
    <span className={isBlock ? 'copy block' : 'copy'}>
      <code>{text}</code>
      <button type="button" aria-label={`Copy ${text}`} onClick={() => void copy()}>
        <Icon aria-hidden="true" size={14} />
      </button>
      <span className="read-aloud" role="status">
        {isCopied ? 'Copied' : ''}
      </span>
    </span>
  )
}
