import './meter.css'

interface MeterProps {
  /** What is measured, for who cannot see it. */
  label: string
  /** From 0; above 1 it is full. */
  ratio: number
  tone?: 'plain' | 'careful' | 'bad'
}

/** A share as a bar; the figure stands beside it in words. */
export function Meter({ label, ratio, tone = 'plain' }: MeterProps) {
  return (
    <svg
      className="meter"
      role="img"
      aria-label={label}
      viewBox="0 0 100 1"
      preserveAspectRatio="none"
    >
      <rect className="meter-track" width="100" height="1" />
      <rect
        className={`meter-fill ${tone}`}
        width={Math.min(1, Math.max(0, ratio)) * 100}
        height="1"
      />
    </svg>
  )
}
