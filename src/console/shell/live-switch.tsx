import { Pause, Radio } from 'lucide-react'
import { useLimit, useLive } from '../lib/live.tsx'
import './live-switch.css'

/** Whether pages refresh by themselves; and why they do so slowly, if they do. */
export function LiveSwitch() {
  const { isLive, toggle } = useLive()
  const { slowness, refusedUntil } = useLimit()
  const Icon = isLive ? Radio : Pause
  return (
    <div className="live">
      <span className="live-word" role="status">
        {wordsOf(slowness, refusedUntil)}
      </span>
      <button type="button" className="live-switch" aria-pressed={isLive} onClick={toggle}>
        <Icon aria-hidden="true" size={14} />
        {isLive ? 'Live' : 'Paused'}
      </button>
    </div>
  )
}

function wordsOf(slowness: number, refusedUntil: number): string {
  if (refusedUntil > 0) return 'Waiting: your limit of requests is used up'
  return slowness > 1 ? 'Refreshing slowly: your limit of requests is nearly used' : ''
}
